import SwiftBoardJSON

/// What a command shows, before it is known for whom.
public enum Presentation: Sendable, Hashable {
  /// Text of several lines perhaps; its controls are escaped when it is shown.
  case text(String)
  case table(columns: [Column], rows: [[String]])
  /// One thing, a name and a value a line.
  case record([Field])
  /// Shown indented at a terminal, else on one line.
  case json(JSON)
  case none

  /// A record of pairs.
  public static func fields(_ pairs: [(String, String)]) -> Presentation {
    .record(pairs.map { Field($0.0, $0.1) })
  }

  /// A column of a table.
  public struct Column: Sendable, Hashable {
    public enum Alignment: Sendable, Hashable { case left, right }

    public var name: String
    /// Where the width does not suffice, the column of the lowest priority goes first; of equal ones the last.
    public var priority: Int
    public var alignment: Alignment

    public init(_ name: String, priority: Int = 1, alignment: Alignment = .left) {
      self.name = name
      self.priority = priority
      self.alignment = alignment
    }
  }

  /// A line of a record.
  public struct Field: Sendable, Hashable {
    public var name: String
    public var value: String

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
