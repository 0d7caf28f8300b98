import SwiftBoardCommandLine
import SwiftBoardJSON
import SwiftBoardRecording

/// Pieces of text that several outcomes of `session` share.
enum SessionText {
  /// Seconds with six digits.
  static func seconds(_ microseconds: Int64) -> String {
    let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let digits = String(abs(rest))
    let sign = microseconds < 0 && whole == 0 ? "-" : ""
    return "\(sign)\(whole)." + String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// `1 step`, `2 steps`.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// Two values of a state, or of an action, each in about `limit` bytes around where they differ;
  /// what is left out is counted. In ASCII but for what is their own.
  static func values(_ old: JSON?, _ new: JSON?, limit: Int = 100) -> (old: String, new: String) {
    StateDiff.excerpts(old?.text, new?.text, limit: limit, mark: "...")
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
