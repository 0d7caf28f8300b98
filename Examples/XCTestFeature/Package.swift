// swift-tools-version: 6.2
import PackageDescription

// A feature whose tests are XCTest's: `swift test --package-path Examples/XCTestFeature`. Its
// program records the feature's store, verifies the recording and replays it.
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
      name: "boil",
      dependencies: [
        "EggTimer", .product(name: "SwiftBoardStore", package: "swiftboard"),
        .product(name: "SwiftBoardRecording", package: "swiftboard"),
      ],
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
