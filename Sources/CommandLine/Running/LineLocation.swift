/// The origin of a line.
public struct LineLocation: Sendable, Hashable, CustomStringConvertible {
  /// The script's name as given; `nil` if there is none to name.
  public var file: String?
  /// From 1.
  public var line: Int

  /// A position; lines count from 1.
  public init(_ file: String?, line: Int) {
    self.file = file
    self.line = line
  }

  /// `demo.sb:7`, or `line 7`.
  public var description: String { file.map { "\($0):\(line)" } ?? "line \(line)" }
}
