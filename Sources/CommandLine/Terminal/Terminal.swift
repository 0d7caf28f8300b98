import SwiftBoardSystem

/// The properties of the terminal. They are a snapshot, except for the size, which is queried each
/// time.
package struct Terminal: Sendable, Hashable {
  /// Whether standard input is a terminal.
  package var isInputTerminal: Bool
  /// Whether standard output is a terminal.
  package var isOutputTerminal: Bool
  /// Whether standard error is a terminal.
  package var isErrorTerminal: Bool
  /// Whether `TERM` is `dumb`, empty or not set: no escape sequences and no raw mode.
  package var isDumb: Bool
  /// Whether `NO_COLOR` is set and not empty.
  var hasNoColor: Bool
  /// Whether `CLICOLOR_FORCE` is set, not empty and not `0`.
  var forcesColor: Bool
  /// Whether the locale's encoding is UTF-8.
  package var isUTF8: Bool
  private var columnsVariable: Int?
  private var linesVariable: Int?

  /// Inspects the three standard descriptors and the environment variables.
  package init(environment: [String: String]) {
    self.init(
      environment: environment, isInputTerminal: isatty(STDIN_FILENO) == 1,
      isOutputTerminal: isatty(STDOUT_FILENO) == 1, isErrorTerminal: isatty(STDERR_FILENO) == 1)
  }

  /// Creates a terminal with given properties, for tests.
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

  /// Whether lines can be edited with escape sequences: input and standard error are terminals that
  /// are not dumb.
  package var canEditLines: Bool { isInputTerminal && isErrorTerminal && !isDumb }

  /// The size in columns and rows: from the terminal, else from `COLUMNS` and `LINES`, else 80 by
  /// 24.
  package var size: (columns: Int, rows: Int) {
    var window = winsize()
    for descriptor in [STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO]
    where ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0 {
      return (Int(window.ws_col), max(1, Int(window.ws_row)))
    }
    return (columnsVariable ?? 80, linesVariable ?? 24)
  }

  /// The width for tables on standard output, or `nil`, without a limit, if it is not a terminal.
  package var outputWidth: Int? { isOutputTerminal ? size.columns : nil }

  /// Returns whether to use colors on standard output or standard error. An explicit choice takes
  /// precedence, then `NO_COLOR`, then `CLICOLOR_FORCE`, then whether it is a terminal that is not
  /// dumb.
  package func usesColor(_ mode: ColorMode, onError: Bool = false) -> Bool {
    switch mode {
    case .always: true
    case .never: false
    case .auto:
      !hasNoColor && (forcesColor || (!isDumb && (onError ? isErrorTerminal : isOutputTerminal)))
    }
  }

  /// Returns whether the program's own text on standard output must be ASCII: if requested, if it
  /// is not a terminal, or if the locale is not UTF-8.
  package func usesASCII(_ requested: Bool) -> Bool { requested || !isOutputTerminal || !isUTF8 }

  /// Returns whether the first nonempty variable of `LC_ALL`, `LC_CTYPE` and `LANG` names UTF-8.
  static func isUTF8Locale(_ environment: [String: String]) -> Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    guard let locale = names.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty })
    else { return false }
    // The encoding is between a dot and a modifier: `de_DE.UTF-8@euro`.
    let name = locale.prefix { $0 != "@" }
    return ["utf-8", "utf8"].contains(name.split(separator: ".").last?.lowercased())
  }
}
