#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// What the module needs of the C library beside its lock: a cheap clock, and standard error.

/// Writes a line to standard error: the default for issues.
@usableFromInline
func writeToStandardError(_ line: String) {
  var text = line + "\n"
  text.withUTF8 { bytes in
    _ = write(2, bytes.baseAddress, bytes.count)
  }
}

/// A monotonic clock that costs a few nanoseconds and moves every few milliseconds: good enough to
/// say since when an effect runs, which is written for each.
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
