import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// Table rows that a command shows before it ends, as a pure function of the step that contains
/// them. A long table is shown in parts, so that no step holds all its rows.
public struct PartialOutcome: Sendable {
  /// The command that shows the rows.
  public var job: Int
  /// The columns of the table, the same in all parts.
  public var columns: [Presentation.Column]
  /// The rows, each with one cell per column.
  public var rows: [[String]] { makeRows() }
  /// The value of each row, for `--json`.
  public var values: [JSON] { makeValues() }
  /// The values that marks replace.
  public var masked: MaskedValues?
  /// The marks in the rows. If `nil`, those of `masked`.
  public var marks: Outcome.Marks?
  private let makeRows: @Sendable () -> [[String]]
  private let makeValues: @Sendable () -> [JSON]

  /// Creates a part of a table. `rows` or `values` is evaluated only if the output format needs it.
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
