import SwiftBoardSystem

/// Maps scalars to lines and columns in characters.
struct TextLocations: Sendable {
  private let lineStarts: [Int]
  /// The column of every scalar and of the end. It is `nil` for ASCII text, where a column is the
  /// distance from the line's start.
  private let columns: [Int32]?
  private let count: Int

  init(_ scalars: [Unicode.Scalar]) {
    var starts = [0]
    var isASCII = true
    for (index, scalar) in scalars.enumerated() {
      if scalar == "\n" { starts.append(index + 1) }
      if !scalar.isASCII { isASCII = false }
    }
    lineStarts = starts
    count = scalars.count
    guard !isASCII else {
      columns = nil
      return
    }
    var columns: [Int32] = []
    columns.reserveCapacity(scalars.count + 1)
    var column: Int32 = 1
    for character in String(scalars: scalars) {
      for _ in character.unicodeScalars { columns.append(column) }
      // "\r\n" is one character that ends a line.
      column = character.unicodeScalars.last == "\n" ? 1 : column + 1
    }
    columns.append(column)
    self.columns = columns
  }

  /// Returns the line offset from 0 and the column from 1. `position` may be the end.
  func location(_ position: Int) -> (lineOffset: Int, column: Int) {
    let line = lineStarts.partitioningIndex { $0 > position } - 1
    guard let columns else { return (line, position - lineStarts[line] + 1) }
    return (line, Int(columns[min(position, columns.count - 1)]))
  }

  /// Returns the column just after the last character of a line.
  func lineEndColumn(_ line: Int) -> Int {
    let end = line + 1 < lineStarts.count ? lineStarts[line + 1] - 1 : count
    return location(end).column
  }
}
