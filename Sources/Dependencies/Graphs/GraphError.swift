/// The reason why a graph was not shown.
public enum GraphError: Error, Sendable, Equatable {
  /// Graphviz, which draws it, is not installed.
  case notInstalled
  /// No program shows the picture, which is in this file.
  case noViewer(picture: String)
  /// A program failed, with its message.
  case failed(program: String, message: String)
  /// The picture could not be written.
  case file(FileError)
}
