/// The origin of a line.
public struct LineLocation: Sendable, Hashable, CustomStringConvertible {
  /// The script's name as given, or `nil` if there is none.
  public var file: String?
  /// The number of the line, from 1.
  public var line: Int

  /// Creates a location. Lines count from 1.
  public init(_ file: String?, line: Int) {
    self.file = file
    self.line = line
  }

  /// The location as text: `demo.sb:7`, or `line 7`.
  public var description: String { file.map { "\($0):\(line)" } ?? "line \(line)" }
}
