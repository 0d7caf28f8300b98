#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The environment variable that makes seeded tests run one seed alone.
let seedVariable = "SWIFTBOARD_SEED"

/// The value of an environment variable.
func environment(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }
}
