/// An action of the line editor.
package enum EditorAction: Sendable, Hashable, Codable {
  /// A line begins. Keys that were typed ahead are applied.
  case begin(prompt: EditorPrompt)
  /// Keys that arrived together.
  case keys([Key])
  /// The prompt has changed while a line is edited.
  case promptChanged(EditorPrompt)
  /// Continues after a signal that did not end the line.
  case resumed
  /// SIGINT from another program.
  case interrupted
  /// Drops the keys that were typed ahead.
  case droppedKeys
  /// A line that was run, for the history in memory.
  case remembered(String, isKept: Bool = true)
  /// Lines with a secret that has become known, or after the keychain was locked. Keys find them no
  /// longer.
  case forgotten(Set<String>)
  /// The lines of the history of earlier sessions.
  case historyLoaded([String])
  /// Lines that other processes have added to the history.
  case historyGrew([String])
  /// The answer to a request for candidates, or `nil` if there was none in time.
  case completed(id: Int, answer: CompletionAnswer?)
}

/// The prompts of a line.
package struct EditorPrompt: Sendable, Hashable, Codable {
  /// The prompt before the first physical line.
  package var first: String
  /// The prompt before each further physical line.
  package var continuation: String

  package init(first: String, continuation: String) {
    self.first = first
    self.continuation = continuation
  }
}

/// The result of an action that concerns the program or the terminal, and not just the line.
package enum EditorSignal: Sendable, Hashable, Codable {
  /// A complete line.
  case accepted(String)
  /// Ctrl-C, and whether it discarded text.
  case interrupted(hadText: Bool)
  /// Ctrl-D on an empty line.
  case ended
  /// Ctrl-Z. `resumed` continues.
  case suspended
  /// Ctrl-L: the screen has to be cleared. `resumed` continues.
  case cleared
}

/// A request for the candidates of the word at the cursor.
package struct CompletionRequest: Sendable, Hashable {
  /// The number of the request, for its answer.
  package var id: Int
  /// The text before the cursor.
  package var text: String
}
