#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The environment variable that makes seeded tests run one seed alone.
let seedVariable = "SWIFTBOARD_SEED"

/// The value of an environment variable.
func environment(_ name: String) -> String? {
  ProcessInfo.processInfo.environment[name]
}
