// Calls of the C library that Swift's importer does not show.
#ifndef SWIFTBOARD_CSYSTEM_H
#define SWIFTBOARD_CSYSTEM_H

#if defined(__linux__)
#include <errno.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__GLIBC__)
// Hidden without _GNU_SOURCE, which Swift's importer does not set.
extern int renameat2(int, const char *, int, const char *, unsigned int);
#if __GLIBC_PREREQ(2, 34)
#define SWIFTBOARD_HAS_CLOSE_FROM
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
#endif
#endif
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *restrict, const char *restrict);

// POSIX_SPAWN_SETSID, of glibc and of musl.
#define SWIFTBOARD_SPAWN_SETSID 0x80

// Closes all descriptors from this one on in a program to be started; does nothing where the C
// library cannot.
static inline void swiftboard_spawn_close_from(posix_spawn_file_actions_t *actions, int descriptor) {
#if defined(SWIFTBOARD_HAS_CLOSE_FROM)
  (void)posix_spawn_file_actions_addclosefrom_np(actions, descriptor);
#else
  (void)actions;
  (void)descriptor;
#endif
}

// Renames, and fails with EEXIST if the new name is taken. Swift can neither see renameat2 nor call
// syscall.
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
#include <spawn.h>

#define SWIFTBOARD_SPAWN_SETSID POSIX_SPAWN_SETSID

static inline int swiftboard_forbid_dumps(void) { return 0; }
static inline void swiftboard_share_memory(void) {}
#endif

#endif
