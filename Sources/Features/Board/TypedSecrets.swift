import SwiftBoardCommandLine

/// Takes secrets out of lines in which somebody typed one after `keychain set NAME`, where none belongs.
///
/// It works on the text, not on what the text means: a line with a quote left open, a misspelt command or a command that fails before it
/// is reached holds the secret all the same.
enum TypedSecrets {
  private static let subcommands: Set<String> = [
    "init", "unlock", "lock", "status", "get", "list", "remove", "rename", "passphrase", "export",
    "import", "check", "accept",
  ]
  private static let valuedOptions: Set<String> = [
    "--from-file", "--generate", "--output", "-o", "--timeout",
  ]

  /// The line with a mark from the first such secret to its end. One pass.
  static func removed(from line: String) -> String {
    var scanner = WordScanner(line)
    while scanner.nextCommand() {
      var first = scanner.word()
      if first == "time" { first = scanner.word() }
      guard let first, let second = scanner.word(),
        mayStore(first.trimming(prefixes: "!-"), second),
        scanner.word() != nil
      else { continue }
      var skipsNext = false
      while let start = scanner.nextStart, let word = scanner.word() {
        if skipsNext || word.hasPrefix("-") || word.hasPrefix(">") || word == "&" {
          skipsNext = !skipsNext && (valuedOptions.contains(word) || word.allSatisfy { $0 == ">" })
          continue
        }
        if word.hasPrefix("#") { break }
        return line[..<start] + RedactedMark.text
      }
    }
    return line
  }

  /// Whether the command may be `keychain set`. What a variable puts in is not known here: then the other word decides.
  private static func mayStore(_ first: String, _ second: String) -> Bool {
    let (command, subcommand) = (first.withoutQuotes, second.withoutQuotes)
    if isKeychain(command) { return !subcommands.contains(subcommand) }
    guard command.isFilledIn else { return false }
    return subcommand.isFilledIn || subcommand == "set"
      || !subcommands.contains(subcommand)
        && Suggestion.nearest(to: subcommand, among: ["set"]) != nil
  }

  private static func isKeychain(_ word: String) -> Bool {
    word == "keychain"
      || (6...10).contains(word.utf8.count)
        && Suggestion.nearest(to: word, among: ["keychain"]) != nil
  }
}

/// The words of a line, roughly: blanks part them, quotes hold them together, and a semicolon ends a command.
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
    while word() != nil {}
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
  /// Whether a value is put in, so that the word may become any other.
  fileprivate var isFilledIn: Bool { contains("$") || contains("{{") }

  fileprivate var withoutQuotes: String { String(filter { !"\"'\\".contains($0) }) }

  fileprivate func trimming(prefixes: String) -> String {
    String(drop { prefixes.contains($0) })
  }
}
