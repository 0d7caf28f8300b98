import SwiftBoardDependencies

extension Redactor {
  /// The note about a secret that is too short for redaction.
  static let noteOnShortValue =
    "the value is shorter than \(shortestValue) bytes: it is not recognised, and not masked, where it is repeated"
}
