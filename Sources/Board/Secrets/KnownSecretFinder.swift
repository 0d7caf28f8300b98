import SwiftBoardCommandLine
import SwiftBoardDependencies

/// The search for values of known secrets in typed lines.
struct KnownSecretFinder: Sendable {
  private let commands: CommandTable<BoardCommand>
  private let firstWords: Set<String>

  /// - Parameter firstWords: The first words of all commands.
  init(_ commands: CommandTable<BoardCommand>, firstWords: Set<String>) {
    self.commands = commands
    self.firstWords = firstWords
  }

  /// Returns a known secret in the text of a line, which each of its commands has in its step.
  func secret(in line: ScriptLine, _ redactor: Redactor) -> TypedSecret? {
    guard Self.secret(in: Self.spellings(of: line.text), redactor) != nil else { return nil }
    let found = Self.secret(in: Self.spellings(of: withoutOwnWords(line)), redactor)
    guard case .commands(let list) = line.parsed,
      list.commands.allSatisfy({ $0.words.first?.literal == "keychain" })
    else { return found }
    return found?.asKeychainName(in: commands.program)
  }

  /// Returns a known secret in a command, also one that several words make with single spaces
  /// between them.
  func secret(
    in words: [Argument], _ file: Argument?, _ redactor: Redactor
  ) -> TypedSecret? {
    guard redactor.hasSecrets else { return nil }
    var texts: [String] = []
    var unescaped: [String] = []
    for (word, ownCount) in zip(words, ownCounts(words)) {
      // A line feed separates what cannot be parts of one value.
      func add(_ word: Argument, to texts: inout [String], _ separator: String) {
        let text = word.text(replacingSecretsWith: "\n")
        texts.append(ownCount > 0 ? "\n" + text.dropFirst(ownCount) : separator + text)
      }
      add(word, to: &texts, "")
      guard texts[texts.count - 1].utf8.contains(UInt8(ascii: "\\")) else { continue }
      for escaped in Self.escaped {
        add(word.replacing(parts: word.unescaped(before: escaped)), to: &unescaped, "\n")
      }
    }
    if let file { texts.append("\n" + file.text(replacingSecretsWith: "\n")) }
    texts += unescaped
    let found = Self.secret(in: texts.joined(separator: " "), redactor)
    return words.first?.text == "keychain" ? found?.asKeychainName(in: commands.program) : found
  }

  /// Returns a known secret in a text that could not be parsed as commands, whatever the spaces
  /// between its words.
  func secret(inUnread text: String, _ redactor: Redactor) -> TypedSecret? {
    guard redactor.hasSecrets else { return nil }
    let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let spellings = Self.spellings(of: text)
    let unquoted = Self.unquoted(text)
    guard unquoted != text else { return Self.secret(in: spellings, redactor) }
    return Self.secret(in: spellings + "\n" + Self.spellings(of: unquoted), redactor)
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
        let name = text.cutAtEquals()?.name ?? text
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
      for (word, count) in zip(
        command.words, ownCounts(command.words.map(Argument.init(typedPartOf:))))
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

  /// What items take away a backslash before: in values, and in names.
  private static let escaped = [Argument.escapedInValues, Argument.escapedInNames]

  /// What a line takes away a backslash before, in double quotes or without quotes.
  private static let escapedInLines = #" ;'"${}[]&><|#!-\"#

  /// Returns a text without the quotes and the backslashes that a line takes away. A quote that is
  /// left open reaches to the end.
  private static func unquoted(_ text: String) -> String {
    var result: [Unicode.Scalar] = []
    var quote: Unicode.Scalar?
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      if scalar == quote {
        quote = nil
      } else if quote == nil, scalar == "'" || scalar == "\"" {
        quote = scalar
      } else if scalar == "\\", quote != "'", let next = rest.first,
        escapedInLines.unicodeScalars.contains(next)
      {
        result.append(next)
        rest.removeFirst()
      } else {
        result.append(scalar)
      }
    }
    return String(scalars: result)
  }

  /// Returns a text, and behind it the values and names that items in it have.
  private static func spellings(of text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    return ([text] + escaped.map { Argument.unescaped(text, before: $0) }).joined(separator: "\n")
  }

  private static func secret(in text: String, _ redactor: Redactor) -> TypedSecret? {
    guard redactor.hasSecrets,
      let name = redactor.mask(withoutReferences(text, redactor)).names.first
    else { return nil }
    return TypedSecret(known: name, isStored: redactor.hasStored(name))
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
