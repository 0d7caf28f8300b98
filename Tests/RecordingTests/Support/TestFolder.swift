import SwiftBoardTestSupport

/// The folder of this target's tests.
enum TestFolder {
  static let path = "\(SourceTree.root)/Tests/RecordingTests"
}

/// Recordings that are kept beside the tests.
enum Logs {
  static func path(_ name: String) -> String { TestFolder.path + "/Logs/" + name }
}
