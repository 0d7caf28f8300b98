import SwiftBoardSystem

/// What is known about the terminal; a snapshot except for the size, which is asked anew each time.
package struct Terminal: Sendable, Hashable {
  /// Whether standard input is one.
  package var isInputTerminal: Bool
  /// Whether standard output is one.
  package var isOutputTerminal: Bool
  /// Whether standard error is one.
  package var isErrorTerminal: Bool
  /// `TERM` is `dumb`, empty or not set: no escape sequence, no raw mode.
  var isDumb: Bool
  /// `NO_COLOR` is set and not empty.
  var hasNoColor: Bool
  /// `CLICOLOR_FORCE` is set, not empty and not `0`.
  var forcesColor: Bool
  /// The locale's characters are UTF-8.
  package var isUTF8: Bool
  private var columnsVariable: Int?
  private var linesVariable: Int?

  /// Looks at the three standard descriptors and the variables.
  package init(environment: [String: String]) {
    self.init(
      environment: environment, isInputTerminal: isatty(STDIN_FILENO) == 1,
      isOutputTerminal: isatty(STDOUT_FILENO) == 1, isErrorTerminal: isatty(STDERR_FILENO) == 1)
  }

  /// A terminal as given, for tests.
  package init(
    environment: [String: String], isInputTerminal: Bool, isOutputTerminal: Bool,
    isErrorTerminal: Bool
  ) {
    self.isInputTerminal = isInputTerminal
    self.isOutputTerminal = isOutputTerminal
    self.isErrorTerminal = isErrorTerminal
    isDumb = ["", "dumb"].contains(environment["TERM"] ?? "")
    hasNoColor = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    forcesColor = environment["CLICOLOR_FORCE"].map { !["", "0"].contains($0) } ?? false
    isUTF8 = Self.isUTF8Locale(environment)
    columnsVariable = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    linesVariable = environment["LINES"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Columns and rows: from the terminal, else from `COLUMNS` and `LINES`, else 80 by 24.
  package var size: (columns: Int, rows: Int) {
    var window = winsize()
    for descriptor in [STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO]
    where ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0 {
      return (Int(window.ws_col), max(1, Int(window.ws_row)))
    }
    return (columnsVariable ?? 80, linesVariable ?? 24)
  }

  /// The width for tables on standard output: `nil`, without limit, where it is no terminal.
  package var outputWidth: Int? { isOutputTerminal ? size.columns : nil }

  /// Whether to colour, on standard output or standard error: an explicit choice wins, then
  /// `NO_COLOR`, then `CLICOLOR_FORCE`, then whether it is a terminal that is not dumb.
  package func usesColor(_ mode: ProgramOptions.ColorMode, onError: Bool = false) -> Bool {
    switch mode {
    case .always: true
    case .never: false
    case .auto:
      !hasNoColor && (forcesColor || (!isDumb && (onError ? isErrorTerminal : isOutputTerminal)))
    }
  }

  /// Whether our own text on standard output must be ASCII: on request, off a terminal, without a
  /// UTF-8 locale.
  package func usesASCII(_ requested: Bool) -> Bool { requested || !isOutputTerminal || !isUTF8 }

  /// The first that is set and not empty of `LC_ALL`, `LC_CTYPE` and `LANG` names UTF-8.
  static func isUTF8Locale(_ environment: [String: String]) -> Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    guard let locale = names.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty })
    else { return false }
    let text = locale.lowercased()
    return text.contains("utf-8") || text.contains("utf8")
  }
}
