/// A location in the source of a test, in the forms that test frameworks use.
public struct TestLocation: Sendable, Hashable, CustomStringConvertible {
  /// The path in the form of `#filePath`, for XCTest.
  public let file: StaticString
  /// The line number, from 1.
  public let line: Int
  /// The column number, from 1.
  public let column: Int
  private let id: StaticString

  /// Creates the location of the caller. Its text is created on demand.
  public init(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    id = fileID
    file = filePath
    self.line = line
    self.column = column
  }

  /// The module and file, in the form of `#fileID`.
  public var fileID: String { id.description }
  /// The path in the form of `#filePath`.
  public var filePath: String { file.description }
  /// The module, file and line.
  public var description: String { "\(id):\(line)" }

  /// Compares all properties.
  ///
  /// - Complexity: O(length of the paths).
  public static func == (a: TestLocation, b: TestLocation) -> Bool {
    a.line == b.line && a.column == b.column && a.fileID == b.fileID && a.filePath == b.filePath
  }

  /// Hashes the compared properties except the path.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(line)
    hasher.combine(column)
    hasher.combine(fileID)
  }
}
