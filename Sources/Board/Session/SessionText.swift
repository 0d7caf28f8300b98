import SwiftBoardCommandLine
import SwiftBoardJSON
import SwiftBoardRecording

/// Text fragments that several outcomes of `session` share.
enum SessionText {
  /// Formats a time as seconds with six decimals.
  static func seconds(_ microseconds: Int64) -> String {
    let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let digits = String(abs(rest))
    let sign = microseconds < 0 && whole == 0 ? "-" : ""
    return "\(sign)\(whole)." + String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// Returns excerpts of two values of a state or an action, each about `limit` bytes around the
  /// difference. The number of omitted bytes is included. Only the values may contain non-ASCII
  /// characters.
  static func values(_ old: JSON?, _ new: JSON?, limit: Int = 100) -> (old: String, new: String) {
    StateDiff.excerpts(old?.text, new?.text, limit: limit)
  }

  /// Returns a line of a result with its line feed, broken where it is wider than `columns`. What a
  /// broken line goes on with is indented by two columns more.
  static func line(_ text: String, indent: Int = 0, columns: Int?) -> String {
    let start = String(repeating: " ", count: indent)
    let shown = escapeControls(text)
    guard let columns, DisplayWidth.of(shown) > columns - indent else {
      return start + text + "\n"
    }
    return start
      + DisplayWidth.lines(of: shown, fitting: max(1, columns - indent - 2))
      .joined(separator: "\n  " + start) + "\n"
  }

  static func json(_ origin: SessionStep.Origin?) -> JSON {
    switch origin {
    case nil: .null
    case .user(let line, let at): ["user": .string(line), "at": .string(at)]
    case .link(let link): ["link": .string(link)]
    case .program(let name): ["program": .string(name)]
    case .effect(let name, let id, let step):
      ["effect": .string(name), "id": id.map(JSON.string) ?? .null, "step": JSON(step)]
    }
  }
}
