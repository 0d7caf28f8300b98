import SwiftBoardCommandLine
import SwiftBoardJSON

/// The expansion of the words of a command into arguments. It replaces variables and `{{last}}` by
/// their values at the start of the command.
struct LineExpansion {
  private let variables: [String: String]
  private let last: JSON?
  private let scriptArguments: [String]

  /// Creates an expansion with the variables and the last value of a state.
  ///
  /// - Parameter scriptArguments: The values of `$1`, `$2` and so on.
  init(_ shell: ShellState, scriptArguments: [String]) {
    variables = shell.variables
    last = shell.last.flatMap { try? JSON(parsing: $0) }
    self.scriptArguments = scriptArguments
  }

  func arguments(_ words: [Word]) throws(UsageError) -> [Argument] {
    var arguments: [Argument] = []
    for word in words { arguments.append(try argument(word)) }
    return arguments
  }

  func argument(_ word: Word) throws(UsageError) -> Argument {
    try refuseEncodedBody(word)
    return try word.expanded(variables: variable, last: value)
  }

  private func variable(_ name: String) -> String? {
    if let number = Int(name), number >= 1 {
      return number <= scriptArguments.count ? scriptArguments[number - 1] : nil
    }
    return variables[name]
  }

  private func value(at path: String) -> JSON? {
    guard let last else { return nil }
    if path.isEmpty { return last }
    guard let path = try? JSONPath(parsing: path) else { return nil }
    return last.value(at: path)
  }

  /// Rejects a word with a body that is not text.
  private func refuseEncodedBody(_ word: Word) throws(UsageError) {
    guard let last else { return }
    for case .last(let path, _) in word.segments where EncodedBody.isPart(path, of: last) {
      throw UsageError(
        "the body of the last answer is not text and cannot be put into a line",
        help: "write it to a file with --out FILE, and send that with @FILE", column: word.column,
        length: max(1, word.length), lineOffset: word.lineOffset, code: ExitCode.data)
    }
  }
}
