extension LineEditorState {
  /// Asks for the candidates of the word at the cursor. A second Tab lists them.
  mutating func requestCandidates(after previous: LastKey) -> CompletionRequest {
    requests += 1
    phase = .completing(id: requests)
    listsCandidates = previous == .tab
    return CompletionRequest(id: requests, text: text.beforeCursor)
  }

  /// Continues the word as far as all candidates agree.
  mutating func complete(_ answer: CompletionAnswer?) {
    guard let answer, let first = answer.candidates.first, answer.replacedCount <= text.cursor
    else { return ring() }
    let range = (text.cursor - answer.replacedCount)..<text.cursor
    if answer.candidates.count == 1 {
      let isFollowed = !text.isAtEnd && text.characters[text.cursor].isWhitespace
      replaceWord(range, with: first.text + (first.isPartial || isFollowed ? "" : " "))
      return
    }
    lastKey = .tab
    let prefix = answer.commonPrefix
    if prefix.count > answer.replacedCount {
      replaceWord(range, with: prefix)
    } else if listsCandidates {
      menu = answer.candidates.map(\.label)
    } else {
      ring()
    }
  }

  private mutating func replaceWord(_ range: Range<Int>, with word: String) {
    guard String(text.characters[range]) != word else { return }
    undo.note(text, before: .other)
    text.replace(range, with: word)
  }
}
