#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The environment variable that makes seeded tests run only one seed.
let seedVariable = "SWIFTBOARD_SEED"

/// Returns the value of an environment variable.
func environment(_ name: String) -> String? {
  ProcessInfo.processInfo.environment[name]
}
