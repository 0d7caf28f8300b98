import SwiftBoardCommandLine

/// The positions in the lines of a feature that only a secret can have: after the words that its
/// commands accept, because none of them accepts a value in a line.
struct SecretPositions: Sendable {
  /// The typed part of a word of a line.
  struct Word: Sendable {
    /// The text without expanded values.
    var text: String
    /// Whether the word contains a variable, the last value or the name of a secret.
    var isFilledIn = false

    init(text: String, isFilledIn: Bool = false) {
      self.text = text
      self.isFilledIn = isFilledIn
    }

    init(_ argument: Argument) {
      self.init(
        text: argument.text(replacingSecretsWith: ""), isFilledIn: argument.text == nil)
    }
  }

  /// A value at such a position.
  struct Found: Sendable {
    /// The name of the secret in the line, or another name for the value.
    var name: String
    /// The words that may contain the value or a part of it.
    var values: [String]
    /// The usage of the recognized command, or `nil` if a word of it is unknown.
    var synopsis: String?
    /// The usage of the recognized or most similar command, or `nil` if there is none.
    var usage: String?
    /// Whether the command stores a secret.
    var isStoring = false
    /// Whether the words are the command regardless of the values of variables.
    var isCertain = true
  }

  private struct Command: Sendable {
    var path: [String]
    /// The number of words that it accepts after its own.
    var count: Int
    var synopsis: String
  }

  private enum Option {
    case complete, takesNext, misspelt, unknown
  }

  /// The first word of the feature's commands.
  let feature: String
  private let storing: Command
  private let commands: [Command]
  /// Whether each option has a value, by spelling.
  private let options: [String: Bool]
  /// The second words of the commands of other features.
  private let others: Set<String>

  /// Creates the positions of a feature, or returns `nil` if it has no command that stores a
  /// secret.
  init?(_ feature: AnyFeature, in table: CommandTable<BoardCommand>) {
    guard let word = feature.secretWords.storing else { return nil }
    self.feature = feature.name
    let path = [feature.name, word]
    let commands = feature.commands.specs.map { spec in
      let isRepeating = spec.arguments.contains(where: \.isRepeating)
      return Command(
        path: spec.path,
        count: spec.path == path ? 1 : isRepeating ? .max : spec.arguments.count,
        synopsis: spec.path == path ? (path + ["NAME"]).joined(separator: " ") : spec.synopsis)
    }
    self.commands = commands
    storing =
      commands.first { $0.path == path }
      ?? Command(path: path, count: 1, synopsis: (path + ["NAME"]).joined(separator: " "))
    var options = ["--help": false, "-h": false]
    for option in feature.commands.specs.flatMap(\.options) + table.globals {
      options["--\(option.name)"] = option.value != nil
      if let short = option.short { options["-\(short)"] = option.value != nil }
    }
    // A value of an option of the program could be a secret; its flags stand alone.
    for option in table.leadingOptions where option.value == nil {
      options["--\(option.name)"] = false
    }
    self.options = options
    others = Set(
      table.specs.filter { $0.path.count > 1 && $0.path[0] != feature.name }.map { $0.path[1] })
  }

  /// Searches the words after the feature's own word.
  ///
  /// - Parameters:
  ///   - words: The words.
  ///   - unknownCount: The number of words that a command accepts if a variable names it.
  func find(behind words: some Sequence<Word>, unknownCount: Int = 1) -> Found? {
    var (positionals, unknown): ([Word], Word?) = ([], nil)
    var (skipsNext, hasEnded, isMisspelt) = (false, false, false)
    for word in words {
      if skipsNext {
        skipsNext = false
      } else if hasEnded || word.text.count < 2 || !word.text.hasPrefix("-") {
        positionals.append(word)
      } else if word.text == "--" {
        hasEnded = true
      } else {
        switch option(word.text) {
        case .complete: break
        case .takesNext: skipsNext = true
        case .misspelt: isMisspelt = true
        case .unknown: unknown = unknown ?? word
        }
      }
    }
    var candidates = commands
    var depth = 0
    while depth < positionals.count, !positionals[depth].isFilledIn {
      let next = candidates.filter {
        $0.path.count > depth + 1 && $0.path[depth + 1] == positionals[depth].text
      }
      guard !next.isEmpty else { break }
      candidates = next
      depth += 1
    }
    var command = candidates.first { $0.path.count == depth + 1 }
    var isCertain = true
    if command == nil, depth < positionals.count {
      let word = positionals[depth]
      if word.isFilledIn {
        command = Command(path: [], count: unknownCount, synopsis: "")
        isCertain = false
      } else {
        isMisspelt = true
        if word.text.contains(where: \.isWhitespace) { unknown = unknown ?? word }
        let known = candidates.filter { $0.path.count > depth + 1 }
        let nearest = Suggestion.nearest(to: word.text, among: known.map { $0.path[depth + 1] })
        command = known.first { $0.path[depth + 1] == nearest }
      }
      depth += 1
    }
    let arguments = positionals.dropFirst(depth)
    let isStoring = command?.path == storing.path
    var values = arguments.dropFirst(command?.count ?? 0).filter { !$0.text.isEmpty }.map(\.text)
    var name = command.map { $0.count > 0 } == true ? arguments.first?.text : nil
    if isStoring, let typed = name?.cutAtEquals(), !typed.name.isEmpty, !typed.value.isEmpty {
      name = typed.name
      values.append(typed.value)
    }
    if let unknown { values.append(unknown.text) }
    guard !values.isEmpty else { return nil }
    return Found(
      name: name.flatMap { $0.isEmpty ? nil : $0 } ?? feature, values: values,
      synopsis: isMisspelt || unknown != nil ? nil : command?.synopsis,
      usage: command.flatMap { $0.path.isEmpty ? nil : $0.synopsis }, isStoring: isStoring,
      isCertain: isCertain)
  }

  /// Searches the words after a word with a variable that may name the feature.
  ///
  /// - Parameters:
  ///   - words: The words.
  ///   - namesFeature: Whether another word of the line is the feature's.
  func find(behindVariable words: some Collection<Word>, namesFeature: Bool) -> Found? {
    guard let second = Self.command(in: words) else { return nil }
    let word = storing.path.last ?? ""
    let isOwn = commands.contains { $0.path.count > 1 && $0.path[1] == second.text }
    guard
      second.isFilledIn || second.text == word
        || isOwn && (namesFeature || !others.contains(second.text))
        || !isOwn && Suggestion.nearest(to: second.text, among: [word]) != nil,
      var found = find(behind: words)
    else { return nil }
    found.isCertain = false
    return found
  }

  /// Returns the first word that is no option.
  static func command(in words: some Collection<Word>) -> Word? {
    words.first { !$0.text.hasPrefix("-") || $0.isFilledIn }
  }

  /// Searches a text that cannot be parsed as commands, or whose command is unknown.
  func find(anywhereIn text: String) -> Found? {
    let words = Self.looseWords(of: text)
    for (index, word) in words.enumerated() where isFeature(word.text) {
      let rest = words[(index + 1)...]
      if var found = find(behind: rest) {
        found.synopsis = nil
        return found
      }
      // The preceding words may be the value: `echo VALUE | …`, `PASSPHRASE=VALUE …`.
      let before = words[..<index].map(\.text)
      let start = text.firstRange(of: word.text).map { text[..<$0.lowerBound] } ?? ""
      guard start.contains("|") || start.contains("="),
        let second = rest.first?.text,
        commands.contains(where: { $0.path.dropFirst().first == second })
      else { continue }
      let name = rest.dropFirst().first { !$0.text.hasPrefix("-") }?.text
      return Found(name: name ?? feature, values: before)
    }
    return nil
  }

  /// Searches a link of the board. A value may be a part of its path or of its query.
  func find(inLink text: String) -> Found? {
    let words: [Word]
    if let link = try? BoardLink(parsing: text) {
      words = ([link.feature] + link.path + link.query.map(\.value)).map { Word(text: $0) }
    } else {
      let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
      words = Self.looseWords(of: String(text[start...]))
    }
    guard let first = words.first, isFeature(first.text),
      var found = find(behind: words.dropFirst())
    else { return nil }
    found.synopsis = nil
    return found
  }

  /// Returns whether the feature's word is a part of a text, as in `k=keychain`.
  func isNamed(in text: String) -> Bool {
    Self.looseWords(of: text).contains { isFeature($0.text) }
  }

  /// Returns whether a word is the feature's or a likely misspelling of it.
  func isFeature(_ word: String) -> Bool {
    word == feature
      || abs(word.utf8.count - feature.utf8.count) <= 2
        && Suggestion.nearest(to: word, among: [feature]) != nil
  }

  private func option(_ text: String) -> Option {
    let parts = text.cutAtEquals()
    let name = parts?.name ?? text
    let hasValue = parts != nil
    if text.hasPrefix("--") {
      let negated = name.hasPrefix("--no-") ? options["--" + name.dropFirst(5)] : nil
      if let takesValue = options[name] ?? (negated == false ? false : nil) {
        return hasValue ? (takesValue ? .complete : .unknown) : takesValue ? .takesNext : .complete
      }
      return !hasValue && Suggestion.nearest(to: name, among: options.keys) != nil
        ? .misspelt : .unknown
    }
    for (offset, letter) in text.dropFirst().enumerated() {
      guard let takesValue = options["-\(letter)"] else {
        return text.count == 2 ? .misspelt : .unknown
      }
      if takesValue { return offset == text.count - 2 ? .takesNext : .complete }
    }
    return .complete
  }

  /// Returns the words of a text, separated by spaces, quotes, and the punctuation of links, items
  /// and shells. A long option is one word with its value.
  private static func looseWords(of text: String) -> [Word] {
    var text = text
    if text.unicodeScalars.contains(where: isWideBlank) {
      text = String(scalars: text.unicodeScalars.map { isWideBlank($0) ? " " : $0 })
    }
    return text.utf8.split(whereSeparator: isBlankOrQuote).flatMap { part -> [Word] in
      if part.starts(with: "--".utf8) { return [Word(text: String(part) ?? "")] }
      // A word may begin with the prefix of the line.
      return part.drop { $0 == UInt8(ascii: "-") }.split(whereSeparator: isSign)
        .map { Word(text: String($0) ?? "") }
    }
  }

  /// Returns whether a scalar beyond ASCII is a blank.
  private static func isWideBlank(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }

  private static func isBlankOrQuote(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case " ", "\t"..."\r", "\"", "'", "`", "\\", ";": true
    default: false
    }
  }

  private static func isSign(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "/", ":", "?", "=", "&", "|", "<", ">", "(", ")", "{", "}", "!", ",", "$": true
    default: false
    }
  }
}
