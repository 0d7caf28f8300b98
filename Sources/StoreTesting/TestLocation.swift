/// A location in a test's source, in the forms that test frameworks take.
public struct TestLocation: Sendable, Hashable, CustomStringConvertible {
  /// The path as `#filePath` gives it: what XCTest takes.
  public let file: StaticString
  /// From 1.
  public let line: Int
  /// From 1.
  public let column: Int
  private let id: StaticString

  /// The caller's location. Its text is made when it is first requested.
  public init(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    id = fileID
    file = filePath
    self.line = line
    self.column = column
  }

  /// Module and file, as `#fileID` gives them.
  public var fileID: String { id.description }
  /// The path as `#filePath` gives it.
  public var filePath: String { file.description }
  /// Module, file and line.
  public var description: String { "\(id):\(line)" }

  /// Equal by content: O(length of the paths).
  public static func == (a: TestLocation, b: TestLocation) -> Bool {
    a.line == b.line && a.column == b.column && a.fileID == b.fileID && a.filePath == b.filePath
  }

  /// Hashes what equality compares, but for the path.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(line)
    hasher.combine(column)
    hasher.combine(fileID)
  }
}
