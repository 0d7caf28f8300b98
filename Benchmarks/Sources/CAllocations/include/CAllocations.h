#pragma once
#include <stdint.h>

/// Whether this platform lets allocations be counted.
int allocations_are_counted(void);
/// Allocations since the program began, of all threads.
int64_t allocation_count(void);
/// Bytes that are allocated now, by the sizes that were asked for and the allocator's rounding.
int64_t allocated_bytes(void);
