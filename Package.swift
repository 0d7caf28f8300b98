// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// `make test` sets the variable. It makes a debug build in which the modules that tests spend most
/// of their time in are optimized. A package that depends on this one sees no unsafe flags.
let optimized: [SwiftSetting] =
  Context.environment["SWIFTBOARD_OPTIMIZED"] == nil
  ? []
  : [
    .unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2", "-disable-batch-mode"])
  ]

/// The program that tests start has all of Swift in it then, as the installed one has: half of the
/// time of a start was that of loading shared libraries.
let programLinkerSettings: [LinkerSetting] =
  Context.environment["SWIFTBOARD_OPTIMIZED"] == nil
  ? []
  : [
    .unsafeFlags(
      [
        "-static-stdlib", "-l_FoundationCollections", "-l_FoundationCShims", "-use-ld=lld",
        "-Xlinker", "--no-export-dynamic", "-Xclang-linker", "-no-pie",
      ], .when(platforms: [.linux]))
  ]

func module(
  _ name: String, folder: String, dependencies: [Target.Dependency] = [],
  settings: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(folder)",
    swiftSettings: strict + settings)
}

func tests(
  _ folder: String, of dependencies: [Target.Dependency], exclude: [String] = [],
  settings: [SwiftSetting] = []
) -> Target {
  .testTarget(
    name: "SwiftBoard\(folder)", dependencies: dependencies, path: "Tests/\(folder)",
    exclude: exclude, swiftSettings: strict + settings)
}

let package = Package(
  name: "swiftboard",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "SwiftBoardStore", targets: ["SwiftBoardStore"]),
    .library(name: "SwiftBoardJSON", targets: ["SwiftBoardJSON"]),
    .library(name: "SwiftBoardRecording", targets: ["SwiftBoardRecording"]),
    .library(name: "SwiftBoardTesting", targets: ["SwiftBoardTesting"]),
    .library(name: "SwiftBoardDependencies", targets: ["SwiftBoardDependencies"]),
    .library(name: "SwiftBoardServiceTesting", targets: ["SwiftBoardServiceTesting"]),
    .library(name: "SwiftBoardCommandLine", targets: ["SwiftBoardCommandLine"]),
    .library(name: "SwiftBoardBoard", targets: ["SwiftBoardBoard"]),
    .library(name: "SwiftBoardFeatures", targets: ["SwiftBoardFeatures"]),
    .executable(name: "swiftboard", targets: ["swiftboard"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .systemLibrary(
      name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .systemLibrary(
      name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(name: "CSystem"),
    .systemLibrary(name: "CTasks"),

    module("SwiftBoardSystem", folder: "System", dependencies: ["CSystem"], settings: optimized),
    module("SwiftBoardStore", folder: "Store", settings: optimized),
    module("SwiftBoardJSON", folder: "JSON", settings: optimized),
    module(
      "SwiftBoardRecording", folder: "Recording",
      dependencies: ["SwiftBoardStore", "SwiftBoardJSON", "SwiftBoardSystem"],
      settings: optimized),
    module(
      "SwiftBoardTesting", folder: "StoreTesting",
      dependencies: ["SwiftBoardStore", "SwiftBoardRecording"], settings: optimized),
    module(
      "SwiftBoardDependencies", folder: "Dependencies",
      dependencies: ["SwiftBoardJSON", "SwiftBoardSystem", "CSodium", "CSQLite", "CCurl"]),
    module(
      "SwiftBoardServiceTesting", folder: "ServiceTesting",
      dependencies: [
        "SwiftBoardTesting", "SwiftBoardDependencies", "SwiftBoardJSON", "SwiftBoardSystem",
      ]),
    module(
      "SwiftBoardCommandLine", folder: "CommandLine",
      dependencies: ["SwiftBoardJSON", "SwiftBoardSystem"]),
    module(
      "SwiftBoardBoard", folder: "Board",
      dependencies: [
        "SwiftBoardStore", "SwiftBoardJSON", "SwiftBoardRecording", "SwiftBoardDependencies",
        "SwiftBoardCommandLine", "SwiftBoardSystem",
      ]),
    module(
      "SwiftBoardFeatures", folder: "Features",
      dependencies: [
        "SwiftBoardBoard", "SwiftBoardStore", "SwiftBoardJSON", "SwiftBoardDependencies",
        "SwiftBoardCommandLine",
      ]),
    .executableTarget(
      name: "swiftboard",
      dependencies: [
        "SwiftBoardBoard", "SwiftBoardFeatures", "SwiftBoardDependencies", "SwiftBoardSystem",
        .target(name: "CTasks", condition: .when(platforms: [.linux])),
      ],
      path: "Sources/swiftboard",
      swiftSettings: strict, linkerSettings: programLinkerSettings),

    .target(
      name: "SwiftBoardTestSupport", dependencies: ["SwiftBoardJSON", "SwiftBoardSystem"],
      path: "Tests/TestSupport", swiftSettings: strict + optimized),
    tests("StoreTests", of: ["SwiftBoardStore", "SwiftBoardTesting", "SwiftBoardTestSupport"]),
    tests(
      "StoreMachineTests", of: ["SwiftBoardStore", "SwiftBoardTesting", "SwiftBoardSystem"],
      settings: optimized),
    tests("JSONTests", of: ["SwiftBoardJSON", "SwiftBoardTesting"]),
    tests(
      "RecordingTests",
      of: [
        "SwiftBoardRecording", "SwiftBoardStore", "SwiftBoardJSON", "SwiftBoardTesting",
        "SwiftBoardSystem", "SwiftBoardTestSupport",
      ],
      exclude: ["check_log.py", "Logs"]),
    tests(
      "StoreTestingTests",
      of: ["SwiftBoardTesting", "SwiftBoardStore", "SwiftBoardRecording", "SwiftBoardTestSupport"]),
    tests(
      "DependenciesTests",
      of: [
        "SwiftBoardDependencies", "SwiftBoardServiceTesting", "SwiftBoardTesting",
        "SwiftBoardTestSupport", "SwiftBoardSystem", "CCurl", "CSodium", "CSQLite",
      ],
      exclude: ["keychain-vectors", "read_keychain.py"]),
    tests("SystemTests", of: ["SwiftBoardSystem", "SwiftBoardTestSupport"]),
    tests(
      "CommandLineTests",
      of: [
        "SwiftBoardCommandLine", "SwiftBoardJSON", "SwiftBoardSystem", "SwiftBoardTesting",
        "SwiftBoardTestSupport",
      ],
      exclude: ["make_screen_vectors.py", "screen-vectors.jsonl"]),
    tests(
      "FeaturesTests",
      of: [
        "SwiftBoardBoard", "SwiftBoardFeatures", "SwiftBoardTesting", "SwiftBoardDependencies",
        "SwiftBoardTestSupport", "SwiftBoardStore", "SwiftBoardJSON", "SwiftBoardRecording",
        "SwiftBoardCommandLine", "SwiftBoardSystem", "SwiftBoardServiceTesting",
      ]),
    tests(
      "IntegrationTests",
      of: [
        "SwiftBoardTestSupport", "SwiftBoardRecording", "SwiftBoardBoard", "SwiftBoardFeatures",
        "SwiftBoardCommandLine", "SwiftBoardTesting", "SwiftBoardSystem",
      ],
      exclude: ["Recordings"]),
  ],
  swiftLanguageModes: [.v6]
)
