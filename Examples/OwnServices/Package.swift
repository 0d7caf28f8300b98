// swift-tools-version: 6.2
import PackageDescription

// A tool that uses the services with implementations and commands of its own.
let package = Package(
  name: "own-services",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swiftboard", path: "../..")],
  targets: [
    .executableTarget(
      name: "pulse",
      dependencies: [
        .product(name: "SwiftBoardStore", package: "swiftboard"),
        .product(name: "SwiftBoardDependencies", package: "swiftboard"),
        .product(name: "SwiftBoardCommandLine", package: "swiftboard"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
