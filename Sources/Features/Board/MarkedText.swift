import SwiftBoardCommandLine
import SwiftBoardDependencies

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Text in which a mark stands in the place of a secret is never passed on: what is stored or sent would not be what it seems.
enum MarkedText {
  /// - Throws: `UsageError` at the word that holds a mark; its code is that of malformed data.
  static func refuse(_ argument: Argument?) throws(UsageError) {
    guard let argument else { return }
    for case .text(let text) in argument.parts {
      guard let mark = RedactionMark.first(in: text) else { continue }
      let failure = failure(mark, in: "the text")
      throw UsageError(failure.message, help: failure.help, at: argument, code: failure.code)
    }
  }

  static func refuse(_ arguments: [Argument]) throws(UsageError) {
    for argument in arguments { try refuse(argument) }
  }

  /// - Parameter place: What holds the text, for the message.
  /// - Throws: `Failure` where the text holds a mark, also one of ASCII output with the name of a secret.
  static func refuse(_ text: String, in place: String, _ redactor: Redactor) throws {
    if let mark = RedactionMark.first(in: text) { throw failure(mark, in: place) }
    guard redactor.hasSecrets else { return }
    for name in RedactionMark.asciiNames(in: text) where redactor.knows(name) {
      throw failure(.secret(name: name), in: place)
    }
  }

  /// - Throws: `Failure` where the bytes hold a mark. No copy of them is made.
  static func refuse(_ bytes: Data, in place: String) throws {
    let mark = bytes.withUnsafeBytes { RedactionMark.first(in: $0.bindMemory(to: UInt8.self)) }
    if let mark { throw failure(mark, in: place) }
  }

  private static func failure(_ mark: RedactionMark.Kind, in place: String) -> Failure {
    switch mark {
    case .secret(let name):
      Failure(
        code: ExitCode.data, error: "maskedSecret",
        message: "\(place) holds the secret '\(name)' in place of its value",
        help: "select another part, write {{secret:\(name)}}, or use --out or --capture")
    case .redacted:
      Failure(
        code: ExitCode.data, error: "maskedSecret",
        message: "\(place) holds \(RedactionMark.redacted) in place of a value",
        help: "select another part, or use --out or --capture")
    }
  }
}
