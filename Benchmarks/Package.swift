// swift-tools-version: 6.2
import PackageDescription

/// As in the package of the library.
let optimized: [SwiftSetting] =
  Context.environment["SWIFTBOARD_OPTIMIZED"] == nil
  ? []
  : [
    .unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2", "-disable-batch-mode"])
  ]

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swiftboard", path: "..")],
  targets: [
    .target(name: "CAllocations"),
    .target(name: "BenchmarkProcesses"),
    // What both programs that measure the store use. What runs in a step is inlinable, so that the
    // store is specialized for it as if it were in their modules.
    .target(
      name: "BenchmarkSupport",
      dependencies: [.product(name: "SwiftBoardStore", package: "swiftboard")],
      swiftSettings: optimized),
    .systemLibrary(
      name: "CSystemSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .systemLibrary(
      name: "CSystemSodium", pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .executableTarget(
      name: "StoreBenchmarks",
      dependencies: [
        "BenchmarkProcesses", "BenchmarkSupport", "CAllocations", "CSystemSQLite", "CSystemSodium",
        .product(name: "SwiftBoardStore", package: "swiftboard"),
        .product(name: "SwiftBoardJSON", package: "swiftboard"),
        .product(name: "SwiftBoardRecording", package: "swiftboard"),
        .product(name: "SwiftBoardDependencies", package: "swiftboard"),
      ]),
    // How often each kind of step allocates. Apart from the table, so that `make test` compiles it
    // alone.
    .executableTarget(
      name: "Allocations",
      dependencies: [
        "BenchmarkSupport", "CAllocations",
        .product(name: "SwiftBoardStore", package: "swiftboard"),
      ],
      swiftSettings: optimized),
    // The built program, from outside.
    .executableTarget(name: "BoardBenchmarks", dependencies: ["BenchmarkProcesses"]),
  ],
  swiftLanguageModes: [.v6]
)
