import SwiftBoardJSON

/// A line that decodes, but does not encode to the same JSON again.
public struct LogRisk: Sendable, Hashable, CustomStringConvertible {
  /// The number of the line, from 1.
  public let line: Int
  /// The step, or 0 for the state in the header.
  public internal(set) var step: Int
  /// The differences between the logged value, `old`, and the decoded one, `new`. A `nil` `new` was
  /// dropped, and a `nil` `old` was filled in by a default.
  public internal(set) var changes: [StateDiff.Change]
  /// The path of the line's file, if the recording has several files.
  public var file: String?

  /// The position of the line, and the values that were dropped or filled in.
  public var description: String {
    let what = step == 0 ? "the state" : "the action of step \(step)"
    let entries = changes.map { change in
      switch (change.old, change.new) {
      case (_?, nil): "\(change.path) is dropped (\(StateDiff.text(change.old)))"
      case (nil, _?): "\(change.path) is filled in with \(StateDiff.text(change.new))"
      default:
        "\(change.path) becomes \(StateDiff.text(change.new)), was \(StateDiff.text(change.old))"
      }
    }
    return
      "line \(line)\(file.map { " of \($0)" } ?? ""), \(what): \(entries.joined(separator: "; "))"
  }
}

/// A measure of how well a program can decode a log.
public enum LogGrade: Sendable, Hashable, CustomStringConvertible {
  /// Every line decodes, and encodes to the same JSON again.
  case fine
  /// Every line decodes, but values were dropped or filled in. At most 20 lines are named, and
  /// `more` is the number of others.
  case risky([LogRisk], more: Int)

  /// The grade, with the named lines.
  public var description: String {
    switch self {
    case .fine: return "fine"
    case .risky(let risks, let more):
      let lines =
        risks.map(\.description)
        + (more > 0 ? ["and \(more) more line\(more == 1 ? "" : "s")"] : [])
      return "risky: " + lines.joined(separator: "\n")
    }
  }
}

/// A line that does not decode: the log cannot be replayed by this program.
public struct LogDecodingFailure: Sendable, Hashable, CustomStringConvertible {
  /// The number of the line, from 1.
  public let line: Int
  /// The offset of the line, in bytes.
  public let offset: Int
  /// The step, or 0 for the state in the header.
  public internal(set) var step: Int
  /// The expected and the found value, with their path.
  public internal(set) var reason: String
  /// The logged value.
  public internal(set) var found: JSON
  /// The path of the line's file, if the recording has several files.
  public var file: String?

  /// The position of the line, the reason, and the found value.
  public var description: String {
    let what = step == 0 ? "the state" : "the action of step \(step)"
    return
      "line \(line)\(file.map { " of \($0)" } ?? ""), byte \(offset): \(what) does not decode: \(reason); found \(StateDiff.text(found))"
  }
}
