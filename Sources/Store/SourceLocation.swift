/// A location in the user's source, taken with `#fileID` and `#line`.
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
  /// The module and file, as `#fileID` returns them.
  public let fileID: StaticString
  /// The line number, from 1.
  public let line: UInt32

  /// Creates a location, by default that of the calling line. Its size is 24 bytes. It allocates
  /// nothing, because the text is static.
  @inlinable
  public init(fileID: StaticString = #fileID, line: UInt32 = #line) {
    self.fileID = fileID
    self.line = line
  }

  /// The file and the line, for example `Module/File.swift:7`.
  public var description: String { "\(fileID):\(line)" }

  /// Returns whether the contents are equal. O(length of the file ID).
  public static func == (a: SourceLocation, b: SourceLocation) -> Bool {
    a.line == b.line && contents(a.fileID, equal: b.fileID)
  }

  /// Compares without a `String`, which would be allocated.
  private static func contents(_ a: StaticString, equal b: StaticString) -> Bool {
    guard a.hasPointerRepresentation, b.hasPointerRepresentation else {
      return a.description == b.description
    }
    guard a.utf8CodeUnitCount == b.utf8CodeUnitCount else { return false }
    return a.utf8Start == b.utf8Start
      || UnsafeBufferPointer(start: a.utf8Start, count: a.utf8CodeUnitCount)
        .elementsEqual(UnsafeBufferPointer(start: b.utf8Start, count: b.utf8CodeUnitCount))
  }

  /// Hashes the line.
  public func hash(into hasher: inout Hasher) {
    // The file ID would have to be converted to a string. Equal lines of two files are rare.
    hasher.combine(line)
  }
}
