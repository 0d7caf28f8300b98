import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// The outcome of a command, as a pure function of the step that ended it: its output, the next
/// value of `{{last}}`, and its exit code.
public struct Outcome: Sendable {
  /// The command that ended.
  public var job: Int
  /// Its exit code; 0 is success.
  public var status: Int32
  /// The value for `--json` and for `{{last}}`.
  public var value: JSON
  /// The value for `--json` if the command succeeded and shows only a part of `value`.
  public var selectedValue: JSON?
  /// The output for standard output.
  public var presentation: Presentation
  /// Lines for standard error.
  public var notes: [Note]
  /// A text for standard error after the output.
  public var afterword: String?
  /// Lines for standard error before the notes, printed with `-v`.
  public var details: [String] = []
  /// The marks in the output that the board inserted. ASCII output writes them in ASCII form.
  public var marks = Marks.none
  /// Whether the command has already written its output to standard output. A replay does not run
  /// the command, so it prints the output.
  public var isWrittenAlready = false
  /// Whether the command has a result of its own. A followed link has only that of its line.
  var hasResult = true
  /// Whether the value becomes `{{last}}`. The output of `help`, for example, does not.
  public var isRemembered = true
  /// The failure, or `nil` if the command succeeded or gave a negative answer.
  public var failure: Failure?

  /// The marks in the output that the board inserted.
  public enum Marks: Sendable, Equatable {
    /// No mark, because text that looks like a mark is data; every mark; or only the given marks.
    case none, all, these([String])
  }

  /// Creates a success. With a nonzero `status`, it is a negative answer that the output itself
  /// explains.
  public init(
    job: Int, value: JSON = .null, presentation: Presentation = .none, notes: [Note] = []
  ) {
    self.job = job
    self.status = 0
    self.value = value
    self.presentation = presentation
    self.notes = notes
  }

  /// Creates a failure, which may still have output.
  public init(
    job: Int, failure: Failure, value: JSON = .null, presentation: Presentation = .none,
    notes: [Note] = []
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
  /// Whether the command succeeded and has a value to remember. `null` is one if it is the output.
  var hasNewLast: Bool {
    status == 0 && isRemembered && (value != .null || presentation == .json(.null))
  }

  /// The outcome with every mark treated as inserted by the board.
  public var withMarks: Outcome {
    var outcome = self
    outcome.marks = .all
    return outcome
  }

  /// Returns the outcome with a warning about the values that marks replace.
  public func masked(_ masked: MaskedValues?) -> Outcome {
    guard let masked else { return self }
    var outcome = self
    outcome.notes.append(.warning(masked.note))
    if outcome.marks == .none { outcome.marks = .these(masked.names.map(RedactionMark.named)) }
    return outcome
  }
}

package typealias Column = Presentation.Column
