/// The specification of a command: its words, its arguments and options, and its output.
///
/// Parser, help, completion and manual are all derived from it.
public struct CommandSpec<Output>: Sendable {
  /// The command's words, for example `["api", "service", "add"]`.
  public var path: [String]
  /// A summary on one line, without a full stop.
  public var summary: String
  /// Details for `help COMMAND`, or an empty text.
  public var details: String
  /// The arguments in the order in which they are typed.
  public var arguments: [ArgumentSpec]
  /// The command's own options, in addition to `CommandTable.globals`.
  public var options: [OptionSpec]
  /// Examples: complete lines that work as written.
  public var examples: [String]
  /// Whether its last argument is another command: options behind that command's first word are
  /// that command's, unless this one has an option of the name.
  public var takesCommand: Bool
  /// Creates the command's output from the arguments. Called after words, kinds and counts were
  /// checked. Throws errors that only the command can detect.
  public var build: @Sendable (Invocation) throws(UsageError) -> Output

  /// Creates a command.
  ///
  /// - Parameters:
  ///   - path: The command's words, at least one.
  ///   - build: Creates the output. It must have no effect: it is called to parse a line, not to
  ///     run it.
  public init(
    _ path: [String], _ summary: String, details: String = "", arguments: [ArgumentSpec] = [],
    options: [OptionSpec] = [], examples: [String] = [], takesCommand: Bool = false,
    build: @escaping @Sendable (Invocation) throws(UsageError) -> Output
  ) {
    self.path = path
    self.summary = summary
    self.details = details
    self.arguments = arguments
    self.options = options
    self.examples = examples
    self.takesCommand = takesCommand
    self.build = build
  }

  /// The whole command on one line: `db get COLLECTION ID [OPTIONS]`.
  public var synopsis: String {
    var words = path
    words += arguments.map(\.synopsis)
    words += options.map { "[\($0.synopsis)]" }
    return words.joined(separator: " ")
  }

  /// Returns the command with a transformed output.
  public func map<Other>(_ transform: @escaping @Sendable (Output) -> Other) -> CommandSpec<Other> {
    let build = build
    return CommandSpec<Other>(
      path, summary, details: details, arguments: arguments, options: options, examples: examples,
      takesCommand: takesCommand
    ) { invocation throws(UsageError) in
      transform(try build(invocation))
    }
  }
}
