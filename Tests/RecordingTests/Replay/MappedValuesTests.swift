import SwiftBoardJSON
import SwiftBoardStore
import Testing

@testable import SwiftBoardRecording

/// Errors and warnings whose values are replaced before they are shortened.
struct MappedValuesTests {
  private static let secret = "Zq7XkP2mW9vB4nR8tL5cJ3hG6fD1sAyUeIoQwErTy"
  /// A text with the secret across the place at which messages cut.
  private static let long = String(repeating: "y", count: 180) + secret + secret

  private static func masked(_ value: JSON) -> JSON {
    switch value {
    case .string(let text): .string(text.replacing(secret, with: "***"))
    case .array(let elements): .array(elements.map(masked))
    case .object(let members): .object(members.map { .init($0.key, masked($0.value)) })
    default: value
    }
  }

  private static func divergence(_ value: JSON) -> Divergence {
    Divergence(
      step: 1, line: 2, offset: 3, origin: .program("test"), action: value,
      differences: [
        .digest(
          expected: Digest(of: []), found: Digest(of: [1]),
          changes: [.init(path: "a", old: value, new: nil)], since: nil)
      ])
  }

  @Test("a replaced value is whole when it is replaced, and shortened afterwards")
  func errors() {
    let value = JSON.object([.init("set", .string(Self.long))])
    let risk = LogRisk(line: 1, step: 1, changes: [.init(path: "a", old: value, new: nil)])
    let errors: [ReplayError] = [
      .diverged(Self.divergence(value)), .unreachable(step: 3, Self.divergence(value)),
      .risky(.risky([risk], more: 0)), .noMark(String(Self.long.dropFirst(120))),
      .impossible(
        LogDecodingFailure(line: 1, offset: 0, step: 1, reason: "expected b", found: value)),
      .unreadable(.fault("a", expected: "b", found: .value(.string(Self.secret + Self.secret)))),
      .unreadable(
        .file(path: "f", .fault("a", expected: "b", found: .endOfLine(Array(Self.long.utf8))))),
    ]
    for error in errors {
      #expect(error.description.contains("Zq7X") || error.description.contains("wErTy"), "\(error)")
      let masked = error.mapValues(Self.masked).description
      #expect(masked.contains("***") || masked.contains("yyy..."), "\(masked)")
      #expect(!masked.contains("Zq7X") && !masked.contains("wErTy"), "\(masked)")
      #expect(error.mapValues { $0 }.description == error.description)
    }
    let warning = LogWarning.unknownKind(Self.long, line: 1).mapValues(Self.masked)
    #expect(warning.description.contains("yyy... ("))
  }

  @Test("the reason of a decoder loses its part of a value that is replaced")
  func reason() {
    let failure = LogDecodingFailure(
      line: 1, offset: 0, step: 1,
      reason: "a: found the string \"\(Self.secret.prefix(40))...\", expected a number",
      found: .object([.init("a", .string(Self.secret))]))
    let masked = failure.mapValues(Self.masked)
    #expect(masked.reason == "a: expected a number")
    #expect(failure.mapValues { $0 }.reason == failure.reason)
  }

  @Test("a mapped damage keeps its text and not its line")
  func memory() {
    let line = Array(String(repeating: "é", count: 1000).utf8)
    let error = LogReadError.fault("a", expected: "b", found: .endOfLine(line))
    guard case .damage(let damage) = error.mapValues({ $0 }), case .words = damage.content else {
      Issue.record("\(error)")
      return
    }
    #expect(error.mapValues { $0 } == error)
  }
}
