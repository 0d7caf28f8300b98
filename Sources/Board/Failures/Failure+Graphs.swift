import SwiftBoardDependencies

extension Failure {
  /// The exit code of a graph that was not shown: 69, or that of the file error.
  public init(_ error: GraphError) {
    switch error {
    case .notInstalled:
      self.init(
        code: ExitCode.unavailable, error: "notInstalled",
        message: "the graph is drawn with Graphviz's 'dot', which is not installed",
        help: "install the package graphviz, or leave out --open: 'session graph' prints the text "
          + "that any program for Graphviz draws")
    case .noViewer(let picture):
      self.init(
        code: ExitCode.unavailable, error: "noViewer",
        message: "no program opens the picture \(picture)",
        help: "set BROWSER to a program that shows SVG, or install the package xdg-utils")
    case .failed(let program, let message):
      self.init(
        code: ExitCode.unavailable, error: "viewerFailed",
        message: "'\(program)' failed: \(message)",
        help: "'session graph' without --open prints the text of the graph")
    case .file(let error): self.init(error)
    }
  }
}
