import CSystem

/// Forbids core dumps, and the user's other processes to read this one's memory. What the system
/// refuses is left as it is.
package func forbidCoreDumps() {
  var none = rlimit(rlim_cur: 0, rlim_max: 0)
  #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  #else
    setrlimit(RLIMIT_CORE, &none)
  #endif
  _ = swiftboard_forbid_dumps()
}
