extension LineEditorState {
  /// Applies a key while a line is edited.
  ///
  /// - Returns: A request for candidates.
  mutating func press(_ key: Key) -> CompletionRequest? {
    if key == .invalid {
      ring()
      return nil
    }
    let previous = lastKey
    lastKey = .other
    menu = []
    if search != nil {
      guard searches(with: key) else { return nil }
    }
    let isPrefix =
      switch previous {
      case .prefixX, .quoting, .seeking: true
      default: false
      }
    if let digit = key.digit, !isPrefix {
      count = min((count ?? 0) * 10 + digit, Self.largestCount)
      lastKey = previous
      return nil
    }
    let count = self.count.take()
    if isPrefix {
      apply(key, behind: previous)
      return nil
    }
    switch key {
    case .text(let typed):
      // A count is that of the first character.
      if let count, let first = typed.first {
        insert(String(repeating: first, count: count), .other)
      }
      insertWords(count == nil ? typed : String(typed.dropFirst()))
    case .paste(let pasted): insert(pasted, .other)
    case .tab: return requestCandidates(after: previous)
    case .enter, .control("j"), .control("m"): accept()
    case .metaEnter: insert("\n", .other)
    case .control("c"): interrupt()
    case .control("d"):
      if text.isEmpty { end(with: .ended) } else { applyRepeatedly(.delete, count ?? 1, previous) }
    case .control("z"): signal = .suspended
    case .control("l"): signal = .cleared
    case .control("x"): lastKey = .prefixX
    case .control("v"), .control("q"): lastKey = .quoting
    case .control("]"): lastKey = .seeking(count: count ?? 1)
    case .control("r"): beginSearch(step: -1)
    case .control("s"): beginSearch(step: 1)
    case .escape, .control("g"), .backTab, .pageUp, .pageDown: break
    default: applyRepeatedly(key, key.isRepeatable ? count ?? 1 : 1, previous)
    }
    return nil
  }

  /// The most often that a key is applied.
  private static let largestCount = 999

  /// Applies a key some times, or until it changes nothing more.
  private mutating func applyRepeatedly(_ key: Key, _ count: Int, _ previous: LastKey) {
    var previous = previous
    for _ in 0..<count {
      let (before, rung) = (text, bells)
      lastKey = .other
      if !move(by: key), !edit(by: key, previous), !walk(by: key) { ring() }
      guard text != before, bells == rung else { return }
      previous = lastKey
    }
  }

  /// Applies a key behind one that gives it another meaning.
  private mutating func apply(_ key: Key, behind prefix: LastKey) {
    switch (prefix, key) {
    case (.prefixX, .control("u")): undoChange()
    case (.prefixX, .control("r")): redoChange()
    case (.quoting, .text(let typed)): insertWords(typed)
    case (.quoting, .paste(let pasted)): insert(pasted, .other)
    // A line has no other control characters.
    case (.quoting, .tab): insert("\t", .other)
    case (.quoting, .enter), (.quoting, .control("j")): insert("\n", .other)
    case (.seeking(let count), .text(let typed)):
      guard let first = typed.first, text.move(to: first, count: count) else { return ring() }
      undo.endGroup()
      insertWords(String(typed.dropFirst()))
    default: ring()
    }
  }

  // MARK: Moving

  private mutating func move(by key: Key) -> Bool {
    switch key {
    case .left, .control("b"): text.move(to: text.cursor - 1)
    case .right, .control("f"):
      if text.isAtEnd { acceptHint() } else { text.move(to: text.cursor + 1) }
    case .wordLeft, .meta("b"): text.move(to: text.wordStart)
    case .wordRight, .meta("f"):
      if text.isAtEnd { acceptHintWord() } else { text.move(to: text.wordEnd) }
    case .home, .control("a"): text.move(to: text.line.lowerBound)
    case .end, .control("e"):
      if text.isAtEnd { acceptHint() } else { text.move(to: text.line.upperBound) }
    case .meta("<"): text.move(to: 0)
    case .meta(">"): text.move(to: text.characters.count)
    default: return false
    }
    undo.endGroup()
    return true
  }

  private mutating func acceptHint() {
    if let rest = history.hint(for: text.string) { insert(rest, .other) }
  }

  /// Accepts the hint up to the end of its first word.
  private mutating func acceptHintWord() {
    guard let hint = history.hint(for: text.string) else { return }
    var rest = EditedText(hint, cursor: 0)
    rest.move(to: rest.wordEnd)
    insert(rest.beforeCursor, .other)
  }

  // MARK: Editing

  mutating func insert(_ typed: String, _ change: UndoStack.Change) {
    guard !typed.isEmpty else { return }
    undo.note(text, before: change)
    text.insert(typed)
    // A new word begins a group of its own.
    if typed.last?.isWhitespace == true { undo.endGroup() }
  }

  /// Inserts words, each of which is undone by itself. A long text is undone as a whole.
  private mutating func insertWords(_ typed: String) {
    guard typed.utf8.count < 200 else { return insert(typed, .other) }
    var rest = typed[...]
    while let blank = rest.firstIndex(where: \.isWhitespace) {
      insert(String(rest[...blank]), .typing)
      rest = rest[rest.index(after: blank)...]
    }
    insert(String(rest), .typing)
  }

  private mutating func deleteForward() {
    guard !text.isAtEnd else { return ring() }
    undo.note(text, before: .erasing)
    _ = text.remove(text.cursor..<(text.cursor + 1))
  }

  private mutating func edit(by key: Key, _ previous: LastKey) -> Bool {
    switch key {
    case .backspace, .control("h"):
      guard text.cursor > 0 else { break }
      undo.note(text, before: .erasing)
      _ = text.remove((text.cursor - 1)..<text.cursor)
    case .delete: deleteForward()
    case .control("k"):
      let line = text.line
      // At the end of a line, its newline is cut.
      let isAtLineEnd = text.cursor == line.upperBound && !text.isAtEnd
      kill(text.cursor..<(isAtLineEnd ? text.cursor + 1 : line.upperBound), false, previous)
    case .control("u"): kill(text.line.lowerBound..<text.cursor, true, previous)
    case .control("w"): kill(text.blankWordStart..<text.cursor, true, previous)
    case .metaBackspace: kill(text.wordStart..<text.cursor, true, previous)
    case .meta("d"): kill(text.cursor..<text.wordEnd, false, previous)
    case .control("y"): yank()
    case .meta("y"): yankOlder(previous)
    case .control("t"):
      let before = text
      if text.transpose() { undo.note(before, before: .other) } else { ring() }
    case .meta("t"):
      let before = text
      if text.transposeWords() { undo.note(before, before: .other) } else { ring() }
    case .meta("u"): changeWord { $0.uppercased() }
    case .meta("l"): changeWord { $0.lowercased() }
    case .meta("c"):
      changeWord { word in
        let start = word.firstIndex { $0.isLetter || $0.isNumber } ?? word.startIndex
        return word[..<start] + word[start...].prefix(1).uppercased()
          + word[start...].dropFirst().lowercased()
      }
    case .meta("."): insertLastWord(previous)
    case .control("_"): undoChange()
    case .meta("_"): redoChange()
    default: return false
    }
    return true
  }

  private mutating func kill(_ range: Range<Int>, _ isBackward: Bool, _ previous: LastKey) {
    guard !range.isEmpty else { return }
    undo.note(text, before: .other)
    kills.add(text.remove(range), joinsBefore: previous == .killing ? isBackward : nil)
    lastKey = .killing
  }

  private mutating func yank() {
    guard let killed = kills.text else { return ring() }
    insert(killed, .other)
    lastKey = .yanking(count: killed.count)
  }

  private mutating func yankOlder(_ previous: LastKey) {
    guard case .yanking(let count) = previous else { return ring() }
    kills.rotate()
    guard let killed = kills.text else { return }
    undo.note(text, before: .other)
    text.replace(max(0, text.cursor - count)..<text.cursor, with: killed)
    lastKey = .yanking(count: killed.count)
  }

  private mutating func changeWord(_ change: (String) -> String) {
    let range = text.cursor..<text.wordEnd
    guard !range.isEmpty else { return }
    undo.note(text, before: .other)
    text.replace(range, with: change(String(text.characters[range])))
  }

  /// Inserts the last word of the previous line. The same key again replaces it by that of the line
  /// before.
  private mutating func insertLastWord(_ previous: LastKey) {
    var (inserted, age) = (0, 0)
    if case .insertingWord(let count, let lines) = previous { (inserted, age) = (count, lines) }
    let words = history.entries.reversed().lazy.filter { !$0.isForeign }.compactMap {
      Self.lastWord(of: $0.text)
    }
    guard let word = words.dropFirst(age).first else {
      // A further key tries again from here.
      lastKey = previous
      return ring()
    }
    undo.note(text, before: .other)
    text.replace(max(0, text.cursor - inserted)..<text.cursor, with: word)
    lastKey = .insertingWord(count: word.count, lines: age + 1)
  }

  /// Returns the last word of a line as typed, with its quotes.
  private static func lastWord(of line: String) -> String? {
    if case .commands(let list) = LineParser.parse(line), let command = list.commands.last,
      let word = (command.redirect?.file ?? command.words.last)?.raw, line.hasSuffix(word)
    {
      return word
    }
    return line.split(whereSeparator: \.isWhitespace).last.map(String.init)
  }

  private mutating func undoChange() {
    if let earlier = undo.undo(text) { text = earlier } else { ring() }
  }

  private mutating func redoChange() {
    if let next = undo.redo(text) { text = next } else { ring() }
  }
}

extension Key {
  /// The digit of a count for the next key.
  fileprivate var digit: Int? { if case .meta(let sign) = self { Int(sign) } else { nil } }

  /// Whether a count applies the key more than once. What was cut may be long, and each further
  /// Alt-. inserts another word.
  fileprivate var isRepeatable: Bool {
    switch self {
    case .control("y"), .meta("y"), .meta("."): false
    default: true
    }
  }
}
