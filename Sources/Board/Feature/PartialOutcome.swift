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
  public var rows: [[String]] { makeRows() }
  /// The value of each row, for `--json`.
  public var values: [JSON] { makeValues() }
  /// The values in whose place marks stand.
  public var masked: MaskedValues?
  /// The marks in the rows; those of `masked`, or none, unless it says so.
  public var marks: Outcome.Marks?
  private let makeRows: @Sendable () -> [[String]]
  private let makeValues: @Sendable () -> [JSON]

  /// Rows to show. Of `rows` and `values` only what the format of the output needs is evaluated.
  public init(
    job: Int, columns: [Presentation.Column],
    rows: @autoclosure @escaping @Sendable () -> [[String]],
    values: @autoclosure @escaping @Sendable () -> [JSON],
    masked: MaskedValues? = nil, marks: Outcome.Marks? = nil
  ) {
    self.job = job
    self.columns = columns
    makeRows = rows
    makeValues = values
    self.masked = masked
    self.marks = marks
  }
}
