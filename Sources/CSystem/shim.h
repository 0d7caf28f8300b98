// Calls of the C library that Swift's importer does not show.
#ifndef SWIFTBOARD_CSYSTEM_H
#define SWIFTBOARD_CSYSTEM_H

#if defined(__linux__)
#include <errno.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__GLIBC__)
// Hidden without _GNU_SOURCE, which Swift's importer does not set.
extern int renameat2(int, const char *, int, const char *, unsigned int);
#endif

// Renames, and fails with EEXIST where the new name is taken: Swift can neither see renameat2 nor call syscall.
static inline int swiftboard_rename_without_replacing(
    int old_folder, const char *old_name, int new_folder, const char *new_name) {
#if defined(__GLIBC__)
  return renameat2(old_folder, old_name, new_folder, new_name, 1);
#elif defined(SYS_renameat2)
  return (int)syscall(SYS_renameat2, old_folder, old_name, new_folder, new_name, 1);
#else
  errno = ENOSYS;
  return -1;
#endif
}

// Keeps the process out of core dumps and away from other processes of the user; prctl is variadic.
static inline int swiftboard_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// glibc keeps freed memory for each of up to eight times as many threads as there are cores. With
// fewer than four pools, threads that decode, write and log at a time wait for each other.
static inline void swiftboard_share_memory(void) {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 4);
#endif
}
#else
static inline int swiftboard_forbid_dumps(void) { return 0; }
static inline void swiftboard_share_memory(void) {}
#endif

#endif
