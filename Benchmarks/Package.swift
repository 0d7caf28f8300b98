// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swiftboard", path: "..")],
  targets: [
    .target(name: "CAllocations"),
    .executableTarget(
      name: "StoreBenchmarks",
      dependencies: [
        "CAllocations",
        .product(name: "SwiftBoardStore", package: "swiftboard"),
        .product(name: "SwiftBoardRecording", package: "swiftboard"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
