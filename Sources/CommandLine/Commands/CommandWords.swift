/// The words and options of a table's commands.
///
/// Unlike the table it is not generic. The compiler does not specialize generic code for the types
/// of another module, and without that, looking a command up takes several times as long.
struct CommandWords: Sendable {
  /// A command of the table.
  struct Entry: Sendable {
    /// Its position in the table.
    let index: Int
    let path: [String]
    let options: [OptionSpec]
  }

  /// The commands by their first words, so that a line looks at no others.
  private let groups: [String: [Entry]]

  init<Output>(_ specs: [CommandSpec<Output>]) {
    var groups: [String: [Entry]] = [:]
    for (index, spec) in specs.enumerated() {
      let entry = Entry(index: index, path: spec.path, options: spec.options)
      groups[spec.path.first ?? "", default: []].append(entry)
    }
    self.groups = groups
  }

  /// Returns the commands among `candidates`, which begin with `path`, whose next word is `word`.
  func narrowed(_ candidates: [Entry], _ path: [String], _ word: String) -> [Entry] {
    guard !path.isEmpty else { return groups[word] ?? [] }
    return candidates.filter { $0.path.count > path.count && $0.path[path.count] == word }
  }

  /// Returns the words to show help for; see `CommandTable.helpTopic(in:)`.
  func helpTopic(in words: [Argument], _ globals: [OptionSpec]) -> [String]? {
    if let first = words.first, first.text == "?", !first.isQuoted, !first.isInserted {
      return words.dropFirst().compactMap(\.text)
    }
    // Most lines have neither.
    guard words.contains(where: { $0.text == "--help" || $0.text == "-h" }) else { return nil }
    var topic: [String] = []
    var candidates: [Entry] = []
    var isPath = true
    for (index, word) in words.enumerated() {
      // What is inserted is data, like what is quoted.
      guard let text = word.text, !word.isQuoted, !word.isInserted else {
        isPath = false
        continue
      }
      if text == "--" { return nil }
      if text == "--help" { return topic }
      if text == "-h", !candidates.contains(where: { $0.options.contains { $0.short == "h" } }),
        !words[..<index].suffix(1).contains(where: { takesNextWord($0, candidates, globals) })
      {
        return topic
      }
      guard isPath, !text.hasPrefix("-") else { continue }
      let narrowed = narrowed(candidates, topic, text)
      if narrowed.isEmpty {
        isPath = false
      } else {
        candidates = narrowed
        topic.append(text)
      }
    }
    return nil
  }

  /// Returns whether a word is an option, of one of `candidates` or of the program, whose value is
  /// the next word.
  func takesNextWord(_ word: Argument, _ candidates: [Entry], _ globals: [OptionSpec]) -> Bool {
    let uses = try? word.options(among: candidates.flatMap(\.options) + globals) { UsageError($0) }
    if case .next? = uses?.last?.value { return true }
    return false
  }
}
