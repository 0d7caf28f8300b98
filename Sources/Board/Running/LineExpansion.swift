import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// The expansion of the words of a command into arguments. It replaces variables and `{{last}}` by
/// their values at the start of the command.
struct LineExpansion {
  private let variables: [String: StateText]
  private let lastText: StateText?
  /// The last value. It is parsed for the first word that contains a part of it, as few do.
  private lazy var last = lastText?.text.flatMap { try? JSON(parsing: $0) }
  private let lastIsInParts: Bool
  private let scriptArguments: [String]
  private let userHome: String?

  /// Creates an expansion with the variables and the last value of a state.
  ///
  /// - Parameters:
  ///   - lastIsInParts: Whether the last command wrote a list in parts, whose rows are not kept.
  ///   - scriptArguments: The values of `$1`, `$2` and so on.
  ///   - userHome: The folder that `~/` at the start of a file's name is below, or `nil` if it is
  ///     a part of the name.
  init(
    _ shell: ShellState, lastIsInParts: Bool = false, scriptArguments: [String],
    userHome: String? = nil
  ) {
    self.userHome = userHome
    self.lastIsInParts = lastIsInParts
    variables = shell.variables
    lastText = shell.last
    self.scriptArguments = scriptArguments
  }

  mutating func arguments(_ words: [Word]) throws(UsageError) -> [Argument] {
    var arguments: [Argument] = []
    for word in words { arguments.append(try argument(word)) }
    return arguments
  }

  mutating func argument(_ word: Word) throws(UsageError) -> Argument {
    let usesLast = word.segments.contains { if case .last = $0 { true } else { false } }
    let last = usesLast ? last : nil
    try Self.refuseEncodedBody(word, last)
    try refuseRows(word, last)
    try refuseAbsentText(word)
    var argument = try word.expanded(variables: variable) { Self.value(at: $0, in: last) }
    if word.mayNameHome { argument.home = userHome }
    return argument
  }

  private func variable(_ name: String) -> String? {
    if let number = Int(name), number >= 1 {
      return number <= scriptArguments.count ? scriptArguments[number - 1] : nil
    }
    return variables[name]?.text
  }

  /// Rejects a word with a long text that is in another recording: the state that this session has
  /// taken from it has only the length of the text.
  private func refuseAbsentText(_ word: Word) throws(UsageError) {
    for segment in word.segments {
      let (name, text): (String, StateText?) =
        switch segment {
        case .variable(let name, _): ("the variable '\(name)'", variables[name])
        case .last: ("the last value", lastText)
        default: ("", nil)
        }
      guard let text, text.text == nil else { continue }
      throw UsageError(
        "\(name) has \(text.count) bytes, which this session has not taken over with the state",
        help: "have it made again by the command that made it", at: word, kind: .malformedData)
    }
  }

  private static func value(at path: String, in last: JSON?) -> JSON? {
    guard let last else { return nil }
    if path.isEmpty { return last }
    guard let path = try? JSONPath(parsing: path) else { return nil }
    // An answer of a service has a verdict.
    return last["verdict"] == nil ? last.value(at: path) : AnswerJSON.value(at: path, in: last)
  }

  /// Rejects a word with rows of a list that are not kept.
  private func refuseRows(_ word: Word, _ last: JSON?) throws(UsageError) {
    guard lastIsInParts else { return }
    for case .last(let path, _) in word.segments
    where path.isEmpty || Self.value(at: path, in: last) == nil {
      throw UsageError(
        "the last list was too long to be kept as a value",
        help: "a short one is kept: --limit N, and -n N of a log; {{last.count}} is their number",
        at: word, kind: .malformedData)
    }
  }

  /// Rejects a word with a body that is not text.
  private static func refuseEncodedBody(_ word: Word, _ last: JSON?) throws(UsageError) {
    guard let last else { return }
    for case .last(let path, _) in word.segments where EncodedBody.isPart(path, of: last) {
      throw UsageError(
        "the body of the last answer is not text and cannot be put into a line",
        help: "write it to a file with --out FILE, and send that with @FILE", at: word,
        kind: .malformedData)
    }
  }
}
