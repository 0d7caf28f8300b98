/// An error of parsing JSON.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The offset of the first wrong byte.
  public var offset: Int
  /// The line of that byte, from 1.
  public var line: Int
  /// The column of that byte in its line, from 1, counted in Unicode scalars.
  public var column: Int
  /// A message with the found and the expected value.
  public var message: String

  /// Creates an error at a known position.
  public init(offset: Int, line: Int, column: Int, message: String) {
    self.offset = offset
    self.line = line
    self.column = column
    self.message = message
  }

  /// Creates an error, and finds its line and column in one pass over the bytes before `offset`.
  init(at offset: Int, of bytes: UnsafeBufferPointer<UInt8>, message: String) {
    var line = 1
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    self.init(offset: offset, line: line, column: column, message: message)
  }

  /// The position for the reader of a message, such as `character 2`, or `row 3, character 2`
  /// behind the first row.
  package var place: String {
    (line > 1 ? "row \(line), " : "") + "character \(column)"
  }

  /// The position and the message.
  public var description: String { "line \(line), column \(column): \(message)" }
}
