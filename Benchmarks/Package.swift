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
    .executableTarget(
      name: "StoreBenchmarks",
      dependencies: [
        "CAllocations", "CSystemSQLite",
        .product(name: "SwiftBoardStore", package: "swiftboard"),
        .product(name: "SwiftBoardJSON", package: "swiftboard"),
        .product(name: "SwiftBoardRecording", package: "swiftboard"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
