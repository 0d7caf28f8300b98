import SwiftBoardJSON

/// The output of a command, independent of its format.
public enum Presentation: Sendable, Hashable {
  /// Text of several lines perhaps; its controls are escaped when it is shown.
  case text(String)
  /// Bytes that are written as they are, whatever the format; in JSON the value stands for them.
  case bytes([UInt8])
  /// Rows of as many cells as there are columns. Controls in cells are escaped when they are shown.
  case table(columns: [Column], rows: [[String]])
  /// One thing, a name and a value a line.
  case record([Field])
  /// Shown indented at a terminal, else on one line.
  case json(JSON)
  /// Nothing to show; in JSON there is a line nevertheless.
  case none

  /// A record of pairs.
  public static func fields(_ pairs: [(String, String)]) -> Presentation {
    .record(pairs.map { Field($0.0, $0.1) })
  }

  /// A column of a table.
  public struct Column: Sendable, Hashable {
    /// To which side a column's cells are moved; numbers go to the right.
    public enum Alignment: Sendable, Hashable { case left, right }

    /// The header, as it is shown.
    public var name: String
    /// If the width does not suffice, the column of the lowest priority is removed first; of equal
    /// ones the last.
    public var priority: Int
    /// To which side cells and header go.
    public var alignment: Alignment

    /// A column.
    ///
    /// - Parameter priority: Higher ones stay longer where the width does not suffice.
    public init(_ name: String, priority: Int = 1, alignment: Alignment = .left) {
      self.name = name
      self.priority = priority
      self.alignment = alignment
    }
  }

  /// A line of a record.
  public struct Field: Sendable, Hashable {
    /// What precedes the value.
    public var name: String
    /// One line or several; controls are escaped when it is shown.
    public var value: String

    /// A line of a record.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }
}

/// How results are written.
public enum OutputFormat: String, Sendable, Hashable, CaseIterable, Codable {
  /// For people.
  case table
  /// One JSON value a command, on one line.
  case json
  /// Cells between tabs, no header.
  case plain
  /// RFC 4180, with a header.
  case csv
}
