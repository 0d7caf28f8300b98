// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swiftboard", path: "..")],
  targets: [
    .target(name: "CAllocations"),
    .systemLibrary(
      name: "CSystemSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .systemLibrary(
      name: "CSystemSodium", pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .executableTarget(
      name: "StoreBenchmarks",
      dependencies: [
        "CAllocations", "CSystemSQLite", "CSystemSodium",
        .product(name: "SwiftBoardStore", package: "swiftboard"),
        .product(name: "SwiftBoardJSON", package: "swiftboard"),
        .product(name: "SwiftBoardRecording", package: "swiftboard"),
        .product(name: "SwiftBoardDependencies", package: "swiftboard"),
      ]),
    // The built program, from outside.
    .executableTarget(name: "BoardBenchmarks"),
  ],
  swiftLanguageModes: [.v6]
)
