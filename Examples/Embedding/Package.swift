// swift-tools-version: 6.2
import PackageDescription

// A tool of its own that uses the store alone, beside a package whose modules are called `Store`
// and `Dependencies`.
let package = Package(
  name: "embedding",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swiftboard", path: "../.."),
    .package(name: "neighbour", path: "Neighbour"),
  ],
  targets: [
    .executableTarget(
      name: "Downloads",
      dependencies: [
        .product(name: "SwiftBoardStore", package: "swiftboard"),
        .product(name: "Store", package: "neighbour"),
        .product(name: "Dependencies", package: "neighbour"),
      ],
      swiftSettings: [.treatAllWarnings(as: .error)])
  ],
  swiftLanguageModes: [.v6]
)
