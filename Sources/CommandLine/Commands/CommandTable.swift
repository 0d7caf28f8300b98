/// All commands there are, and the only place that knows how their words are read.
public struct CommandTable<Output>: Sendable {
  /// In the order in which help lists them.
  public var specs: [CommandSpec<Output>]
  /// Options that every command also takes; a command's own of the same name or letter wins.
  public var globals: [OptionSpec]
  /// What the first words are about, for help; a word may be left out.
  public var topics: [CommandTopic]

  /// A table; that no two commands have the same words is not checked.
  public init(
    _ specs: [CommandSpec<Output>] = [], globals: [OptionSpec] = [], topics: [CommandTopic] = []
  ) {
    self.specs = specs
    self.globals = globals
    self.topics = topics
  }

  /// Both tables' commands, in that order; global options and topics once.
  public static func + (left: Self, right: Self) -> Self {
    let options = left.globals.map(\.name)
    let topics = left.topics.map(\.name)
    return CommandTable(
      left.specs + right.specs,
      globals: left.globals + right.globals.filter { !options.contains($0.name) },
      topics: left.topics + right.topics.filter { !topics.contains($0.name) })
  }

  /// The same commands with another output.
  public func map<Other>(_ transform: @escaping @Sendable (Output) -> Other) -> CommandTable<Other>
  {
    CommandTable<Other>(specs.map { $0.map(transform) }, globals: globals, topics: topics)
  }

  /// Reads a command's words.
  ///
  /// Options may appear anywhere after the first word; `--` ends them. A word wholly in quotes, `-`
  /// and negative numbers are no options. With `literal` (words that a shell has split) quotes have
  /// no meaning.
  ///
  /// - Throws: what is wrong, at the offending word, with the nearest known one. Nothing is
  ///   guessed.
  /// - Complexity: linear in the words and the commands.
  public func parse(words: [Argument], literal: Bool = false) throws(UsageError)
    -> CommandMatch<Output>
  {
    var binder = CommandBinder(table: self, words: words, isLiteral: literal)
    return try binder.bind()
  }

  /// The words to show help for, if `--help` or `-h` is among `words` before `--`; else `nil`.
  ///
  /// An `-h` of the command's own, and one that is an option's value, is none.
  public func helpTopic(in words: [Argument]) -> [String]? {
    var topic: [String] = []
    var candidates = specs
    var isPath = true
    for word in words {
      guard let text = word.text, !word.isQuoted else {
        isPath = false
        continue
      }
      if text == "--" { return nil }
      if text == "--help" { return topic }
      if text == "-h", !candidates.contains(where: { $0.options.contains { $0.short == "h" } }) {
        return topic
      }
      guard isPath, !text.hasPrefix("-") else { continue }
      let narrowed = candidates.filter {
        $0.path.count > topic.count && $0.path[topic.count] == text
      }
      if narrowed.isEmpty {
        isPath = false
      } else {
        candidates = narrowed
        topic.append(text)
      }
    }
    return nil
  }

  /// The words that may follow `path`, in the table's order, each once.
  public func words(after path: [String]) -> [String] {
    var seen: Set<String> = []
    return specs.compactMap { spec in
      guard spec.path.count > path.count, spec.path.starts(with: path) else { return nil }
      return seen.insert(spec.path[path.count]).inserted ? spec.path[path.count] : nil
    }
  }
}

/// What a first word is about.
public struct CommandTopic: Sendable, Hashable {
  /// The first word of a command.
  public var name: String
  /// One line, without a full stop.
  public var summary: String

  /// What a first word is about, for help.
  public init(_ name: String, _ summary: String) {
    self.name = name
    self.summary = summary
  }
}

/// A command that was understood.
public struct CommandMatch<Output> {
  /// The words of its spec, `["api", "get"]`, also where it was typed as `api X`.
  public var path: [String]
  /// What the command's `build` made.
  public var output: Output
  /// The global options that came with it.
  public var globals: OptionValues

  /// `api.get`.
  public var name: String { path.joined(separator: ".") }
}

extension CommandMatch: Sendable where Output: Sendable {}
