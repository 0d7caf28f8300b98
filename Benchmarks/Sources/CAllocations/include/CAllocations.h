#pragma once
#include <stdint.h>

/// Whether this platform lets allocations be counted.
int allocations_are_counted(void);
/// Begins or ends counting; off at first.
void count_allocations(int is_on);
/// Keeps memory that is freed, so that no round of a benchmark pays for pages that another returned
/// to the system.
void keep_freed_memory(void);
/// Allocations while they were counted, of all threads.
int64_t allocation_count(void);
/// Bytes that were allocated and not freed while they were counted, with the allocator's rounding.
int64_t allocated_bytes(void);
