import SwiftBoardCommandLine
import SwiftBoardDependencies

/// Refuses text that contains a mark. Storing or sending it would lose the secret that the mark
/// replaces.
package enum MarkedText {
  /// The board's own commands that store or run their words.
  private static let passing: Set<String> = ["open", "source"]

  /// - Parameter file: The destination of the command's output.
  /// - Throws: `UsageError` at the word that contains a mark, of the kind `malformedData`.
  static func refuse(
    _ words: [Argument], _ file: Argument?, _ features: FeatureList
  ) throws(UsageError) {
    let first = words.first?.text ?? ""
    let isPassedOn = passing.contains(first) || features[first]?.passesWordsOn == true
    let passed = isPassedOn ? words[1...] : []
    for word in passed + (file.map { [$0] } ?? []) {
      for case .text(let text) in word.parts {
        guard let mark = RedactionMark.first(inAnyFormIn: text) else { continue }
        let failure = failure(mark, in: "the text")
        throw UsageError(failure.message, help: failure.help, at: word, kind: .malformedData)
      }
    }
  }

  /// - Parameter location: The origin of the text, for the message.
  /// - Throws: `Failure` if the text contains a mark.
  package static func refuse(_ text: String, in location: String) throws {
    if let mark = RedactionMark.first(inAnyFormIn: text) { throw failure(mark, in: location) }
  }

  static func failure(_ mark: RedactionMark.Kind, in location: String) -> Failure {
    switch mark {
    case .secret(let name): Failure(.mark(secret: name, place: location))
    case .redacted: Failure(.mark(secret: nil, place: location))
    }
  }
}
