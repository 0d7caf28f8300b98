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
    // Without a `String`, which would be allocated.
    a.line == b.line
      && a.fileID.withUTF8Buffer { a in
        b.fileID.withUTF8Buffer { b in
          a.count == b.count && (a.baseAddress == b.baseAddress || a.elementsEqual(b))
        }
      }
  }

  /// Hashes the line.
  public func hash(into hasher: inout Hasher) {
    // The file ID would have to be converted to a string. Equal lines of two files are rare.
    hasher.combine(line)
  }
}
