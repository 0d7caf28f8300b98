/// Returns monotonic nanoseconds. They are read without a system call and may be some milliseconds
/// late.
package func coarseNanoseconds() -> UInt64 {
  #if canImport(Darwin)
    return clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX)
  #else
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  #endif
}
