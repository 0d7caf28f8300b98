/// The table of all commands. It alone defines how their words are parsed.
public struct CommandTable<Output>: Sendable {
  /// The commands in help order.
  public let specs: [CommandSpec<Output>]
  /// The words of the commands, if lines are parsed with this table. Tables that are only joined to
  /// others have none.
  private let index: CommandWords?
  /// The options of every command. A command's own option with the same name or letter takes
  /// precedence.
  public var globals: [OptionSpec]
  /// The options that precede a command and cannot follow it, for messages.
  package var leadingOptions: [OptionSpec] = []
  /// The words for which `help` has pages besides those of commands.
  package var helpPages: [String] = []
  /// The name of the program in such messages.
  package var program = ""
  /// The topics of the first words, for help. A word may have none.
  public var topics: [CommandTopic]

  /// Creates a table. Does not check that the commands' words are unique.
  public init(
    _ specs: [CommandSpec<Output>] = [], globals: [OptionSpec] = [], topics: [CommandTopic] = []
  ) {
    self.init(specs, globals: globals, topics: topics, index: nil)
  }

  private init(
    _ specs: [CommandSpec<Output>], globals: [OptionSpec], topics: [CommandTopic],
    index: CommandWords?
  ) {
    self.specs = specs
    self.globals = globals
    self.topics = topics
    self.index = index
  }

  /// The words of the commands.
  var words: CommandWords { index ?? CommandWords(specs) }

  /// Returns the commands of all tables in their order, with global options and topics without
  /// duplicates. The result has an index of its words, so that parsing a line looks at no more than
  /// the commands with its first word.
  package static func joined(_ tables: [Self]) -> Self {
    var (options, names): (Set<String>, Set<String>) = ([], [])
    let specs = tables.flatMap(\.specs)
    return CommandTable(
      specs,
      globals: tables.flatMap(\.globals).filter { options.insert($0.name).inserted },
      topics: tables.flatMap(\.topics).filter { names.insert($0.name).inserted },
      index: CommandWords(specs))
  }

  /// Returns the commands with a transformed output.
  public func map<Other>(_ transform: @escaping @Sendable (Output) -> Other) -> CommandTable<Other>
  {
    CommandTable<Other>(specs.map { $0.map(transform) }, globals: globals, topics: topics)
  }

  /// Parses a command's words.
  ///
  /// Options may appear anywhere after the first word. `--` ends them. A fully quoted word, `-` and
  /// negative numbers are not options. Before `--`, a quoted word with the name of an option is
  /// refused where an item, or no word, is expected. With `literal` (words that a shell has split),
  /// quotes have no meaning.
  ///
  /// - Throws: An error at the offending word that suggests the nearest known one. Nothing is
  ///   guessed.
  /// - Complexity: linear in the words and the commands.
  public func parse(words: [Argument], literal: Bool = false) throws(UsageError)
    -> CommandMatch<Output>
  {
    var binder = CommandBinder(table: self, words: words, isLiteral: literal)
    return try binder.bind()
  }

  /// Returns the words to show help for if `--help` or `-h` is among `words` before `--`, or if the
  /// first one is `?`; `nil` otherwise.
  ///
  /// An `-h` that the command defines, or that is an option's value, does not count.
  public func helpTopic(in words: [Argument]) -> [String]? {
    self.words.helpTopic(in: words, globals)
  }

  /// Returns the words that may follow `path`, in the table's order, without duplicates.
  public func words(after path: [String]) -> [String] {
    var seen: Set<String> = []
    return specs.compactMap { spec in
      guard spec.path.count > path.count, spec.path.starts(with: path) else { return nil }
      return seen.insert(spec.path[path.count]).inserted ? spec.path[path.count] : nil
    }
  }
}

/// The topic of a first word.
public struct CommandTopic: Sendable, Hashable {
  /// The first word of a command.
  public var name: String
  /// A summary on one line, without a full stop.
  public var summary: String
  /// Details for the help of the first word, or an empty text.
  public var details: String

  /// Creates a topic for help.
  public init(_ name: String, _ summary: String, details: String = "") {
    self.name = name
    self.summary = summary
    self.details = details
  }
}

/// A parsed command.
public struct CommandMatch<Output> {
  /// The words of its spec: `["api", "get"]`, even if it was typed as `api X`.
  public var path: [String]
  /// The result of the command's `build`.
  public var output: Output
  /// The global options given with the command.
  public var globals: OptionValues

  /// The name: `api.get`.
  public var name: String { path.joined(separator: ".") }
}

extension CommandMatch: Sendable where Output: Sendable {}
