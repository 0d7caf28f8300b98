/// One command: its words, what it takes, and what becomes of it.
///
/// Parser, help, completion and manual all read this and nothing else.
public struct CommandSpec<Output>: Sendable {
  /// The command's words, for example `["api", "service", "add"]`.
  public var path: [String]
  /// One line, without a full stop.
  public var summary: String
  /// More for `help COMMAND`; empty for nothing.
  public var details: String
  /// In the order in which they are typed.
  public var arguments: [ArgumentSpec]
  /// The command's own; `CommandTable.globals` come on top.
  public var options: [OptionSpec]
  /// Whole lines that work as they stand.
  public var examples: [String]
  /// Also runs without its last word: `api X` for `api get X`.
  public var isDefault: Bool
  /// For a default: whether a first word may be meant for it. What it refuses is an unknown
  /// sub-command.
  public var acceptsBare: @Sendable (String) -> Bool
  /// Makes the command's output of what was typed. Called after words, kinds and counts were
  /// checked; throws what only the command can know to be wrong.
  public var build: @Sendable (Invocation) throws(UsageError) -> Output

  /// A command from its parts.
  ///
  /// - Parameters:
  ///   - path: At least one word.
  ///   - build: Must have no effect: it is called to understand a line, not to run it.
  public init(
    _ path: [String], _ summary: String, details: String = "", arguments: [ArgumentSpec] = [],
    options: [OptionSpec] = [], examples: [String] = [], isDefault: Bool = false,
    acceptsBare: @escaping @Sendable (String) -> Bool = { _ in true },
    build: @escaping @Sendable (Invocation) throws(UsageError) -> Output
  ) {
    self.path = path
    self.summary = summary
    self.details = details
    self.arguments = arguments
    self.options = options
    self.examples = examples
    self.isDefault = isDefault
    self.acceptsBare = acceptsBare
    self.build = build
  }

  /// The name in JSON output: `api.service.add`.
  public var name: String { path.joined(separator: ".") }

  /// The whole command on one line: `db get COLLECTION ID [OPTIONS]`.
  public var synopsis: String {
    var words = path
    if isDefault, let last = words.popLast() { words.append("[\(last)]") }
    words += arguments.map(\.synopsis)
    words += options.map { "[\($0.synopsis)]" }
    return words.joined(separator: " ")
  }

  /// The same command with another output.
  public func map<Other>(_ transform: @escaping @Sendable (Output) -> Other) -> CommandSpec<Other> {
    let build = build
    return CommandSpec<Other>(
      path, summary, details: details, arguments: arguments, options: options, examples: examples,
      isDefault: isDefault, acceptsBare: acceptsBare
    ) { invocation throws(UsageError) in
      transform(try build(invocation))
    }
  }
}
