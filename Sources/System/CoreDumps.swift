import CSystem

/// Disables core dumps, and prevents the user's other processes from reading the memory of this
/// one. Ignores errors of the system.
package func forbidCoreDumps() {
  var none = rlimit(rlim_cur: 0, rlim_max: 0)
  #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  #else
    setrlimit(RLIMIT_CORE, &none)
  #endif
  _ = swiftboard_forbid_dumps()
}
