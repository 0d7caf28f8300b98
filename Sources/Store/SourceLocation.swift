/// A place in the user's source, taken with `#fileID` and `#line`.
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
  public let fileID: StaticString
  public let line: UInt32

  @inlinable
  public init(fileID: StaticString = #fileID, line: UInt32 = #line) {
    self.fileID = fileID
    self.line = line
  }

  public var description: String { "\(fileID):\(line)" }

  public static func == (a: SourceLocation, b: SourceLocation) -> Bool {
    a.line == b.line && a.fileID.description == b.fileID.description
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(line)
    hasher.combine(fileID.description)
  }
}
