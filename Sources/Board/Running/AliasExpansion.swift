import SwiftBoardCommandLine

/// Replaces the first word of a command by the words that it stands for.
enum AliasExpansion {
  /// Returns the words of an alias's line.
  ///
  /// - Throws: An error if the line is not a single command without a prefix, `&` and `>`.
  static func words(of line: String) throws(UsageError) -> [Word] {
    switch LineParser.parse(line) {
    case .commands(let list):
      let command = list.commands[0]
      guard list.commands.count == 1, list.prefix == nil, !command.isBackground,
        command.redirect == nil
      else {
        throw UsageError(
          "an alias stands for one command, without a prefix, '&', ';' and '>'",
          help: "several commands belong into a file: see 'help source'")
      }
      return command.words
    case .empty: throw UsageError("an alias cannot stand for nothing")
    case .incomplete(let open): throw UsageError("the line of an alias: \(open.error.message)")
    case .invalid(let error): throw UsageError("the line of an alias: \(error.message)")
    }
  }

  /// Refuses a name that `alias` does not take.
  static func refuseName(_ name: String) throws(UsageError) {
    guard !name.isEmpty, !name.hasPrefix("-"),
      name.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) })
    else {
      throw UsageError(
        "the name of an alias is one word without quotes, not '\(name)'",
        help: "it has letters, digits, '-', '_' and '.', and does not begin with '-'")
    }
  }

  /// Refuses a name that would never stand for its line: the first word of a command, or what is
  /// not one word.
  ///
  /// - Parameter firstWords: The first words of all commands.
  static func refuseCommand(_ name: String, _ firstWords: Set<String>) throws(UsageError) {
    try refuseName(name)
    guard name != "time" else {
      throw UsageError(
        "'time' is the prefix of a line and cannot be an alias", help: "choose another word")
    }
    guard case .commands(let list) = LineParser.parse(name), list.prefix == nil,
      list.commands.count == 1, list.commands[0].words.count == 1,
      let word = list.commands[0].words.first, !word.isQuoted, word.literal == name
    else {
      throw UsageError("the name of an alias is one word without quotes, not '\(name)'")
    }
    guard firstWords.contains(name) else { return }
    throw UsageError(
      "'\(name)' is a command and cannot be an alias", help: "choose another word")
  }

  /// Refuses the name of an alias that does not stand for its line here.
  ///
  /// - Parameters:
  ///   - names: The aliases of the configuration that are not used.
  ///   - words: The words of a command, with the line's own aliases replaced.
  static func refuseUnused(
    _ names: Set<String>, _ words: [Argument], _ firstWords: Set<String>
  ) throws(UsageError) {
    guard let word = words.first, let name = word.text, names.contains(name),
      !firstWords.contains(name)
    else { return }
    throw UsageError(
      "unknown command '\(name)'",
      help: "the alias '\(name)' of the configuration is for lines that are typed at the prompt",
      at: word)
  }

  /// Returns the line with the aliases of its commands replaced, to be searched for secrets. A
  /// stored line that is no command any more is left out.
  static func line(
    _ line: ScriptLine, _ aliases: [String: String]?, _ firstWords: Set<String>
  ) -> ScriptLine {
    guard case .commands(var list) = line.parsed else {
      var line = line
      if let aliases { line.text = unread(line.text, aliases) }
      return line
    }
    var aliases = aliases
    for index in list.commands.indices {
      // An alias of this line is known to the commands behind it.
      let typed = list.commands[index].words.map { $0.literal ?? "" }
      if typed.count > 2, typed[0] == "alias" {
        let text = typed.count == 3 ? typed[2] : LineParser.literalText(Array(typed[2...]))
        // The line of an alias may begin with another one.
        let expanded = aliases.map { unread(text, $0) } ?? text
        aliases = (aliases ?? [:]).merging([typed[1]: expanded]) { $1 }
        if expanded != text, let words = try? Self.words(of: expanded) {
          list.commands[index].words = list.commands[index].words[..<2] + words
          continue
        }
      }
      guard let words = try? words(list.commands[index].words, aliases, firstWords) else {
        continue
      }
      list.commands[index].words = words
    }
    var line = line
    line.parsed = .commands(list)
    return line
  }

  /// Returns a text that is searched for secrets with each word replaced that is an alias. It may
  /// be no line of commands, so where a command begins is not known.
  private static func unread(_ text: String, _ aliases: [String: String]) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      aliases[String(word.drop { "!-;&|\t\n".contains($0) })] ?? String(word)
    }.joined(separator: " ")
  }

  /// Returns the words with the alias replaced, which may stand behind `watch` as well. Errors
  /// point at the alias itself.
  ///
  /// - Parameters:
  ///   - aliases: The aliases of the board's state.
  ///   - firstWords: The first words of all commands.
  static func words(
    _ words: [Word], _ aliases: [String: String]?, _ firstWords: Set<String>
  ) throws(UsageError) -> [Word] {
    guard let aliases, let index = place(words, aliases, firstWords),
      let name = words[index].literal,
      let line = aliases[name]
    else { return words }
    let first = words[index]
    let replaced = try Self.words(of: line).map { word in
      var word = word
      (word.lineOffset, word.column, word.length) = (first.lineOffset, first.column, first.length)
      return word
    }
    return words[..<index] + replaced + words[(index + 1)...]
  }

  /// Refuses an alias whose line begins with another one.
  ///
  /// - Parameters:
  ///   - typed: The words of the line.
  ///   - arguments: The same words with the alias replaced.
  static func refuseSecond(
    behind typed: [Word], _ arguments: [Argument], _ aliases: [String: String]?,
    _ firstWords: Set<String>
  ) throws(UsageError) {
    guard let aliases, let index = place(typed, aliases, firstWords),
      arguments.indices.contains(index), let name = typed[index].literal,
      let second = arguments[index].text, !arguments[index].isQuoted, aliases[second] != nil,
      !firstWords.contains(second)
    else { return }
    throw UsageError(
      "the alias '\(name)' stands for '\(second)', which is an alias too",
      help: "an alias does not stand for another one: name the command", at: arguments[index])
  }

  /// Returns the index of the word that is an alias, or `nil` if none is.
  private static func place(
    _ words: [Word], _ aliases: [String: String], _ firstWords: Set<String>
  ) -> Int? {
    guard let start = words.first, !start.isQuoted else { return nil }
    var index = 0
    if start.literal == "watch" {
      // The repeated command begins with the first word that is one.
      index =
        words.indices.dropFirst(countBeforeRepeated(words)).first { index in
          guard let text = words[index].literal else { return false }
          return aliases[text] != nil || firstWords.contains(text)
        } ?? 0
    }
    let word = words[index]
    guard !word.isQuoted, let name = word.literal, aliases[name] != nil else { return nil }
    return index
  }

  /// Returns how many words stand before the command that `watch` repeats: options with their
  /// values, and the interval. A word that cannot be a value may be the command: what it stands for
  /// is searched for secrets also where a value is missing.
  private static func countBeforeRepeated(_ words: [Word]) -> Int {
    var (count, hasInterval) = (1, false)
    while count < words.count {
      let text = words[count].literal ?? ""
      if !words[count].isQuoted, text.hasPrefix("-") {
        count += 1
        if count < words.count, isValue(words[count], of: text) { count += 1 }
      } else if !hasInterval, text.first?.isNumber != false {
        hasInterval = true
        count += 1
      } else {
        return count
      }
    }
    return count
  }

  /// Returns whether a word is the value of the option before it.
  private static func isValue(_ word: Word, of option: String) -> Bool {
    let uses = try? Argument(option).options(among: WatchCommand.options + ProgramOptions.globals) {
      UsageError("unknown option '\($0)'")
    }
    guard let use = uses?.last, case .next = use.value else { return false }
    guard let text = word.literal else { return true }
    return (try? use.option.kind.check(Argument(text), named: option)) != nil
  }
}
