// swift-tools-version: 6.2
import PackageDescription

// A service of one's own, checked by the rules of its protocol, and a repository of values.
let package = Package(
  name: "own-services",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swiftboard", path: "../..")],
  targets: [
    .executableTarget(
      name: "services",
      dependencies: [
        .product(name: "SwiftBoardDependencies", package: "swiftboard"),
        .product(name: "SwiftBoardJSON", package: "swiftboard"),
        .product(name: "SwiftBoardServiceTesting", package: "swiftboard"),
        .product(name: "SwiftBoardTesting", package: "swiftboard"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
