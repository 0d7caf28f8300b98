import SwiftBoardJSON

/// The output of a command, independent of its format.
public enum Presentation: Sendable, Hashable {
  /// Text, possibly of several lines. Control characters are escaped when it is printed.
  case text(String)
  /// Text like `text`, whose parts have styles.
  case styled(StyledText)
  /// Bytes that are written unchanged in every format except JSON, which prints the value.
  case bytes([UInt8])
  /// Rows with one cell per column. Control characters in cells are escaped when they are printed.
  case table(columns: [Column], rows: [[String]])
  /// A record with one name and value per line.
  case record([Field])
  /// JSON, indented at a terminal and otherwise on one line.
  case json(JSON)
  /// No output. JSON output still has a line.
  case none

  /// Creates a record from pairs.
  public static func fields(_ pairs: [(String, String)]) -> Presentation {
    .record(pairs.map { Field($0.0, $0.1) })
  }

  /// A column of a table.
  public struct Column: Sendable, Hashable {
    /// The alignment of a column's cells. Numbers are aligned to the right, and never cut.
    public enum Alignment: Sendable, Hashable {
      /// The side that the cells begin or end at.
      case left, right
    }

    /// The header.
    public var name: String
    /// The priority. If the width is not sufficient, the column with the lowest priority is removed
    /// first, and of equal ones the last.
    public var priority: Int
    /// The alignment of cells and header.
    public var alignment: Alignment
    /// Whether cells that are wider than the column go on below, instead of being cut. Such a
    /// column gets what the others leave.
    public var isFolded: Bool
    /// Whether the cells are identifiers, such as ids and names of services, which are typed in
    /// other commands. Such a column is neither cut nor removed.
    public var isIdentifier: Bool
    /// The width below which the column is not cut, and with which it is not removed, for a column
    /// of which only some cells are identifiers.
    public var leastWidth: Int

    /// Creates a column.
    ///
    /// - Parameters:
    ///   - priority: Columns with a lower priority are removed first if the width is not
    ///     sufficient.
    ///   - isFolded: Whether wide cells go on below, instead of being cut.
    ///   - isIdentifier: Whether the cells are neither cut nor removed, whatever the priority.
    ///   - leastWidth: The width of the widest cell that is neither cut nor removed.
    public init(
      _ name: String, priority: Int = 1, alignment: Alignment = .left, isFolded: Bool = false,
      isIdentifier: Bool = false, leastWidth: Int = 0
    ) {
      self.name = name
      self.priority = priority
      self.alignment = alignment
      self.isFolded = isFolded
      self.isIdentifier = isIdentifier
      self.leastWidth = leastWidth
    }
  }

  /// A line of a record.
  public struct Field: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value, on one or more lines. Control characters are escaped when it is printed.
    public var value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }
}

/// The format of results.
public enum OutputFormat: String, Sendable, Hashable, CaseIterable, Codable {
  /// Text for reading.
  case table
  /// One JSON value per command, on one line.
  case json
  /// Cells separated by tabs, without a header.
  case plain
  /// CSV according to RFC 4180, with a header.
  case csv
}
