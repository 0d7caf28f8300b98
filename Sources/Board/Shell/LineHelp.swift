import SwiftBoardCommandLine

/// Help about the syntax of lines around their commands.
enum LineHelp {
  /// The words for which there is help besides commands.
  static let pages = ["line", "shell", "keys"]

  /// The last lines of the list of all commands.
  static func hint(_ width: Int) -> String {
    HelpText.wrapped(
      "help line explains prefixes, values that are put in, and > FILE.\n"
        + "help shell lists the board's own commands, and explains lines as well.\n"
        + "help keys lists the keys that edit a line.", width: width)
  }

  /// Returns the text of `help line`, in lines of at most `width` columns.
  static func text(_ width: Int) -> String {
    guard width < 78 else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
      guard line.hasPrefix("  ") else { return wrapped(line, width, indent: 0) }
      let row = line.dropFirst(2)
      guard let gap = row.firstRange(of: "  ") else {
        return wrapped(row, width, indent: 2, hanging: 6)
      }
      // The explanation goes below, as in `help keys`.
      return wrapped(row[..<gap.lowerBound], width, indent: 2, hanging: 6)
        + wrapped(row[gap.upperBound...], width, indent: 4)
    }.joined()
  }

  private static func wrapped(
    _ text: Substring, _ width: Int, indent: Int, hanging: Int? = nil
  ) -> String {
    HelpText.wrapped(String(text), width: width, indent: indent, hanging: hanging ?? indent)
  }

  private static let text = """
    line: what a line may have besides its command's own words

    Prefixes, before the first command
      ! COMMAND      the line has to fail: its success is a failure
      - COMMAND      the line may fail: its failure counts as a success
      time COMMAND   says how long each command took

    Several commands
      COMMAND; COMMAND   one after the other, up to the first that fails
      COMMAND &          in the background: see jobs, wait and cancel
      source FILE        the lines of a file

    Values that are replaced in a line
      $name ${name}      a variable: see set
      $1 $2              arguments of a script
      {{last}}           the value of the last command that succeeded and has one
      {{last.PATH}}      a part of it, for example {{last.body.items[0].id}}
      {{secret:NAME}}    a secret of the keychain, in requests
    set, help, manual and completions do not change {{last}}.

    Quotes
      'as it is'   "with $name, \\n and \\u{2026}"   <<TAG, lines, TAG
    A word in quotes as a whole is no option: --out 'a b', not '--out=a b'.

    Several rows
      COMMAND \\   goes on in the next row, as an open quote, bracket or <<TAG does

    Output
      COMMAND > FILE    into a file, which is replaced
      COMMAND >> FILE   behind what the file has
      a>b  2>  &>  <    text: only a > that begins a word is followed by a file
      > ~/FILE          in your home, as wherever a file is named without quotes
      > $name           a ~/ in a variable or an argument is not your home

    A # at the start of a command begins a comment, which ends with the line.

    """
}
