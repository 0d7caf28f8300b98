import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardSystem

/// Text in which a mark replaces a secret is never passed on: what is stored or sent would not be
/// what it seems.
package enum MarkedText {
  /// Commands of the board itself that pass on what their words say.
  private static let passing: Set<String> = ["open", "source"]

  /// - Parameter file: Where the command's output goes.
  /// - Throws: `UsageError` at the word that holds a mark; its code is that of malformed data.
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
        throw UsageError(failure.message, help: failure.help, at: word, code: failure.code)
      }
    }
  }

  /// - Parameter location: What holds the text, for the message.
  /// - Throws: `Failure` where the text holds a mark.
  package static func refuse(_ text: String, in location: String) throws {
    if let mark = RedactionMark.first(inAnyFormIn: text) { throw failure(mark, in: location) }
  }

  /// - Throws: `Failure` where the bytes hold a mark. No copy of them is made.
  package static func refuse(_ bytes: Data, in location: String) throws {
    let mark = bytes.withUnsafeBytes { RedactionMark.first(in: $0.bindMemory(to: UInt8.self)) }
    if let mark { throw failure(mark, in: location) }
  }

  private static func failure(_ mark: RedactionMark.Kind, in location: String) -> Failure {
    switch mark {
    case .secret(let name):
      Failure(
        code: ExitCode.data, error: "maskedSecret",
        message: "\(location) holds the secret '\(name)' in place of its value",
        help: "select another part, write {{secret:\(name)}}, or use --out or --capture")
    case .redacted:
      Failure(
        code: ExitCode.data, error: "maskedSecret",
        message: "\(location) holds \(RedactionMark.redacted) in place of a value",
        help: "select another part, or use --out or --capture")
    }
  }
}
