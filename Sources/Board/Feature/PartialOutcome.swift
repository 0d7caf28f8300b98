import SwiftBoardCommandLine
import SwiftBoardJSON

/// Rows of a table that a command shows before it has ended, as a pure function of the step that
/// has them. Rows of any number are shown in parts, so that no step holds them all.
public struct PartialOutcome: Sendable {
  /// The command that shows them.
  public var job: Int
  /// The columns of the table: the same in all parts.
  public var columns: [Presentation.Column]
  /// As many cells as there are columns, each.
  public var rows: [[String]]
  /// The value of each row, for `--json`.
  public var values: [JSON]
  /// The values in whose place marks stand.
  public var masked: MaskedValues?
  /// The marks in the rows; those of `masked`, or none, unless it says so.
  public var marks: Outcome.Marks?

  /// Rows to show.
  public init(
    job: Int, columns: [Presentation.Column], rows: [[String]], values: [JSON],
    masked: MaskedValues? = nil, marks: Outcome.Marks? = nil
  ) {
    self.job = job
    self.columns = columns
    self.rows = rows
    self.values = values
    self.masked = masked
    self.marks = marks
  }
}
