// Counts allocations by replacing the C library's functions, which the Swift runtime calls. Only
// glibc has other names for the real ones; elsewhere nothing is counted.
#include "CAllocations.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__GLIBC__)
#include <limits.h>
#include <malloc.h>
#include <errno.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_int_fast64_t count, bytes;
// Off while times are taken: two threads that count would wait for each other at every allocation.
static atomic_bool is_counting;

static void *noted(void *memory) {
  if (memory && atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, (int64_t)malloc_usable_size(memory), memory_order_relaxed);
  }
  return memory;
}

static void forget(void *memory) {
  if (memory && atomic_load_explicit(&is_counting, memory_order_relaxed))
    atomic_fetch_sub_explicit(&bytes, (int64_t)malloc_usable_size(memory), memory_order_relaxed);
}

void *malloc(size_t size) { return noted(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) { return noted(__libc_calloc(number, size)); }
void *realloc(void *memory, size_t size) {
  forget(memory);
  void *moved = __libc_realloc(memory, size);
  if (!moved && size && memory && atomic_load_explicit(&is_counting, memory_order_relaxed))
    atomic_fetch_add_explicit(&bytes, (int64_t)malloc_usable_size(memory), memory_order_relaxed);
  return noted(moved);
}
void *memalign(size_t alignment, size_t size) { return noted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return noted(__libc_memalign(alignment, size)); }
int posix_memalign(void **result, size_t alignment, size_t size) {
  void *memory = __libc_memalign(alignment, size);
  if (!memory && size) return ENOMEM;
  *result = noted(memory);
  return 0;
}
void free(void *memory) {
  forget(memory);
  __libc_free(memory);
}

int allocations_are_counted(void) { return 1; }
void count_allocations(int is_on) { atomic_store(&is_counting, is_on != 0); }
void keep_freed_memory(void) {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
}
int64_t allocation_count(void) { return atomic_load(&count); }
int64_t allocated_bytes(void) { return atomic_load(&bytes); }
#else
int allocations_are_counted(void) { return 0; }
void count_allocations(int is_on) {}
void keep_freed_memory(void) {}
int64_t allocation_count(void) { return 0; }
int64_t allocated_bytes(void) { return 0; }
#endif
