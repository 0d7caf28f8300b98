/// A key of a terminal, or a text that was typed or pasted.
package enum Key: Sendable, Hashable, Codable {
  /// Printable characters that arrived together.
  case text(String)
  /// A pasted text. It may contain newlines and tabs, and no other control characters.
  case paste(String)
  /// A letter or sign with Ctrl: `a` for Ctrl-A, `_` for Ctrl-_.
  case control(String)
  /// A lowercase letter or a sign with Alt, or after Escape.
  case meta(String)
  case enter, tab, backTab, escape, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  /// An arrow with Ctrl or Alt.
  case wordLeft, wordRight
  case metaBackspace, metaEnter
  /// Pasted bytes that are no text, which were dropped.
  case invalid
}
