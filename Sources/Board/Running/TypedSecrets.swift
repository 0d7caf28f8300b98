import SwiftBoardCommandLine
import SwiftBoardDependencies

/// A secret that was typed into a line where none belongs: the line is refused, and no step has its
/// text.
struct TypedSecret {
  /// What the secret is called: its name in the keychain, or that of its position.
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

/// Finds secrets that were typed into lines: the values of known ones, and values at positions
/// where only a secret can stand.
///
/// What stands behind `keychain set NAME`, where no value belongs, is looked for by its position. A
/// line with a quote left open, a misspelt command or a command that fails before it is reached
/// holds the secret all the same.
struct TypedSecrets: Sendable {
  private let literals: [(feature: String, find: @Sendable ([Argument]) -> SecretWords.Found?)]
  private let positions: [SecretPositions]
  private let advice: [String: String]
  private let commands: CommandTable<BoardCommand>
  private let firstWords: Set<String>

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

  /// A secret for which the whole line is refused before anything of it runs, as each of its
  /// commands has the whole line in its step: the value of a known one, whatever the command, or a
  /// value at a position that takes a secret.
  func refusal(of line: ScriptLine, _ redactor: Redactor) -> TypedSecret? {
    if let known = Self.known(in: line.text, redactor) { return known }
    switch line.parsed {
    case .empty: return nil
    case .commands(let list):
      for command in list.commands {
        let words = command.words.map(Self.typed).withoutWatch
        let file = command.redirect.map { [Self.typed($0.file)] } ?? []
        if let known = Self.known(in: words + file, redactor) { return known }
        if let literal = literal(in: words) { return literal }
        if let value = value(in: words) { return value }
      }
      return nil
    case .incomplete(let open):
      return literal(inUnread: line.text) ?? value(inUnread: line.text, open.error.usageError)
    case .invalid(let error):
      return literal(inUnread: line.text) ?? value(inUnread: line.text, error.usageError)
    }
  }

  /// The text of a line as it may be part of a step. Where a variable may name the command, a line
  /// with a value that the command may take for a secret is left out.
  func shown(_ line: ScriptLine) -> String {
    guard case .commands(let list) = line.parsed else { return line.text }
    for command in list.commands {
      let words = command.words.map(Self.typed).withoutWatch
      if command.words.first?.literal == nil {
        for (feature, _) in literals {
          if let found = literal(in: [Argument(feature)] + words.dropFirst()) { return found.text }
        }
      }
      if let (found, _) = position(in: words, of: list) { return TypedSecret.text(for: found.name) }
    }
    return line.text
  }

  /// A secret for which a command is refused once its words are known.
  ///
  /// - Parameter file: Where its output goes.
  func refusal(of words: [Argument], _ file: Argument?, _ redactor: Redactor) -> TypedSecret? {
    let all = words + (file.map { [$0] } ?? [])
    return Self.known(in: all, redactor) ?? literal(in: all) ?? value(in: words)
  }

  // MARK: Values by their position

  /// A value for which a command is refused, whatever its variables hold.
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

  /// A value in a text that could not be read as commands.
  private func value(inUnread text: String, _ error: UsageError) -> TypedSecret? {
    for feature in positions {
      if let found = feature.find(anywhereIn: text) {
        return refusal(for: found, of: feature, error)
      }
    }
    return nil
  }

  /// - Parameter list: The line's commands where it is not run yet, and variables are not known.
  private func position(
    in words: [Argument], of list: CommandList?
  ) -> (SecretPositions.Found, SecretPositions)? {
    guard let first = words.first else { return nil }
    for feature in positions {
      let names = list?.commands.contains { command in
        command.words.contains { $0.literal.map(feature.isNamed(in:)) == true }
      }
      func find(behindVariable index: Int) -> SecretPositions.Found? {
        feature.find(
          behindVariable: words[(index + 1)...].map(Self.word), namesFeature: names == true)
      }
      var found: SecretPositions.Found?
      if first.text == nil {
        found = find(behindVariable: 0)
      } else if first.text == feature.feature {
        // Other commands of the line have its text, and are run before the variable is known.
        found = feature.find(
          behind: words.dropFirst().map(Self.word),
          unknownCount: list.map { $0.commands.count > 1 } == true ? 0 : 1)
      } else if first.text == "open" {
        found = words.dropFirst().lazy.compactMap { feature.find(inLink: Self.word($0).text) }.first
      } else if first.text == "help", words.dropFirst().first?.text == feature.feature {
        found = feature.find(behind: words.dropFirst(2).map(Self.word))
      } else if first.text == "help" || !firstWords.contains(first.text ?? "") {
        found = feature.find(
          anywhereIn: words.map { Self.word($0).text }.joined(separator: " "))
        // The line may say elsewhere what the word stands for.
        if found == nil, names == true { found = find(behindVariable: 0) }
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

  /// - Parameter error: What else is wrong with the line; it is said instead unless it has a part
  ///   of the value.
  private func refusal(
    for found: SecretPositions.Found, of feature: SecretPositions, _ error: UsageError?
  ) -> TypedSecret {
    let said = [error?.message, error?.help].compactMap { $0 }
    if var error, !found.values.contains(where: { value in said.contains { $0.contains(value) } }) {
      // The line that it would point into is not shown.
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
        "the value of '\(found.name)' looks like a secret, and recordings store every line",
        help: "store it with 'keychain set NAME' and write \(found.form)"))
  }

  /// What cannot be read as words is looked at roughly.
  private func literal(inUnread text: String) -> TypedSecret? {
    var scanner = WordScanner(text)
    while scanner.nextCommand() {
      var words: [Argument] = []
      while let word = scanner.word() { words.append(Argument(word.withoutQuotes)) }
      while let first = words.first?.text, first.isBeforeCommand { words.removeFirst() }
      words = words.withoutWatch
      if let first = words.first?.text { words[0] = Argument(first.trimming(prefixes: "!-")) }
      if let found = literal(in: words) { return found }
    }
    return nil
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

  fileprivate var withoutQuotes: String { String(filter { !"\"'\\".contains($0) }) }

  fileprivate func trimming(prefixes: String) -> String {
    String(drop { prefixes.contains($0) })
  }
}
