/// What the editor shows: the prompt, the line, and what is beside and below it.
package struct EditorView: Sendable, Equatable {
  package var prompt: EditorPrompt
  package var text: EditedText
  /// A text in grey behind the line, which is shown as far as the row has room.
  package var hint = ""
  /// The candidates below the line.
  package var menu: [String] = []
  /// Whether the text's own signs are ASCII.
  package var isASCII = false

  package init(prompt: EditorPrompt, text: EditedText) {
    self.prompt = prompt
    self.text = text
  }

  /// Creates the view of an editor.
  ///
  /// - Parameters:
  ///   - showsHints: Whether hints are shown. They need a color to differ from the line.
  ///   - isASCII: Whether the editor's own signs are ASCII.
  package init(_ state: LineEditorState, showsHints: Bool, isASCII: Bool) {
    self.init(prompt: state.prompt, text: state.text)
    self.isASCII = isASCII
    if let count = state.count { prompt.first = "(\(count) times) " }
    if let search = state.search {
      let name = search.hasFailed ? "no match" : search.step < 0 ? "search" : "search forward"
      prompt.first = "(\(name)) \(escapeControls(search.query)): "
    }
    switch state.phase {
    case .idle: text.move(to: text.characters.count)
    case .editing:
      if showsHints { hint = state.hint }
      menu = state.menu
    case .completing: break
    }
  }
}
