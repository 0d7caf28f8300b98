import SwiftBoardCommandLine
import SwiftBoardJSON

/// Table rows that a command shows before it ends, as a pure function of the step that contains
/// them. A long table is shown in parts, so that no step holds all its rows.
public struct PartialOutcome: Sendable {
  /// The command that shows the rows.
  public var job: Int
  /// The columns of the table, the same in all parts.
  public var columns: [Presentation.Column]
  /// The rows, each with one cell per column.
  public var rows: [[String]]
  /// The value of each row, for `--json`.
  public var values: [JSON]
  /// The values that marks replace.
  public var masked: MaskedValues?
  /// The marks in the rows. If `nil`, those of `masked`.
  public var marks: Outcome.Marks?

  /// Creates a part of a table.
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
