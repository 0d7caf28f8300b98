// swift-tools-version: 6.2
import PackageDescription

// Stands for any other package: its modules have the short names that SwiftBoard's do not take.
let package = Package(
  name: "neighbour",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Store", targets: ["Store"]),
    .library(name: "Dependencies", targets: ["Dependencies"]),
  ],
  targets: [.target(name: "Store"), .target(name: "Dependencies")],
  swiftLanguageModes: [.v6]
)
