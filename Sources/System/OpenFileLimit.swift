import CSystem

/// Returns how many files, sockets and pipes this process may have open at the same time. The
/// result is the largest number if the system does not say.
package func openFileLimit() -> UInt64 {
  var limit = rlimit()
  #if canImport(Glibc)
    let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  #else
    let result = getrlimit(RLIMIT_NOFILE, &limit)
  #endif
  return result == 0 ? UInt64(limit.rlim_cur) : .max
}
