// swift-tools-version: 6.2
import PackageDescription

// A feature whose tests are XCTest's: `swift test --package-path Examples/XCTestFeature`.
let package = Package(
  name: "xctest-feature",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swiftboard", path: "../..")],
  targets: [
    .target(
      name: "EggTimer",
      dependencies: [.product(name: "SwiftBoardStore", package: "swiftboard")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "boil", dependencies: ["EggTimer"],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .testTarget(
      name: "EggTimerTests",
      dependencies: [
        "EggTimer", .product(name: "SwiftBoardTesting", package: "swiftboard"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ],
  swiftLanguageModes: [.v6]
)
