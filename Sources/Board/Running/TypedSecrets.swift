import SwiftBoardCommandLine
import SwiftBoardDependencies

/// A secret in a line that may not contain one. The line is rejected, and no step contains its
/// text.
struct TypedSecret {
  /// The name of the secret in the keychain, or a name for its position.
  let name: String
  /// The error. It quotes no word, because the line is not shown.
  let error: UsageError

  /// The text that replaces the line.
  var text: String { Self.text(for: name) }

  /// Returns the text that replaces a line, or a part of one, with a secret.
  static func text(for name: String) -> String {
    "[refused: secret \(RedactionMark.encoded(name))]"
  }
}

/// The search for secrets in typed lines: the values of known secrets, and values at positions that
/// only a secret can have.
///
/// A value after `keychain set NAME`, where none belongs, is found by its position. It is a secret
/// even if a quote is left open, the command is misspelled, or an earlier command fails first.
struct TypedSecrets: Sendable {
  private let literals: [(feature: String, find: @Sendable ([Argument]) -> SecretWords.Found?)]
  private let positions: [SecretPositions]
  private let advice: [String: String]
  private let commands: CommandTable<BoardCommand>
  /// The first words of all commands.
  let firstWords: Set<String>

  init(_ features: FeatureList) {
    literals = features.features.map { ($0.name, $0.secretWords.literal) }
    positions = features.features.compactMap { SecretPositions($0, in: features.commands) }
    advice = Dictionary(
      features.features.compactMap { feature in
        feature.secretWords.advice.map { (feature.name, $0) }
      },
      uniquingKeysWith: { first, _ in first })
    commands = features.commands
    firstWords = Set(features.commands.words(after: []))
  }

  /// Returns the secret for which a whole line is rejected before any part of it runs, because each
  /// command has the whole line in its step. It is the value of a known secret in any command, or a
  /// value at the position of a secret.
  func refusal(of line: ScriptLine, _ redactor: Redactor) -> TypedSecret? {
    if Self.known(in: line.text, redactor) != nil,
      let known = Self.known(in: withoutOwnWords(line), redactor)
    {
      return known
    }
    switch line.parsed {
    case .empty: return nil
    case .commands(let list):
      for command in list.commands {
        let words = command.words.map(Self.typed).withoutWatch(firstWords)
        let file = command.redirect.map { Self.typed($0.file) }
        if let known = known(in: words, file, redactor) { return known }
        if let literal = literal(in: words) ?? literal(inAlias: words) { return literal }
        if let value = value(in: words) { return value }
      }
      return nil
    case .incomplete(let open):
      return Self.known(inUnread: line.text, redactor) ?? literal(inUnread: line.text)
        ?? value(inUnread: line.text, open.error.usageError)
    case .invalid(let error):
      return Self.known(inUnread: line.text, redactor) ?? literal(inUnread: line.text)
        ?? value(inUnread: line.text, error.usageError)
    }
  }

  /// Returns the text of a line for steps. If a variable may name the command, a line with a
  /// possible secret is replaced.
  func shown(_ line: ScriptLine) -> String {
    guard case .commands(let list) = line.parsed else { return line.text }
    var mayDefineAliases = false
    for command in list.commands {
      var words = command.words.map(Self.typed).withoutWatch(firstWords)
      // A file that the line runs may let the word stand for anything.
      let isUnknown = mayDefineAliases && !firstWords.contains(words.first?.text ?? "")
      if isUnknown, !words.isEmpty { words[0] = Argument(parts: [.secret("")], typedCount: 0) }
      mayDefineAliases = mayDefineAliases || words.first?.text == "source"
      if command.words.first?.literal == nil || isUnknown {
        for (feature, _) in literals {
          if let found = literal(in: [Argument(feature)] + words.dropFirst()) { return found.text }
        }
      }
      if let (found, _) = position(in: words, of: list, mayBeAny: isUnknown) {
        return TypedSecret.text(for: found.name)
      }
    }
    return line.text
  }

  /// Returns the secret for which a command is rejected after its words were expanded.
  ///
  /// - Parameters:
  ///   - words: The expanded words.
  ///   - file: The file of its output.
  func refusal(of words: [Argument], _ file: Argument?, _ redactor: Redactor) -> TypedSecret? {
    known(in: words, file, redactor) ?? literal(in: words + (file.map { [$0] } ?? []))
      ?? value(in: words)
  }

  // MARK: Values by their position

  /// Returns the value for which a command is rejected regardless of its variables.
  private func value(in words: [Argument]) -> TypedSecret? {
    guard let (found, feature) = position(in: words, of: nil), found.isCertain else { return nil }
    var error: UsageError?
    if found.synopsis == nil {
      do throws(UsageError) {
        _ = try commands.parse(words: words)
      } catch let problem {
        error = problem
      }
    }
    return refusal(for: found, of: feature, error)
  }

  /// Returns a secret in a text that could not be parsed as commands.
  private func value(inUnread text: String, _ error: UsageError) -> TypedSecret? {
    for feature in positions {
      if let found = feature.find(anywhereIn: text) {
        return refusal(for: found, of: feature, error)
      }
    }
    return nil
  }

  /// Returns a value at the position of a secret, and the feature.
  ///
  /// - Parameters:
  ///   - words: The words of a command.
  ///   - list: The commands of the line if it has not run and its variables are unknown, or `nil`.
  ///   - mayBeAny: Whether the first word may stand for any command.
  private func position(
    in words: [Argument], of list: CommandList?, mayBeAny: Bool = false
  ) -> (SecretPositions.Found, SecretPositions)? {
    guard let first = words.first else { return nil }
    for feature in positions {
      var isNamed: Bool {
        mayBeAny
          || list?.commands.contains { command in
            command.words.contains { $0.literal.map(feature.isNamed(in:)) == true }
          } ?? false
      }
      func find(behindVariable index: Int) -> SecretPositions.Found? {
        feature.find(
          behindVariable: words[(index + 1)...].map(Self.word), namesFeature: isNamed)
      }
      var found: SecretPositions.Found?
      if first.text == nil {
        found = find(behindVariable: 0)
      } else if first.text == feature.feature {
        // The other commands of the line have its text and run before the variable is known.
        found = feature.find(
          behind: words.dropFirst().map(Self.word),
          unknownCount: list.map { $0.commands.count > 1 } == true ? 0 : 1)
      } else if first.text == "open" {
        found = words.dropFirst().lazy.compactMap { feature.find(inLink: Self.word($0).text) }.first
      } else if first.text == "help", words.dropFirst().first?.text == feature.feature {
        found = feature.find(behind: words.dropFirst(2).map(Self.word))
      } else if ["help", "alias"].contains(first.text) || !firstWords.contains(first.text ?? "") {
        found = feature.find(
          anywhereIn: words.map { Self.word($0).text }.joined(separator: " "))
        // Another part of the line may define the word.
        if found == nil, isNamed { found = find(behindVariable: 0) }
        for index in words.indices where found == nil && words[index].text == nil {
          found = find(behindVariable: index)
        }
      }
      if let found { return (found, feature) }
    }
    return nil
  }

  private static func word(_ argument: Argument) -> SecretPositions.Word {
    var word = SecretPositions.Word(text: "")
    for part in argument.parts {
      if case .text(let text) = part { word.text += text } else { word.isFilledIn = true }
    }
    return word
  }

  /// Returns the rejection of a line.
  ///
  /// - Parameters:
  ///   - found: The value.
  ///   - feature: The feature.
  ///   - error: Another error of the line, which is reported instead unless it contains a part of
  ///     the value.
  private func refusal(
    for found: SecretPositions.Found, of feature: SecretPositions, _ error: UsageError?
  ) -> TypedSecret {
    let said = [error?.message, error?.help].compactMap { $0 }
    if var error, !found.values.contains(where: { value in said.contains { $0.contains(value) } }) {
      // The line to which the position refers is not shown.
      (error.column, error.length, error.lineOffset) = (nil, nil, 0)
      return TypedSecret(name: found.name, error: error)
    }
    let help =
      found.isStoring || found.synopsis == nil
      ? advice[feature.feature]
      : found.synopsis.map { "usage: \($0); what it needs of a secret is asked for" }
    return TypedSecret(
      name: found.name,
      error: UsageError(
        "a secret on the command line would stay in histories and process lists", help: help))
  }

  // MARK: Known values and requests

  /// Returns a known secret in a command, also one that several words make with single spaces
  /// between them.
  private func known(
    in words: [Argument], _ file: Argument?, _ redactor: Redactor
  ) -> TypedSecret? {
    guard redactor.hasSecrets else { return nil }
    var texts: [String] = []
    for (word, ownCount) in zip(words, ownCounts(words)) {
      // A line feed separates what cannot be parts of one value.
      let text = Self.separated(word)
      texts.append(ownCount > 0 ? "\n" + text.dropFirst(ownCount) : text)
    }
    if let file { texts.append("\n" + Self.separated(file)) }
    return Self.known(in: texts.joined(separator: " "), redactor)
  }

  private static func separated(_ word: Argument) -> String {
    word.parts.map { if case .text(let text) = $0 { text } else { "\n" } }.joined()
  }

  /// Returns a known secret in a text that could not be parsed as commands, whatever the spaces
  /// between its words.
  private static func known(inUnread text: String, _ redactor: Redactor) -> TypedSecret? {
    known(in: text.split(whereSeparator: \.isWhitespace).joined(separator: " "), redactor)
  }

  /// Returns how many characters of each word are a word of the command itself or the name of an
  /// option. These are not typed values, even if a secret has the same characters.
  private func ownCounts(_ words: [Argument]) -> [Int] {
    var path: [String] = []
    var isPath = true
    return words.map { word in
      guard let text = word.text else {
        isPath = false
        return 0
      }
      if text.hasPrefix("-") {
        let name = String(text.prefix { $0 != "=" })
        return isOption(name) ? name.count : 0
      }
      // Both take the words of another command.
      if path == ["watch"] || path == ["help"], firstWords.contains(text) { path = [] }
      guard isPath, commands.words(after: path).contains(text) else {
        isPath = path == ["watch"] || path == ["help"]
        return 0
      }
      path.append(text)
      return text.count
    }
  }

  /// Returns whether a word is the spelling of an option of a command or of the program. O(number
  /// of options). Called only once a secret is known, so a start collects no spellings.
  private func isOption(_ word: String) -> Bool {
    guard word.hasPrefix("--") else { return false }
    let name = word.dropFirst(2)
    let negated = name.hasPrefix("no-") ? name.dropFirst(3) : name
    func isSpelled(_ option: OptionSpec) -> Bool { option.name == name || option.name == negated }
    return commands.globals.contains(where: isSpelled)
      || commands.specs.contains { $0.options.contains(where: isSpelled) }
  }

  /// Returns the text of a line with the words that are its commands' own replaced.
  private func withoutOwnWords(_ line: ScriptLine) -> String {
    guard case .commands(let list) = line.parsed else { return line.text }
    var rows = line.text.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
    for command in list.commands {
      for (word, count) in zip(command.words, ownCounts(command.words.map(Self.typed)))
      where count > 0 && rows.indices.contains(word.lineOffset) {
        let start = word.column - 1
        let end = start + count
        // A quoted word has other characters than its text.
        guard start >= 0, end <= rows[word.lineOffset].count,
          rows[word.lineOffset][start..<end].elementsEqual(word.raw.prefix(count))
        else { continue }
        rows[word.lineOffset].replaceSubrange(
          start..<end, with: repeatElement("\n", count: count))
      }
    }
    return rows.map { String($0) }.joined(separator: "\n")
  }

  private static func known(in text: String, _ redactor: Redactor) -> TypedSecret? {
    guard redactor.hasSecrets,
      let name = redactor.mask(withoutReferences(text, redactor)).names.first
    else { return nil }
    return TypedSecret(
      name: name,
      error: UsageError(
        "this is the value of the secret '\(name)': write {{secret:\(name)}}",
        help: "a line is kept in recordings, so it names secrets and holds none"))
  }

  private func literal(in words: [Argument]) -> TypedSecret? {
    guard let found = literals.lazy.compactMap({ $0.find(words) }).first else {
      return literal(behindUnknown: words)
    }
    // A reference that is text was quoted, as a shell needs it.
    let isQuoted = words.contains { $0.text?.contains("{{secret:") == true }
    return TypedSecret(
      name: found.name,
      error: isQuoted
        ? UsageError(
          "in single quotes {{secret:...}} is plain text",
          help: "leave the quotes off, or use double quotes") : Self.error(for: found))
  }

  /// Returns a secret in words of which the first is no command: misspelt, left out, or that of
  /// another program. The words are read as those of each feature.
  private func literal(behindUnknown words: [Argument]) -> TypedSecret? {
    guard let first = words.first?.text, !firstWords.contains(first) else { return nil }
    func find(_ rest: some Sequence<Argument>) -> SecretWords.Found? {
      literals.lazy.compactMap { $0.find([Argument($0.feature)] + rest) }.first
    }
    if let found = find(words.dropFirst()) {
      // The error quotes the first word alone.
      do throws(UsageError) { _ = try commands.parse(words: [Argument(first)]) } catch {
        var error = error
        (error.column, error.length, error.lineOffset) = (nil, nil, 0)
        return TypedSecret(name: found.name, error: error)
      }
    }
    return find(words).map { TypedSecret(name: $0.name, error: Self.error(for: $0)) }
  }

  private static func error(for found: SecretWords.Found) -> UsageError {
    UsageError(
      "the value of '\(found.name)' looks like a secret, and recordings store every line",
      help: "store it with 'keychain set NAME' and write \(found.form)")
  }

  /// Returns a secret in the line that an alias is to stand for, be it quoted or not.
  private func literal(inAlias words: [Argument]) -> TypedSecret? {
    guard words.first?.text == "alias", words.count > 2 else { return nil }
    return literal(in: Array(words[2...]))
      ?? literal(inUnread: words[2...].compactMap(\.text).joined(separator: " "))
  }

  /// Returns a secret in a text that could not be parsed as commands, by splitting it roughly.
  private func literal(inUnread text: String) -> TypedSecret? {
    var scanner = WordScanner(text)
    while scanner.nextCommand() {
      var words: [Argument] = []
      while let word = scanner.word() { words.append(Argument(word.withoutQuotes)) }
      while let first = words.first?.text, first.isBeforeCommand { words.removeFirst() }
      words = words.withoutWatch(firstWords)
      if let first = words.first?.text { words[0] = Argument(first.trimming(prefixes: "!-")) }
      if let found = literal(in: words) { return found }
    }
    return nil
  }

  /// Returns the typed part of a word.
  private static func typed(_ word: Word) -> Argument {
    let parts = word.segments.map { segment -> Argument.Part in
      if case .text(let text) = segment { .text(text) } else { .secret("") }
    }
    return Argument(parts: parts, typedCount: word.literal == nil && !word.hasSecret ? 0 : nil)
  }

  /// Returns the text without references to known secrets, because the name of a secret may equal
  /// the value of another one. Any other name is text like the rest, and may be a value.
  private static func withoutReferences(_ text: String, _ redactor: Redactor) -> String {
    let opening = Array("{{secret:".utf8)
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let start = rest.firstIndex(of: opening[0]) {
      let tail = rest[start...]
      guard tail.starts(with: opening), let end = tail.firstIndex(of: UInt8(ascii: "}")),
        redactor.knows(String(decoding: tail[..<end].dropFirst(opening.count), as: UTF8.self))
      else {
        result += rest[...start]
        rest = rest[(start + 1)...]
        continue
      }
      result += rest[..<start] + [UInt8(ascii: "\n")]
      rest = rest[(end + 1)...]
    }
    return String(decoding: result + rest, as: UTF8.self)
  }
}

/// A scanner that splits a line roughly: spaces separate words, quotes join them, and a semicolon
/// ends a command.
private struct WordScanner {
  private let line: String
  private var index: String.Index
  private var isFirst = true

  init(_ line: String) {
    self.line = line
    index = line.startIndex
  }

  /// The start of the next word of this command, or `nil` at its end.
  var nextStart: String.Index? {
    let start = line[index...].firstIndex { !$0.isWhitespace } ?? line.endIndex
    return start < line.endIndex && line[start] != ";" ? start : nil
  }

  /// Skips to the next command. Returns false at the end.
  mutating func nextCommand() -> Bool {
    if isFirst {
      isFirst = false
      return true
    }
    while let word = word() {
      if ["&", "|", "&&", "||"].contains(word) { return true }
    }
    index = line[index...].firstIndex(of: ";").map(line.index(after:)) ?? line.endIndex
    return index < line.endIndex
  }

  mutating func word() -> String? {
    guard let start = nextStart else { return nil }
    index = start
    var quote: Character?
    while index < line.endIndex {
      let character = line[index]
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character.isWhitespace || character == ";" {
        break
      }
      index = line.index(after: index)
    }
    return String(line[start..<index])
  }
}

extension String {
  /// Whether a command may follow: the text is a prefix, an option of the program, or the end of
  /// another command.
  fileprivate var isBeforeCommand: Bool {
    self == "time" || hasPrefix("--") || allSatisfy { "!-&|".contains($0) }
  }

  fileprivate var withoutQuotes: String { String(filter { !"\"'\\".contains($0) }) }

  fileprivate func trimming(prefixes: String) -> String {
    String(drop { prefixes.contains($0) })
  }
}
