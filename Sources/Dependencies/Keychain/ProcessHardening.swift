import CSodium

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Settings of the whole process that keep secrets out of core dumps. A library never changes them; an executable may.
public enum ProcessHardening {
  /// No core dumps, and no reading of this process's memory by the user's other processes. What the system refuses is left as it is.
  public static func forbidDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if canImport(Glibc)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    #else
      setrlimit(RLIMIT_CORE, &none)
    #endif
    _ = csodium_forbid_dumps()
  }
}
