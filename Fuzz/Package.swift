// swift-tools-version: 6.2
import PackageDescription

// Built by scripts/fuzz with `--sanitize fuzzer`, which gives the program its main function.
let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swiftboard", path: "..")],
  targets: [
    .executableTarget(
      name: "LogFuzzer",
      dependencies: [
        .product(name: "SwiftBoardRecording", package: "swiftboard"),
        .product(name: "SwiftBoardStore", package: "swiftboard"),
        .product(name: "SwiftBoardJSON", package: "swiftboard"),
      ],
      swiftSettings: [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .executableTarget(
      name: "EditorFuzzer",
      dependencies: [.product(name: "SwiftBoardCommandLine", package: "swiftboard")],
      swiftSettings: [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
  ],
  swiftLanguageModes: [.v6]
)
