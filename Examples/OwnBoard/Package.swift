// swift-tools-version: 6.2
import PackageDescription

// A board with a feature of its own, on services of its own.
let package = Package(
  name: "own-board",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swiftboard", path: "../..")],
  targets: [
    .executableTarget(
      name: "pulse",
      dependencies: [
        .product(name: "SwiftBoardStore", package: "swiftboard"),
        .product(name: "SwiftBoardDependencies", package: "swiftboard"),
        .product(name: "SwiftBoardCommandLine", package: "swiftboard"),
        .product(name: "SwiftBoardJSON", package: "swiftboard"),
        .product(name: "SwiftBoardRecording", package: "swiftboard"),
        .product(name: "SwiftBoardBoard", package: "swiftboard"),
        .product(name: "SwiftBoardFeatures", package: "swiftboard"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
