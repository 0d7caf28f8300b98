/// The folder of this target's tests, wherever in it the source files lie.
enum TestFolder {
  static let path: String = {
    var parts = #filePath.split(separator: "/")
    while let last = parts.last, last != "RecordingTests" { parts.removeLast() }
    return parts.map { "/" + $0 }.joined()
  }()
}

/// Recordings that are kept beside the tests.
enum Logs {
  static func path(_ name: String) -> String { TestFolder.path + "/Logs/" + name }
}
