/// The words of the command at the end of a text that is still being typed.
///
/// Unlike `LineParser`, it accepts text that is not complete, and expands nothing.
struct TypedWords: Sendable, Equatable {
  /// The words before the last one, without their quotes.
  private(set) var words: [String] = []
  /// The last word without its quotes. It is empty behind a blank.
  private(set) var word = ""
  /// The number of characters of the last word, with its quotes.
  private(set) var rawCount = 0
  /// The quote that is open at the end.
  private(set) var quote: Character?
  /// Whether the last word is the file of a redirection.
  private(set) var isRedirection = false
  /// Whether the last `{` of the last word is text, so that `{{secret:` is no reference.
  private(set) var hasTextBrace = false
  /// Whether a `$` of the last word is text.
  private(set) var hasTextDollar = false

  /// - Returns: `nil` if nothing can be completed there, as in a comment or a heredoc.
  init?(_ text: String) {
    var scanner = Scanner(Array(Self.withoutPrefix(text)))
    guard scanner.scan() else { return nil }
    words = scanner.words
    word = scanner.word
    rawCount = scanner.rawCount
    quote = scanner.quote
    isRedirection = scanner.isRedirection
    hasTextBrace = scanner.hasTextBrace
    hasTextDollar = scanner.hasTextDollar
  }

  /// Returns the text behind `!`, `-` or `time`, if one is the prefix of the line. `--` begins a
  /// word.
  private static func withoutPrefix(_ text: String) -> Substring {
    let line = text.drop { " \t\n".contains($0) }
    let isSign = line.hasPrefix("!") || line.hasPrefix("-") && !line.hasPrefix("--")
    if isSign { return line.dropFirst() }
    let isTime = ["time ", "time\t", "time\n"].contains { line.hasPrefix($0) }
    return isTime ? line.dropFirst(4) : line
  }

  private struct Scanner {
    let characters: [Character]
    var words: [String] = []
    var word = ""
    var rawCount = 0
    var quote: Character?
    var isRedirection = false
    var hasTextBrace = false
    var hasTextDollar = false
    private var depth = 0

    init(_ characters: [Character]) { self.characters = characters }

    mutating func scan() -> Bool {
      var index = 0
      while index < characters.count {
        let character = characters[index]
        let next = index + 1 < characters.count ? characters[index + 1] : nil
        index += 1
        if let open = quote {
          if character == open {
            quote = nil
            rawCount += 1
            if depth > 0 { word.append(character) }
          } else if open == "\"", character == "\\", let next, depth == 0 {
            rawCount += 1
            add(next, isText: true)
            index += 1
          } else {
            add(character, isText: open == "'")
          }
          continue
        }
        switch character {
        case "'" where depth == 0, "\"":
          quote = character
          rawCount += 1
          if depth > 0 { word.append(character) }
        case "\\":
          rawCount += 1
          if let next {
            add(next, isText: true)
            index += 1
          }
        case "{", "[":
          depth += 1
          add(character)
        case "}", "]":
          depth = max(0, depth - 1)
          add(character)
        case _ where depth > 0: add(character)
        case " ", "\t": endWord()
        case ";", "\n": endCommand()
        case "#" where words.isEmpty && rawCount == 0: return false
        case "&" where rawCount == 0: endCommand()
        case ">" where rawCount == 0 && words.first != "assert":
          isRedirection = true
        case "<" where rawCount == 0 && next == "<": return false
        default: add(character)
        }
      }
      return true
    }

    private mutating func add(_ character: Character, isText: Bool = false) {
      // Both braces of a reference are typed as they are.
      if character == "{" { hasTextBrace = isText || hasTextBrace && word.last == "{" }
      if character == "$", isText { hasTextDollar = true }
      word.append(character)
      rawCount += 1
    }

    private mutating func endWord() {
      guard rawCount > 0 else { return }
      words.append(word)
      (word, rawCount, isRedirection, hasTextDollar) = ("", 0, false, false)
    }

    private mutating func endCommand() {
      (words, word, rawCount, isRedirection, hasTextDollar) = ([], "", 0, false, false)
    }
  }
}
