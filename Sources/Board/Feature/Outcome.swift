import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// How a command ended, as a pure function of the step that ended it: what it shows, what
/// `{{last}}` is afterwards, and its exit code.
public struct Outcome: Sendable {
  /// The command that ended.
  public var job: Int
  /// Its exit code; 0 is success.
  public var status: Int32
  /// For `--json` and `{{last}}`.
  public var value: JSON
  /// For standard output.
  public var presentation: Presentation
  /// Lines for standard error.
  public var notes: [String]
  /// Lines for standard error before the notes, where `-v` asks for them.
  public var details: [String] = []
  /// Which marks in what it shows are the board's own, so that ASCII output writes them in its own
  /// way.
  public var marks = Marks.none
  /// Whether the command wrote what it shows itself, straight to standard output. A replay, which
  /// runs no command, shows it.
  public var isWrittenAlready = false
  /// `nil` if it succeeded, or is an answer that is no.
  public var failure: Failure?

  /// Marks in what a command shows.
  public enum Marks: Sendable, Equatable {
    /// What looks like a mark is data; every mark is the board's own; these are.
    case none, all, these([String])
  }

  /// Success. With another `status` it is an answer that is no, and that what it shows says well
  /// enough.
  public init(
    job: Int, value: JSON = .null, presentation: Presentation = .none, notes: [String] = []
  ) {
    self.job = job
    self.status = 0
    self.value = value
    self.presentation = presentation
    self.notes = notes
  }

  /// Failure, possibly with something to show nevertheless.
  public init(
    job: Int, failure: Failure, value: JSON = .null, presentation: Presentation = .none,
    notes: [String] = []
  ) {
    self.job = job
    self.status = failure.code
    self.value = value
    self.presentation = presentation
    self.notes = notes
    self.failure = failure
  }
}

extension Outcome {
  /// The same, of which any text may have marks.
  public var withMarks: Outcome {
    var outcome = self
    outcome.marks = .all
    return outcome
  }

  /// The same, and that marks replace values.
  public func masked(_ masked: MaskedValues?) -> Outcome {
    guard let masked else { return self }
    var outcome = self
    outcome.notes.append(masked.note)
    if outcome.marks == .none { outcome.marks = .these(masked.names.map(RedactionMark.named)) }
    return outcome
  }
}

package typealias Column = Presentation.Column

extension Timestamp {
  /// A time as text; one that no calendar has is shown as the beginning of 1970.
  package static func format(_ microseconds: Int64) -> String {
    text(microseconds: Int(microseconds)) ?? "1970-01-01T00:00:00.000000Z"
  }
}
