/// What a program calls itself: in its help, its manual page and its completions, in front of
/// errors, in recordings, and in the folders of its files.
struct ProgramName: Sendable, Equatable {
  /// The word that starts it, for example `swiftboard`.
  let name: String
  /// Its version, or an empty text if it has none.
  let version: String

  /// - Parameter text: The name and the version, separated by a space.
  init(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    name = String(parts[0])
    version = parts.count > 1 ? String(parts[1]) : ""
  }

  /// The name, and the version if there is one.
  var title: String { version.isEmpty ? name : "\(name) \(version)" }
}
