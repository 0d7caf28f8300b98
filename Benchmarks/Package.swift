// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swiftboard", path: "..")],
  targets: [
    .executableTarget(
      name: "StoreBenchmarks",
      dependencies: [.product(name: "SwiftBoardStore", package: "swiftboard")])
  ],
  swiftLanguageModes: [.v6]
)
