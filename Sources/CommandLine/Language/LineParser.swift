/// Parses the line language: text in, commands made of words out. It does not expand or run them.
///
/// ```
/// text      := blank | '#' … | [ prefix ] list
/// prefix    := '!' | '-' | 'time' BLANK
/// list      := command { (';' | NEWLINE) [ command ] }
/// command   := word { word } [ '&' ] [ ('>' | '>>') word ]
/// word      := { plain | escape | single | double | variable | reference | bracket }
///            | '<<' TAG | "<<'" TAG "'" | '<<"' TAG '"'
/// escape    := '\' one of: blank ; ' " $ { } [ ] & > < | # ! - \ NEWLINE
/// single    := ' … '
/// double    := " … "
/// variable  := '$' NAME | '$' DIGITS | '${' NAME|DIGITS '}'
/// reference := '{{' last [ PATH ] '}}' | '{{secret:' name '}}'
/// bracket   := '{' … '}' | '[' … ']'
/// ```
///
/// - A prefix applies to the whole line. `! x` and `!x` are the same; `--x` is a word.
/// - A `#` at the start of a command begins a comment that ends with the line.
/// - `&` and the redirect may be in either order.
/// - A word contains no blanks between its parts.
/// - A `<<TAG` word stands for the text of the following lines up to a line that is only TAG. The
///   text ends without its last newline. In it, only `$`, `{{ }}`, `\$` and `\{` are special. In
///   the text of `<<'TAG'` and `<<"TAG"`, nothing is special. A `<<<` is text.
/// - An escape stands for the escaped character, or for nothing if it is a newline. Before any
///   other character, the `\` is kept, so that items can escape their separators.
/// - In single quotes, nothing is special up to the next `'`.
/// - In double quotes, `$` and `{{ }}` work, and the escapes are `\n \t \r \\ \" \' \$ \{ \}` and
///   `\u{HEX}`. A `\` before a newline stands for nothing.
/// - Any other `$` is a `$`.
/// - A reference is on one line. Blanks inside its braces are ignored.
/// - A bracket is kept as typed until it closes, including blanks, `;` and newlines. A `"` in it
///   opens a JSON string. `$` and `{{ }}` work. Inside a JSON string, inserted values are escaped
///   as JSON, and `\$` is `$`.
/// - `&` and `>` are special only at the start of a word (`x?a=1&b=2` is one word). `&` must be the
///   whole word. `>` is not special before `=`, or in a command that is `assert`, also behind
///   `watch`, which uses it for comparisons.
/// - `|`, `||` and `&&` as whole words are refused: they look like shell operators but would be
///   arguments. A file of a redirection that begins with `&` is refused, too: it looks like a
///   stream.
/// - An open quote, bracket or heredoc, or a last `\`, makes the text incomplete, also after an
///   error in it or before it. So the rest of its text is not taken for lines.
/// - Columns count characters from 1 in their physical line. CR LF counts as a newline.
///
/// Time and space are linear in the text.
public enum LineParser {
  /// Parses one line, or several physical lines that continue each other.
  public static func parse(_ text: String) -> ParsedLine {
    var scanner = LineScanner(text)
    return scanner.parse()
  }

  /// Parses the words of one command that a shell has already split. Only `{{…}}` is special in
  /// them.
  ///
  /// Columns refer to `literalText(_:)`. An empty list gives `.empty`.
  ///
  /// - Parameter isQuoted: Whether the words are data, so that none is an option.
  public static func parse(literal words: [String], isQuoted: Bool = false) -> ParsedLine {
    guard let first = words.first else { return .empty }
    if !isQuoted, ["!", "-", "time"].contains(first) {
      return .invalid(
        LineSyntaxError(
          "'\(first)' is the prefix of a line, and no command",
          help: "give the line with -c: -c '\(first) COMMAND'", length: first.count))
    }
    var parsed: [Word] = []
    var column = 1
    for word in words {
      let length = word.count
      var scanner = LineScanner(word, keepsReturns: true)
      scanner.adviceForText = "to write it as text, give the line with -c, in single quotes there"
      parsed.append(
        Word(
          segments: scanner.literalSegments(isItem: true),
          quoting: isQuoted ? .data : .none, column: column, length: length, raw: word))
      if var problem = scanner.problem {
        // The word may contain newlines, but the shown line does not, so the error covers the whole
        // word.
        if problem.lineOffset > 0 {
          problem.lineOffset = 0
          problem.column = 1
          problem.length = max(1, length)
        }
        problem.column += column - 1
        return .invalid(problem)
      }
      column += length + 1
    }
    return .commands(CommandList(commands: [ParsedCommand(words: parsed)]))
  }

  /// Returns the line that represents literal words in messages: the words joined by spaces.
  public static func literalText(_ words: [String]) -> String { words.joined(separator: " ") }

  /// Returns a line that has these words, with quotes where a word needs them. Double quotes are
  /// kept: in a condition, they make a text. References to secrets stay references.
  package static func line(of words: [Argument]) -> String {
    words.map { word in
      // Text that begins like an option is none if it was quoted or inserted.
      let isText = (word.isQuoted || word.typedCount == 0) && word.leadingText.hasPrefix("-")
      // As an escape, a control character is visible.
      if word.quoting != .double, !word.shown.unicodeScalars.contains(where: isControl) {
        if !isText, stands(word.shown, for: word) { return word.shown }
        if let inHome = wordInHome(word) { return inHome }
        if let text = word.text, !text.unicodeScalars.contains("'") { return "'\(text)'" }
      }
      return doubleQuoted(word.parts)
    }.joined(separator: " ")
  }

  /// Returns a word in quotes, but for the beginning up to a `~/` that stands for the user's home,
  /// which it would not in quotes. `nil` if the word has none.
  private static func wordInHome(_ word: Argument) -> String? {
    guard word.home != nil, let text = word.text, let tilde = text.firstRange(of: "~/")
    else { return nil }
    let rest = String(text[tilde.upperBound...])
    let line =
      text[..<tilde.upperBound]
      + (rest.unicodeScalars.contains("'") ? doubleQuoted([.text(rest)]) : "'\(rest)'")
    return stands(String(line), for: word) ? String(line) : nil
  }

  /// Returns whether a text without quotes around it stands for a word behind the first one.
  private static func stands(_ line: String, for word: Argument) -> Bool {
    guard case .commands(let list) = parse("x \(line)"), list.commands.count == 1 else {
      return false
    }
    let command = list.commands[0]
    guard command.words.count == 2, !command.isBackground, command.redirect == nil else {
      return false
    }
    let parsed = command.words[1]
    // Without quotes, a `~/` that was quoted or inserted would be the user's home.
    guard !parsed.isQuoted, word.home != nil || !parsed.mayNameHome else { return false }
    let parts = parsed.segments.compactMap { segment -> Argument.Part? in
      switch segment {
      case .text(let text): .text(text)
      case .secret(let name): .secret(name)
      case .variable, .last: nil
      }
    }
    return parts.count == parsed.segments.count && SecretTemplate(parts: parts).parts == word.parts
  }

  private static func doubleQuoted(_ parts: [Argument.Part]) -> String {
    var quoted = "".unicodeScalars
    for part in parts {
      guard case .text(let text) = part else {
        quoted += SecretTemplate(parts: [part]).description.unicodeScalars
        continue
      }
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\n": quoted += #"\n"#.unicodeScalars
        case "\t": quoted += #"\t"#.unicodeScalars
        case "\r": quoted += #"\r"#.unicodeScalars
        case _ where isControl(scalar):
          quoted += #"\u{\#(String(scalar.value, radix: 16))}"#.unicodeScalars
        default:
          if #"\"${}"#.unicodeScalars.contains(scalar) { quoted.append("\\") }
          quoted.append(scalar)
        }
      }
    }
    return "\"\(String(quoted))\""
  }

  /// The commands whose words may be a bare `>`, as a comparison.
  static let comparing: Set<String> = ["assert"]
}
