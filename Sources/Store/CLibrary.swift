#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// The parts of the C library that the module needs besides its lock.

/// Writes a line to standard error. This is the default handler of issues.
@usableFromInline
package func writeToStandardError(_ line: String) {
  var text = line + "\n"
  text.withUTF8 { bytes in
    _ = write(2, bytes.baseAddress, bytes.count)
  }
}

/// Returns the time of a monotonic clock in nanoseconds. The call costs a few nanoseconds and the
/// clock advances every few milliseconds, which is precise enough for the start time of every
/// effect.
@usableFromInline
func coarseNanoseconds() -> Int64 {
  var time = timespec()
  #if canImport(Darwin)
    clock_gettime(CLOCK_MONOTONIC_RAW_APPROX, &time)
  #else
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
  #endif
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
