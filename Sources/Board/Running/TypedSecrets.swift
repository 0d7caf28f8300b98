import SwiftBoardCommandLine
import SwiftBoardDependencies

/// A secret that was typed into a line where none belongs: the line is refused, and no step has its
/// text.
struct TypedSecret {
  /// What the secret is called: its name in the keychain, or that of its place.
  let name: String
  /// What is said of it; it names no word, since the line is not shown.
  let error: UsageError

  /// What stands for the line.
  var text: String { Self.text(for: name) }

  /// What stands for a line, or a part of one, that holds a secret.
  static func text(for name: String) -> String {
    "[refused: secret \(String(name.filter { !$0.isNewline && $0 != "\0" }))]"
  }
}

/// Finds secrets that were typed into lines.
///
/// A value typed after `keychain set NAME`, where none belongs, is looked for in the text, not in
/// what the text means: a line with a quote left open, a misspelt command or a command that fails
/// before it is reached holds the secret all the same.
struct TypedSecrets: Sendable {
  /// A command that stores a secret, and what tells it from the feature's others.
  fileprivate struct Storing: Sendable {
    let feature: String
    let command: String
    let otherCommands: Set<String>
    let valuedOptions: Set<String>
  }

  private let literals: [(feature: String, find: @Sendable ([Argument]) -> SecretWords.Found?)]
  private let storing: [Storing]

  init(_ features: FeatureList) {
    literals = features.features.map { ($0.name, $0.secretWords.literal) }
    storing = features.features.compactMap { feature in
      guard let command = feature.secretWords.storing else { return nil }
      let options = feature.commands.specs.flatMap(\.options) + features.commands.globals
      let valued = options.filter { $0.value != nil }
      return Storing(
        feature: feature.name, command: command,
        otherCommands: Set(feature.commands.words(after: [feature.name])).subtracting([command]),
        valuedOptions: Set(
          valued.map { "--\($0.name)" } + valued.compactMap(\.short).map { "-\($0)" }))
    }
  }

  /// A secret for which the whole line is refused before anything of it runs: the value of a known
  /// one, whatever the command, or a value at a place of a request that takes a secret.
  func refusal(of line: ScriptLine, _ redactor: Redactor) -> TypedSecret? {
    if let known = Self.known(in: line.text, redactor) { return known }
    switch line.parsed {
    case .empty: return nil
    case .commands(let list):
      // Before anything of the line runs, as each of its commands has the whole line in its step.
      for command in list.commands {
        let words = command.words.map(Self.typed)
        let file = command.redirect.map { [Self.typed($0.file)] } ?? []
        if let known = Self.known(in: words + file, redactor) { return known }
        if let literal = literal(in: words) { return literal }
      }
      return nil
    case .incomplete, .invalid:
      // What cannot be read as words is looked at roughly.
      var scanner = WordScanner(line.text)
      while scanner.nextCommand() {
        var words: [Argument] = []
        while let word = scanner.word() { words.append(Argument(word.withoutQuotes)) }
        while let first = words.first?.text, first.isBeforeCommand { words.removeFirst() }
        if let first = words.first?.text {
          words[0] = Argument(first.trimming(prefixes: "!-"))
        }
        if let found = literal(in: words) { return found }
      }
      return nil
    }
  }

  /// The text of a line as it may be part of a step. Where a variable may name the command, a value
  /// at a place that takes a secret is left out: the command may yet be a request.
  func shown(_ line: ScriptLine) -> String {
    if case .commands(let list) = line.parsed {
      for command in list.commands where command.words.first?.literal == nil {
        for (feature, _) in literals {
          let words = [Argument(feature)] + command.words.dropFirst().map(Self.typed)
          if let found = literal(in: words) { return found.text }
        }
      }
    }
    return removed(from: line.text)
  }

  /// A secret for which a command is refused once its words are known.
  func refusal(of words: [Argument], _ redactor: Redactor) -> TypedSecret? {
    Self.known(in: words, redactor) ?? literal(in: words)
  }

  private static func known(in words: [Argument], _ redactor: Redactor) -> TypedSecret? {
    for word in words {
      for case .text(let text) in word.parts {
        if let known = known(in: text, redactor) { return known }
      }
    }
    return nil
  }

  private static func known(in text: String, _ redactor: Redactor) -> TypedSecret? {
    guard redactor.hasSecrets,
      let name = redactor.mask(withoutReferences(text)).names.first
    else { return nil }
    return TypedSecret(
      name: name,
      error: UsageError(
        "this is the value of the secret '\(name)': write {{secret:\(name)}}",
        help: "a line is kept in recordings, so it names secrets and holds none"))
  }

  private func literal(in words: [Argument]) -> TypedSecret? {
    guard let found = literals.lazy.compactMap({ $0.find(words) }).first else { return nil }
    return TypedSecret(
      name: found.name,
      error: UsageError(
        "the value of '\(found.name)' is taken for a secret, and a line is kept in recordings",
        help: "store it with 'keychain set NAME' and write \(found.form)"))
  }

  /// A word with what was typed of it.
  private static func typed(_ word: Word) -> Argument {
    let parts = word.segments.map { segment -> Argument.Part in
      if case .text(let text) = segment { .text(text) } else { .secret("") }
    }
    return Argument(parts: parts, typedCount: word.literal == nil && !word.hasSecret ? 0 : nil)
  }

  /// The text without what names a secret: a name may be what another secret's value is.
  private static func withoutReferences(_ text: String) -> String {
    let opening = Array("{{secret:".utf8)
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let start = rest.firstIndex(of: opening[0]) {
      let tail = rest[start...]
      guard tail.starts(with: opening), let end = tail.firstIndex(of: UInt8(ascii: "}")) else {
        result += rest[...start]
        rest = rest[(start + 1)...]
        continue
      }
      result += rest[..<start] + [UInt8(ascii: "\n")]
      rest = rest[(end + 1)...]
    }
    return String(decoding: result + rest, as: UTF8.self)
  }

  /// The line with a mark from the first such secret to its end. One pass.
  func removed(from line: String) -> String {
    var scanner = WordScanner(line)
    while scanner.nextCommand() {
      var first = scanner.word()
      while first?.isBeforeCommand == true { first = scanner.word() }
      guard let first, let second = scanner.word(),
        let storing = storing.first(where: {
          $0.mayBe(first.trimming(prefixes: "!-"), second)
        }),
        let name = scanner.word()
      else { continue }
      var skipsNext = false
      while let start = scanner.nextStart, let word = scanner.word() {
        if skipsNext || word.hasPrefix("-") || word.hasPrefix(">") || word == "&" {
          skipsNext =
            !skipsNext
            && (storing.valuedOptions.contains(word) || word.allSatisfy { $0 == ">" })
          continue
        }
        if word.hasPrefix("#") { break }
        return line[..<start] + TypedSecret.text(for: name.withoutQuotes)
      }
    }
    return line
  }
}

extension TypedSecrets.Storing {
  /// Whether two words may be the command. What a variable puts in is not known here: then the other
  /// word decides.
  fileprivate func mayBe(_ first: String, _ second: String) -> Bool {
    let (first, second) = (first.withoutQuotes, second.withoutQuotes)
    if isFeature(first) { return !otherCommands.contains(second) }
    guard first.isFilledIn else { return false }
    return second.isFilledIn || second == command
      || !otherCommands.contains(second)
        && Suggestion.nearest(to: second, among: [command]) != nil
  }

  private func isFeature(_ word: String) -> Bool {
    word == feature
      || abs(word.utf8.count - feature.utf8.count) <= 2
        && Suggestion.nearest(to: word, among: [feature]) != nil
  }
}

/// The words of a line, roughly: blanks part them, quotes hold them together, and a semicolon ends
/// a command.
private struct WordScanner {
  private let line: String
  private var index: String.Index
  private var isFirst = true

  init(_ line: String) {
    self.line = line
    index = line.startIndex
  }

  /// Where the next word of this command begins.
  var nextStart: String.Index? {
    let start = line[index...].firstIndex { !$0.isWhitespace } ?? line.endIndex
    return start < line.endIndex && line[start] != ";" ? start : nil
  }

  /// Goes to the next command; false at the end.
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
  /// Whether a command may follow: a prefix, a program's option, or what ends another command.
  fileprivate var isBeforeCommand: Bool {
    self == "time" || hasPrefix("--") || allSatisfy { "!-&|".contains($0) }
  }

  /// Whether a value is put in, so that the word may become any other.
  fileprivate var isFilledIn: Bool { contains("$") || contains("{{") }

  fileprivate var withoutQuotes: String { String(filter { !"\"'\\".contains($0) }) }

  fileprivate func trimming(prefixes: String) -> String {
    String(drop { prefixes.contains($0) })
  }
}
