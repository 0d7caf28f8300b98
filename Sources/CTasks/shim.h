// The places at which Swift's runtime asks where its tasks are to run.
#ifndef SWIFTBOARD_CTASKS_H
#define SWIFTBOARD_CTASKS_H

typedef void (*swiftboard_enqueue)(void *job, void *original);
typedef void (*swiftboard_enqueue_after)(unsigned long long nanoseconds, void *job, void *original);
typedef void (*swiftboard_enqueue_at)(
    long long seconds, long long nanoseconds, long long tolerance_seconds,
    long long tolerance_nanoseconds, int clock, void *job, void *original);

extern swiftboard_enqueue swift_task_enqueueGlobal_hook;
extern swiftboard_enqueue_after swift_task_enqueueGlobalWithDelay_hook;
extern swiftboard_enqueue_at swift_task_enqueueGlobalWithDeadline_hook;

static inline void swiftboard_set_executor(
    swiftboard_enqueue now, swiftboard_enqueue_after after, swiftboard_enqueue_at at) {
  swift_task_enqueueGlobal_hook = now;
  swift_task_enqueueGlobalWithDelay_hook = after;
  swift_task_enqueueGlobalWithDeadline_hook = at;
}

#endif
