import SwiftBoardJSON

extension LiveReplay {
  /// The result of a run.
  public struct Report: Sendable, Hashable {
    /// The number of actions of `by.user` and `by.link` that were sent.
    public let sent: Int
    /// The number of steps that matched the recording.
    public let agreed: Int
    /// The first difference, or `nil` if all steps matched.
    public let difference: Difference?
  }

  /// The first step of the recording at which a live run differs.
  public enum Difference: Sendable, Hashable, CustomStringConvertible {
    /// Another action was reduced. `changes` are the first positions at which it differs, and `old`
    /// is the recorded value.
    case other(step: Int, expected: JSON, found: JSON, changes: StateDiff.Changes)
    /// The action was not sent before its effect ended or the patience ended. `notSent` is the name
    /// of the program that sent it to the recorded store, if the replay sends no actions of this
    /// program. It is `nil` for other senders. `wasUnderWay` is whether an effect sent it that was
    /// running when the recording began, of which no line of the recording is the cause.
    case missing(
      step: Int, expected: JSON, notSent: String? = nil, wasUnderWay: Bool = false)
    /// An effect sent an action that the recording does not have. In the run, the step returned
    /// more effects that send actions than in the recording.
    case additional(step: Int, found: JSON)

    /// The step of the recording. For `additional`, the step that returned the effect.
    public var step: Int {
      switch self {
      case .other(let step, _, _, _), .missing(let step, _, _, _), .additional(let step, _): step
      }
    }

    /// The step, with the recorded and the reduced value.
    public var description: String {
      switch self {
      case .other(let step, _, _, let changes):
        (["step \(step): the action is not the recorded one"]
          + changes.entries.map { change in
            let (expected, found) = StateDiff.excerpts(change.old, change.new)
            return "  \(change.path): expected \(expected), found \(found)"
          } + (changes.isTruncated ? ["  ... and more"] : [])).joined(separator: "\n")
      case .missing(let step, let expected, let notSent, let wasUnderWay):
        "step \(step): expected the action \(StateDiff.text(expected)), and nothing came"
          + (notSent.map(Self.hint) ?? "")
          + (wasUnderWay
            ? "\n  its effect was running when the recording began, and no line of it starts that"
            : "")
      case .additional(let step, let found):
        "step \(step): an effect sent the action \(StateDiff.text(found)), which is not recorded"
      }
    }

    /// Says why an action of a program was not sent.
    private static func hint(_ program: String) -> String {
      let sender =
        program.isEmpty
        ? "code that passed no origin to `send`, which is recorded as the program \"\""
        : "the program \"\(program)\""
      return "\n  it was sent by \(sender); only actions of `.user` and `.link` are sent again: "
        + "pass `sending: [\"\(program)\"]`, or an origin when recording"
    }
  }
}
