/// The line editor as a value. It knows neither the terminal nor the board.
///
/// `apply` changes it by one action. What the line's end, Ctrl-Z or Ctrl-L asks for is in `signal`
/// until the next action; keys after that wait in `heldKeys`.
package struct LineEditorState: Sendable, Equatable, Codable {
  /// The phase of the editor.
  package enum Phase: Sendable, Hashable, Codable {
    /// No line is edited. Keys are held until one is.
    case idle
    /// A line is edited.
    case editing
    /// Keys are held until the candidates arrive.
    case completing(id: Int)
  }

  /// A walk through the history with the arrow keys.
  struct Walk: Sendable, Equatable, Codable {
    var index: Int
    /// The typed text, with which all shown lines begin.
    var prefix: String
    /// The texts of visited lines that were edited, by index. That of the new line has the index
    /// behind the last one.
    var edited: [Int: String]

    /// Keeps the place of the new line behind the last one, and those of visited lines, when lines
    /// are added and the oldest ones are removed.
    mutating func move(from count: Int, to newCount: Int, removed: Int) {
      let newLine = edited.removeValue(forKey: count)
      edited = Dictionary(
        uniqueKeysWithValues: edited.compactMap { $0 < removed ? nil : ($0 - removed, $1) })
      edited[newCount] = newLine
      index = index == count ? newCount : max(0, index - removed)
    }
  }

  /// The last key's kind, for keys that continue what the previous one began.
  enum LastKey: Sendable, Hashable, Codable {
    case other, killing, yanking(count: Int), tab, prefixX
    /// The next key is inserted as it is.
    case quoting
    /// The next key is the character to move to, at its place `count` behind the cursor.
    case seeking(count: Int)
    /// The last word of an earlier line was inserted: its length, and the number of lines whose
    /// words were.
    case insertingWord(count: Int, lines: Int)
  }

  package internal(set) var prompt = EditorPrompt(first: "", continuation: "")
  package internal(set) var text = EditedText()
  package internal(set) var phase = Phase.idle
  package internal(set) var signal: EditorSignal?
  package internal(set) var history: LineHistory
  package internal(set) var heldKeys: [Key] = []
  /// The search in the history, while there is one.
  package internal(set) var search: HistorySearch?
  /// The candidates that are listed below the line.
  package internal(set) var menu: [String] = []
  /// The text in grey behind the line.
  package internal(set) var hint = ""
  /// How often the bell rang.
  package internal(set) var bells = 0
  var kills = KillRing()
  var undo = UndoStack()
  var walk: Walk?
  var lastKey = LastKey.other
  /// How often the next key is applied, once digits were typed for it.
  package internal(set) var count: Int?
  var requests = 0
  /// The query of the last search, for a search that begins without one.
  var lastQuery = ""
  /// Whether a Tab that leaves several candidates lists them.
  var listsCandidates = false

  package init(history: LineHistory = LineHistory()) {
    self.history = history
  }

  /// Applies an action.
  ///
  /// - Parameter hints: The hints about the arguments of commands.
  /// - Returns: A request for candidates, which `completed` answers.
  package mutating func apply(_ action: EditorAction, _ hints: CommandHints = CommandHints())
    -> CompletionRequest?
  {
    signal = nil
    var request: CompletionRequest?
    switch action {
    case .begin(let prompt):
      self.prompt = prompt
      text = EditedText()
      phase = .editing
      (undo, walk, search, lastKey, count, menu) = (UndoStack(), nil, nil, .other, nil, [])
      request = takeHeldKeys()
    case .keys(let keys):
      heldKeys += keys
      // Ctrl-C and Ctrl-G do not wait for candidates.
      if case .completing = phase, keys.contains(.control("c")) || keys.contains(.control("g")) {
        phase = .editing
      }
      request = takeHeldKeys()
    case .resumed:
      request = takeHeldKeys()
    case .promptChanged(let prompt):
      self.prompt = prompt
    case .interrupted:
      heldKeys = []
      if phase != .idle { interrupt() }
    case .droppedKeys:
      heldKeys = []
    case .remembered(let line, let isKept):
      history.add(LineHistory.Entry(line, isKept: isKept))
    case .forgotten(let lines):
      // A killed line can be yanked, and an edited one is among the changed ones of the walk.
      (walk, kills) = (nil, KillRing())
      history.remove { lines.contains($0) }
    case .historyLoaded(let lines):
      let own = history.entries
      history = LineHistory(lines.map { LineHistory.Entry($0) } + own)
    case .historyGrew(let lines):
      let count = history.entries.count
      var removed = 0
      for line in lines { removed += history.add(LineHistory.Entry(line, isForeign: true)) }
      walk?.move(from: count, to: history.entries.count, removed: removed)
    case .completed(let id, let answer):
      guard phase == .completing(id: id) else { break }
      phase = .editing
      complete(answer)
      request = takeHeldKeys()
    }
    updateHint(hints)
    return request
  }

  /// Applies the held keys, up to one that ends the line or waits for candidates.
  private mutating func takeHeldKeys() -> CompletionRequest? {
    var used = 0
    var request: CompletionRequest?
    while phase == .editing, signal == nil, used < heldKeys.count {
      request = press(heldKeys[used])
      used += 1
    }
    heldKeys.removeFirst(used)
    return request
  }

  private mutating func updateHint(_ hints: CommandHints) {
    hint = ""
    guard phase != .idle, search == nil, text.isAtEnd, !text.isEmpty, signal == nil else { return }
    let typed = text.string
    if let rest = history.hint(for: typed) {
      hint = rest
    } else if let arguments = hints.hint(for: typed) {
      hint = arguments
    }
  }

  // MARK: The end of a line

  /// Ends the line if it is complete, or continues it on a further physical line.
  mutating func accept() {
    let line = text.string
    if case .incomplete = LineParser.parse(line) {
      undo.note(text, before: .other)
      text.move(to: text.characters.count)
      text.insert("\n")
      return
    }
    end(with: .accepted(line))
  }

  mutating func interrupt() {
    let hadText = !text.isEmpty || search != nil
    end(with: .interrupted(hadText: hadText))
  }

  mutating func end(with signal: EditorSignal) {
    self.signal = signal
    (phase, search, walk, menu) = (.idle, nil, nil, [])
  }

  mutating func ring() { bells += 1 }
}
