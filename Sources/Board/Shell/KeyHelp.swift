import SwiftBoardCommandLine

/// Help about the keys that edit a line.
enum KeyHelp {
  /// Returns the text of `help keys`, in lines of at most `width` columns.
  static func text(_ width: Int) -> String {
    var text = HelpText.wrapped(
      "keys: what edits a line at a terminal (C-x is Ctrl and x, M-x is Alt and x)", width: width)
    for (title, rows) in sections {
      text += "\n\(title)\n"
      for (keys, help) in rows {
        if width >= 78 {
          text += "  \(keys)" + String(repeating: " ", count: 19 - keys.count) + "\(help)\n"
        } else {
          text += "  \(keys)\n" + HelpText.wrapped(help, width: width, indent: 4, hanging: 4)
        }
      }
    }
    return text + "\n"
      + HelpText.wrapped(
        "A line that begins with a blank, has a secret, or has more than 64 KiB is not kept in the "
          + "history.",
        width: width)
  }

  private static let sections: [(title: String, rows: [(keys: String, help: String)])] = [
    (
      "Moving",
      [
        ("C-b C-f, arrows", "one character"), ("M-b M-f, C-arrows", "one word"),
        ("C-a C-e, Home End", "start and end of the line"),
        ("C-]", "to the next place of the character that follows"),
        ("Up Down, C-p C-n", "lines of the history that begin with what was typed"),
      ]
    ),
    (
      "Changing",
      [
        ("Backspace, C-d", "remove a character; C-d on an empty line leaves"),
        ("C-w M-Backspace", "cut back to a blank, or to the start of a word"),
        ("M-d C-k C-u", "cut a word, the rest of the line, its beginning"),
        ("C-y M-y", "insert what was cut, then what was cut before"),
        ("C-t M-t", "swap characters, swap words"),
        ("M-u M-l M-c", "upper case, lower case, capital"),
        ("M-.", "insert the last word of the line before"), ("C-_ M-_", "undo and redo"),
        ("C-v C-q", "insert the Tab or Enter that follows"),
        ("M-1 to M-9", "apply the next key so often; M-1 M-2 is 12 times"),
      ]
    ),
    (
      "History and completion",
      [
        ("C-r C-s", "search while typing; Backspace goes back, C-g ends it"),
        ("Tab", "complete; again: list what is possible"),
        ("Right, C-e, M-f", "at the end: take the grey hint, or a word of it"),
      ]
    ),
    (
      "Lines",
      [
        ("Enter", "run; an open quote, bracket or heredoc goes on instead"),
        ("M-Enter", "insert a line break"),
        ("C-c", "discard the line, or cancel the command that runs"),
        ("C-l C-z", "clear the screen; stop, until the shell's fg"),
      ]
    ),
  ]
}
