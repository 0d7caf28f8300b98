/// A location in the user's source, taken with `#fileID` and `#line`.
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
  /// Module and file, as `#fileID` gives them.
  public let fileID: StaticString
  /// From 1.
  public let line: UInt32

  /// The line that calls it, where nothing is passed. 24 bytes, no allocation: the text is the
  /// compiler's.
  @inlinable
  public init(fileID: StaticString = #fileID, line: UInt32 = #line) {
    self.fileID = fileID
    self.line = line
  }

  public var description: String { "\(fileID):\(line)" }

  /// Equal by content: O(length of the file ID).
  public static func == (a: SourceLocation, b: SourceLocation) -> Bool {
    a.line == b.line && a.fileID.description == b.fileID.description
  }

  public func hash(into hasher: inout Hasher) {
    // Without the file ID, of which a string would have to be made: equal lines of two files are
    // rare.
    hasher.combine(line)
  }
}
