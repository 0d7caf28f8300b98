import SwiftBoardCommandLine
import SwiftBoardDependencies

/// The search for secrets in typed lines: the values of known secrets, and values at positions that
/// only a secret can have.
///
/// A value after `keychain set NAME`, where none belongs, is found by its position. It is a secret
/// even if a quote is left open, the command is misspelled, or an earlier command fails first.
struct TypedSecretFinder: Sendable {
  private let literals: [(feature: String, find: @Sendable ([Argument]) -> SecretWords.Found?)]
  private let positions: [SecretPositions]
  private let advice: [String: String]
  private let commands: CommandTable<BoardCommand>
  private let known: KnownSecretFinder
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
    known = KnownSecretFinder(commands, firstWords: firstWords)
  }

  /// Returns the secret for which a whole line is rejected before any part of it runs, because each
  /// command has the whole line in its step. It is the value of a known secret in any command, or a
  /// value at the position of a secret.
  func refusal(of line: ScriptLine, _ redactor: Redactor) -> TypedSecret? {
    if let known = known.secret(in: line, redactor) { return known }
    switch line.parsed {
    case .empty: return nil
    case .commands(let list):
      var mayDefineAliases = false
      for command in list.commands {
        let words = typedWords(of: command)
        let file = command.redirect.map { Argument(typedPartOf: $0.file) }
        if let known = known.secret(in: words, file, redactor) { return known }
        if let literal = literal(in: words, mayBeAlias: mayDefineAliases)
          ?? literal(inLineOf: words)
        {
          return literal
        }
        if let value = value(in: words) { return value }
        mayDefineAliases = mayDefineAliases || ["source", "alias"].contains(words.first?.text)
      }
      return nil
    case .incomplete(let open):
      return secret(inUnread: line, open.error.usageError, redactor)
    case .invalid(let error):
      return secret(inUnread: line, error.usageError, redactor)
    }
  }

  /// Returns the text of a line, or what stands for it if it contains a secret that has become
  /// known since it was typed. The rule is that for typed lines, in which words of commands are no
  /// secrets.
  static func shown(_ text: String, _ features: FeatureList, _ redactor: Redactor) -> String {
    guard redactor.mayBeSecret(inLine: text) else { return text }
    let line = ScriptLine(
      text: text, location: LineLocation(nil, line: 1), parsed: LineParser.parse(text))
    return TypedSecretFinder(features).refusal(of: line, redactor)?.text ?? text
  }

  private func secret(
    inUnread line: ScriptLine, _ error: UsageError, _ redactor: Redactor
  ) -> TypedSecret? {
    if let known = known.secret(inUnread: line.text, redactor) { return known }
    let commands = line.words.map(roughCommands(ofSplit:)) ?? roughCommands(in: line.text)
    guard
      let found = literal(inUnread: commands) ?? value(inUnread: line.text, commands, error)
    else { return nil }
    // The error of a line that is no text has a code of its own, and quotes no word.
    return error.kind == .malformedData ? TypedSecret(name: found.name, reporting: error) : found
  }

  /// Returns the text of a line for steps. If a variable may name the command, a line with a
  /// possible secret is replaced.
  func shown(_ line: ScriptLine) -> String {
    guard case .commands(let list) = line.parsed else { return line.text }
    var mayDefineAliases = false
    for command in list.commands {
      var words = typedWords(of: command)
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
    known.secret(in: words, file, redactor) ?? literal(in: words + (file.map { [$0] } ?? []))
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
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - commands: The words of its commands, split roughly.
  ///   - error: Its error.
  private func value(
    inUnread text: String, _ commands: [[Argument]], _ error: UsageError
  ) -> TypedSecret? {
    var commands = commands
    for feature in positions {
      guard let found = feature.find(anywhereIn: text) else { continue }
      // A wrong escape alone is a value only where one is stored.
      if !found.isStoring, let rest = Self.text(text, withoutEscapeOf: error),
        feature.find(anywhereIn: rest) == nil
      {
        commands = roughCommands(in: rest)
        continue
      }
      return refusal(for: found, of: feature, error)
    }
    // A variable may name the feature, quotes may divide its name, and a link may have escapes.
    for words in commands where !words.hasOperators {
      if let (found, feature) = position(in: words, of: nil) {
        return refusal(for: found, of: feature, error)
      }
    }
    return nil
  }

  /// Returns a text without the wrong escape that an error is about, or `nil` if it is about
  /// something else.
  private static func text(_ text: String, withoutEscapeOf error: UsageError) -> String? {
    var rows = text.physicalLines
    guard let column = error.column, let length = error.length,
      rows.indices.contains(error.lineOffset)
    else { return nil }
    let row = rows[error.lineOffset]
    let escape = row.dropFirst(column - 1)
    guard escape.first == "\\" else { return nil }
    rows[error.lineOffset] = row.prefix(column - 1) + escape.dropFirst(length)
    return rows.joined(separator: "\n")
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
    let typed = words.map(SecretPositions.Word.init)
    for feature in positions {
      var isNamed: Bool {
        mayBeAny
          || list?.commands.contains { command in
            command.words.contains { $0.literal.map(feature.isNamed(in:)) == true }
          } ?? false
      }
      func find(behindVariable index: Int) -> SecretPositions.Found? {
        feature.find(behindVariable: typed[(index + 1)...], namesFeature: isNamed)
      }
      var found: SecretPositions.Found?
      if first.text == nil {
        found = find(behindVariable: 0)
      } else if first.text == feature.feature {
        // The other commands of the line have its text and run before the variable is known.
        found = feature.find(
          behind: typed.dropFirst(),
          unknownCount: list.map { $0.commands.count > 1 } == true ? 0 : 1)
      } else if first.text == "open" {
        found =
          words.dropFirst().lazy.compactMap {
            feature.find(inLink: $0.text(replacingSecretsWith: ""))
          }.first
      } else if first.text == "help", words.dropFirst().first?.text == feature.feature {
        found = feature.find(behind: typed.dropFirst(2))
      } else if ["help", "alias"].contains(first.text) || !firstWords.contains(first.text ?? "") {
        found = feature.find(
          anywhereIn: words.map { $0.text(replacingSecretsWith: "") }.joined(separator: " "))
        // Another part of the line may define the word.
        if found == nil, isNamed { found = find(behindVariable: 0) }
        // What is typed behind a run of variables is found behind its first ones.
        var runLength = 0
        for index in words.indices where found == nil && words[index].text == nil {
          let isInRun = SecretPositions.command(in: typed[(index + 1)...])?.isFilledIn == true
          if isInRun { runLength += 1 }
          if !isInRun || runLength <= 16 { found = find(behindVariable: index) }
        }
      }
      if let found { return (found, feature) }
    }
    return nil
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
    if let error, !found.values.contains(where: { value in said.contains { $0.contains(value) } }) {
      return TypedSecret(name: found.name, reporting: error)
    }
    if !found.isStoring, let usage = found.usage {
      return TypedSecret(
        name: found.name,
        error: UsageError(
          "the words do not fit the command, and are not shown: a secret may be among them",
          help: "usage: \(usage); a secret that it needs is asked for"))
    }
    return TypedSecret(
      name: found.name,
      error: UsageError(
        "a secret on the command line would stay in histories and process lists",
        help: advice[feature.feature]))
  }

  // MARK: Values in requests

  /// - Parameter mayBeAlias: Whether the first word may be an alias that is not defined yet.
  private func literal(in words: [Argument], mayBeAlias: Bool = false) -> TypedSecret? {
    guard let found = literals.lazy.compactMap({ $0.find(words) }).first else {
      return literal(behindUnknown: words, mayBeAlias: mayBeAlias)
    }
    return TypedSecret(found, isQuoted: Self.haveQuotedReference(words))
  }

  /// Returns whether a reference in words is text. It was quoted, as a shell needs it.
  private static func haveQuotedReference(_ words: [Argument]) -> Bool {
    words.contains { $0.text(replacingSecretsWith: "\u{FFFC}").contains("{{secret:") }
  }

  /// Returns a secret in words of which the first is no command: misspelt, left out, or that of
  /// another program. The words are read as those of each feature.
  private func literal(behindUnknown words: [Argument], mayBeAlias: Bool) -> TypedSecret? {
    guard let first = words.first?.text, !firstWords.contains(first) else { return nil }
    func find(_ rest: some Sequence<Argument>) -> SecretWords.Found? {
      literals.lazy.compactMap { $0.find([Argument($0.feature)] + rest) }.first
    }
    let isQuoted = Self.haveQuotedReference(words)
    if let found = find(words.prefix(1)) { return TypedSecret(found, isQuoted: isQuoted) }
    guard let found = find(words.dropFirst()) ?? find(words) else { return nil }
    if !mayBeAlias {
      // The error quotes the first word alone, which has no secret.
      do throws(UsageError) { _ = try commands.parse(words: [Argument(first)]) } catch {
        return TypedSecret(name: found.name, reporting: error)
      }
    }
    return TypedSecret(found, isQuoted: isQuoted)
  }

  /// Returns a secret in the line that an alias is to stand for, be it quoted or not, or in the
  /// words behind `help`. Neither takes a reference, so none is advised to leave its quotes off.
  private func literal(inLineOf words: [Argument]) -> TypedSecret? {
    let line: [Argument]
    var found: TypedSecret?
    switch words.first?.text {
    case "alias" where words.count > 2:
      line = Array(words[2...]).withoutWatch(firstWords)
      let text = line.map { $0.text(replacingSecretsWith: "{{secret:}}") }.joined(separator: " ")
      found =
        literal(in: line, mayBeAlias: true)
        ?? roughCommands(in: text).lazy.compactMap { literal(in: $0, mayBeAlias: true) }.first
    case "help":
      line = Array(words[1...]).withoutWatch(firstWords)
      found = literal(in: line, mayBeAlias: true)
    default:
      return nil
    }
    guard let found, let command = words[0].text, Self.haveQuotedReference(line) else {
      return found
    }
    return TypedSecret(name: found.name, reporting: takesNoSecret(command))
  }

  /// Returns a secret in the roughly split commands of a text that could not be parsed.
  private func literal(inUnread commands: [[Argument]]) -> TypedSecret? {
    commands.lazy.compactMap { words in
      // The first word may name the command, or the command is missing before it.
      let words = words.first?.text == nil ? [Argument("")] + words : words
      return literal(in: words, mayBeAlias: true) ?? literal(inLineOf: words)
    }.first
  }

  /// Returns the words of the commands of a text that could not be parsed, by splitting it roughly.
  private func roughCommands(in text: String) -> [[Argument]] {
    RoughLineScanner.commands(in: text).map(withoutPrefixes)
  }

  /// Returns the words of the commands of words that a shell has split. The first may be a line.
  private func roughCommands(ofSplit words: [String]) -> [[Argument]] {
    let line = words.first.flatMap { $0.contains(where: \.isWhitespace) ? $0 : nil }
    return RoughLineScanner.commands(of: words.map(RoughLineScanner.argument(literal:)))
      .map(withoutPrefixes) + roughCommands(in: line ?? "")
  }

  /// Returns the words of a command without `watch`, and without the prefixes of the first one.
  private func withoutPrefixes(_ command: [Argument]) -> [Argument] {
    var words = command.withoutWatch(firstWords)
    if let first = words.first {
      let prefixes = first.leadingText.prefix { "!-".contains($0) }
      words[0] = first.droppingLeading(prefixes.unicodeScalars.count)
    }
    return words
  }

  /// Returns the typed words of a command, without a `watch` that repeats it.
  private func typedWords(of command: ParsedCommand) -> [Argument] {
    command.words.map(Argument.init(typedPartOf:)).withoutWatch(firstWords)
  }
}

extension Argument {
  /// Creates an argument from the typed part of a word. A secret without a name replaces the rest.
  init(typedPartOf word: Word) {
    let parts = word.segments.map { segment -> Part in
      if case .text(let text) = segment { .text(text) } else { .secret("") }
    }
    self.init(parts: parts, typedCount: word.literal == nil && !word.hasSecret ? 0 : nil)
  }
}
