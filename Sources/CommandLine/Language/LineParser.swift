/// The line language: a text in, commands made of words out. Nothing is looked up, run or replaced
/// here.
///
/// ```
/// text      := blank | '#' … | [ prefix ] list
/// prefix    := '!' | '-' | 'time' BLANK          before the whole line; '! x' and '!x' are the same; '--x' is a word
/// list      := command { (';' | NEWLINE) [ command ] }      '#' where a command could start: comment to the line's end
/// command   := word { word } [ '&' ] [ ('>' | '>>') word ]  '&' and the redirect in either order
/// word      := { plain | escape | single | double | variable | reference | bracket }     without blanks between
///            | '<<' TAG | "<<'" TAG "'"          the text of the following lines up to one that is only TAG
/// escape    := '\' one of: blank ; ' " $ { } [ ] & > < | # ! - \     that character; NEWLINE: nothing at all;
///              before anything else the '\' stays, so that items can escape their separators
/// single    := ' … '                             nothing is special up to the next '
/// double    := " … "                             \n \t \r \\ \" \' \$ \{ \} \u{HEX}; '\' NEWLINE: nothing; $ and {{ }} work
/// variable  := '$' NAME | '$' DIGITS | '${' NAME|DIGITS '}'          any other '$' is a '$'
/// reference := '{{' last [ PATH ] '}}' | '{{secret:' name '}}'       on one line; blanks inside the braces do not matter
/// bracket   := '{' … '}' | '[' … ']'             kept as typed, blanks, ; and line ends included, until the bracket closes;
///              a " in it opens a JSON string; $ and {{ }} work, and inside such a string what is put in is escaped
///              as JSON, where '\$' is '$'
/// ```
///
/// - `&` and `>` are special only at the start of a word (`x?a=1&b=2` is one word), `&` only when
///   it is the whole word, and `>` neither before `=` nor in a line that starts with `assert`,
///   whose comparisons need it.
/// - `|`, `||` and `&&` as whole words are refused: they look like a shell's and would be
///   arguments.
/// - A `<<TAG` text ends without its last line end. In it only `$`, `{{ }}`, `\$` and `\{` are
///   special, in `<<'TAG'` nothing.
/// - What is open at the end (quote, bracket, heredoc, a last `\`) makes the text incomplete.
/// - Columns count characters (what a person sees as one) from 1 in their physical line. CR LF
///   counts as a line end.
///
/// Costs time and space linear in the text.
public enum LineParser {
  /// Parses one line, or several physical lines that continue each other.
  public static func parse(_ text: String) -> ParsedLine {
    var scanner = LineScanner(text)
    return scanner.parse()
  }

  /// One command of words that a shell has taken apart already: only `{{…}}` is special in them.
  ///
  /// Columns refer to `literalText(_:)`. An empty list gives `.empty`.
  public static func parse(literal words: [String]) -> ParsedLine {
    guard !words.isEmpty else { return .empty }
    var parsed: [Word] = []
    var column = 1
    for word in words {
      let length = word.count
      do throws(LineStop) {
        var scanner = LineScanner(word)
        parsed.append(
          Word(
            segments: try scanner.literalSegments(isItem: true), column: column, length: length,
            raw: word))
      } catch {
        guard case .invalid(var problem) = error else { return .empty }
        // The word may hold line ends; the shown line does not, so the whole word is blamed then.
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

  /// The line that literal words stand for in messages: joined by blanks.
  public static func literalText(_ words: [String]) -> String { words.joined(separator: " ") }

  /// Commands whose words may be a bare `>`, because they compare.
  static let comparing: Set<String> = ["assert"]
}
