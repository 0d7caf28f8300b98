import SwiftBoardCommandLine
import SwiftBoardStore
import SwiftBoardSystem
import Synchronization

/// Reads lines from a terminal with the line editor.
///
/// A thread waits for keys and sends them to the editor's store. Other threads wake it through a
/// pipe. The store's observer draws each state.
final class EditingLineReader: LineReader {
  /// The events of other threads that the line has not answered yet.
  private struct Events {
    var wasResized = false
    var wasContinued = false
    var wasInterrupted = false
  }

  /// The prompts that use the terminal in place of the line.
  private struct OtherPrompts {
    var count = 0
    /// Those that wait for the line to be hidden.
    var waiting: [CheckedContinuation<Void, Never>] = []

    var isEmpty: Bool { count == 0 }

    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
      defer { waiting = [] }
      return waiting
    }
  }

  private struct Shared {
    /// What the editor asks for, in order.
    var signals: [EditorSignal] = []
    var events = Events()
    var isEditing = false
    /// Whether the line is hidden while another prompt uses the terminal.
    var isHidden = false
    var otherPrompts = OtherPrompts()
    /// Whether another program has the terminal.
    var isLent = false
    /// Whether the program is ending, so that no further line begins.
    var isFinished = false
    /// Whether the next SIGCONT follows from Ctrl-Z, after which the line is already shown.
    var expectsContinue = false
    /// Returns the present prompt of a line.
    var currentPrompt: (@Sendable () -> String)?
    /// The prompt of the line that is edited, or that begins once no other prompt is shown.
    var prompt: String?
    var history: HistoryFile?
    var hasLoadedHistory = false
    /// Whether the user knows that the history cannot be written.
    var hasReportedHistory = false
    /// The number of known secrets when the history was last searched for them.
    var searchedSecrets = 0
    /// The number of times that the keychain was locked when its lines were last forgotten.
    var notedLocks = 0
  }

  private let store: Store<LineEditorReducer>
  private let screen: PromptScreen
  private let terminal = EditingTerminal()
  private let continuationPrompt: String
  private let onInterrupt: @Sendable () -> Void
  private let decoder = Mutex(KeyDecoder())
  private let shared: Mutex<Shared>
  /// Whether the keys that were typed ahead are dropped before the next line. Not under the lock,
  /// which is held while the history is read and written.
  private let dropsKeys = Atomic(false)
  private let wake: (read: Int32, write: Int32)

  /// - Parameters:
  ///   - historyPath: The file of the history, or `nil` to keep none.
  ///   - hints: The hints about the arguments of commands.
  ///   - onInterrupt: Called when Ctrl-C is typed, before the line ends. Must not block.
  ///   - complete: Finds candidates.
  /// - Throws: If no pipe can be created.
  init(
    screen: PromptScreen, historyPath: String?, hints: CommandHints,
    onInterrupt: @escaping @Sendable () -> Void,
    complete: @escaping @Sendable (CompletionRequest) async -> CompletionAnswer?
  ) throws(SystemError) {
    self.screen = screen
    self.onInterrupt = onInterrupt
    continuationPrompt = screen.isASCII ? "... " : "\u{2026} "
    wake = try Descriptor.pipe()
    _ = fcntl(wake.write, F_SETFL, O_NONBLOCK)
    _ = fcntl(wake.read, F_SETFL, O_NONBLOCK)
    shared = Mutex(Shared(history: historyPath.map { HistoryFile(path: $0) }))
    store = Store(
      initialState: LineEditorState(), reducer: LineEditorReducer(),
      dependencies: LineEditorDependencies(hints: hints, complete: complete))
    store.observe { [weak self] _, state in
      // Without a line nothing is drawn, and the screen may wait for a terminal that is full.
      guard let self, state.phase != .idle || state.signal != nil else { return }
      screen.show(state)
      if let signal = state.signal { note { $0.signals.append(signal) } }
    }
  }

  deinit {
    close(wake.read)
    close(wake.write)
  }

  /// Shows the prompt and waits on a thread of its own.
  ///
  /// - Throws: 74 if the terminal cannot be read.
  func readLine(prompt: String) async throws(LineSourceError) -> LineRead {
    let prompt = EditorPrompt(first: prompt, continuation: continuationPrompt)
    do throws(SystemError) {
      return try await DetachedThread.run { () throws(SystemError) in try self.edit(prompt) }
    } catch {
      if error.code == EIO { return .endOfInput }
      throw LineSourceError(.io, message: "cannot read the terminal: \(error)")
    }
  }

  // MARK: The thread that waits for keys

  private func edit(_ prompt: EditorPrompt) throws(SystemError) -> LineRead {
    shared.withLock { $0.prompt = prompt.first }
    defer { endEditing() }
    // A change before this line, and after the prompt was made, was not passed on.
    if prompt.first != continuationPrompt, let current = shared.withLock({ $0.currentPrompt }) {
      promptMayHaveChanged(current())
    }
    claimTerminal()
    guard enterTerminal() else { return .endOfInput }
    defer { terminal.endLine() }
    var prompt = prompt
    // It may have changed in the meantime.
    prompt.first = shared.withLock { $0.prompt } ?? prompt.first
    screen.begin()
    // The first line does not wait for the whole file.
    let isFirst = shared.withLock { !$0.hasLoadedHistory }
    if !isFirst { readHistory() }
    if dropsKeys.exchange(false, ordering: .relaxed) { store.send(.droppedKeys) }
    store.send(.begin(prompt: prompt))
    if isFirst { readHistory() }
    while true {
      if let signal = shared.withLock({ $0.signals.isEmpty ? nil : $0.signals.removeFirst() }) {
        if let line = handle(signal) { return line }
        continue
      }
      guard handleEvents(), try readKeys() else { return .endOfInput }
    }
  }

  private func endEditing() {
    let waiting = shared.withLock { shared in
      (shared.isEditing, shared.prompt) = (false, nil)
      return shared.otherPrompts.takeWaiting()
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns the result of a line that has ended.
  private func handle(_ signal: EditorSignal) -> LineRead? {
    switch signal {
    case .accepted(let text): return .line(text)
    case .interrupted(let hadText): return .interrupted(hadText: hadText)
    case .ended: return .endOfInput
    case .suspended:
      screen.leave()
      shared.withLock { $0.expectsContinue = true }
      terminal.suspend()
      guard reenter() else { return .endOfInput }
    case .cleared: screen.redraw(clears: true)
    }
    store.send(.resumed)
    return nil
  }

  /// Waits for the foreground, and sets the modes of the terminal for a line.
  ///
  /// - Returns: `false` if no line can be edited: the program is ending, or there is no terminal.
  private func enterTerminal() -> Bool {
    waitForForeground() && terminal.beginLine(marksPaste: screen.marksPaste)
  }

  /// Shows the line again after another program or prompt has used the terminal.
  ///
  /// - Parameter forgets: Whether the line begins at the cursor.
  /// - Returns: `false` if the line cannot go on.
  private func reenter(forgets: Bool = false) -> Bool {
    guard enterTerminal() else { return false }
    screen.redraw(forgets: forgets)
    return true
  }

  /// - Returns: `false` if the line cannot go on.
  private func handleEvents() -> Bool {
    guard !isFinished else { return false }
    let events = shared.withLock { shared in
      defer { shared.events = Events() }
      return shared.events
    }
    if events.wasContinued {
      guard reenter(forgets: true) else { return false }
    } else if events.wasResized {
      screen.redraw()
    }
    if events.wasInterrupted {
      decoder.withLock { $0.endPaste() }
      store.send(.interrupted)
    }
    return hideWhilePaused()
  }

  /// Waits until the terminal is the program's: a shell may have continued or started it in the
  /// background. Background commands continue meanwhile.
  ///
  /// - Returns: `false`, at once, if the program is ending.
  private func waitForForeground() -> Bool {
    while !isFinished, !terminal.isInForeground {
      // The shell may send a signal with it, after which the line is already shown.
      shared.withLock { ($0.expectsContinue, $0.events.wasContinued) = (true, false) }
      _ = Descriptor.waitForInput([wake.read], milliseconds: EditingTerminal.foregroundPause)
      drainWake()
    }
    return !isFinished
  }

  /// Waits for keys or for another thread.
  ///
  /// - Returns: `false` at the end of the input.
  private func readKeys() throws(SystemError) -> Bool {
    let isWaiting = decoder.withLock { $0.isWaiting }
    let ready = Descriptor.waitForInput(
      [terminal.input, wake.read], milliseconds: isWaiting ? Self.escapeTimeout : nil)
    if ready[1] { drainWake() }
    var keys: [Key] = []
    if ready[0], !terminal.isInForeground {
      // The keys are another program's.
      note { $0.events.wasContinued = true }
    } else if ready[0] {
      let bytes = try Descriptor.read(terminal.input, atMost: 1 << 14)
      guard !bytes.isEmpty else { return false }
      shared.withLock { $0.expectsContinue = false }
      keys = decoder.withLock { decoder in
        // Ctrl-C by itself is typed: it is no part of a paste, which may never end.
        if bytes == [0x03] { decoder.endPaste() }
        return decoder.decode(bytes)
      }
    } else if isWaiting, !ready[1] {
      keys = decoder.withLock { $0.timeOut() }
    }
    // A search finds what other processes have added by now. While there is one, its places in the
    // history stay.
    if keys.contains(where: \.beginsSearch), store.withState({ $0.search == nil }) {
      readHistory()
    }
    // Drawing the line may wait for the output that this ends.
    if keys.contains(.control("c")) { onInterrupt() }
    if !keys.isEmpty { store.send(.keys(keys)) }
    return true
  }

  /// The time after which an Escape is a key of its own, in milliseconds.
  private static let escapeTimeout: Int32 = 50

  private func drainWake() {
    var bytes: [UInt8] = Array(repeating: 0, count: 64)
    while SwiftBoardSystem.read(wake.read, &bytes, bytes.count) > 0 {}
  }

  // MARK: Events of other threads

  private func note(_ change: (inout Shared) -> Void) {
    shared.withLock { change(&$0) }
    var byte: UInt8 = 1
    // If the pipe is full, the thread is about to wake up.
    _ = write(wake.write, &byte, 1)
  }

  /// Ends the line that is edited, as Ctrl-C does.
  func interrupt() { note { $0.events.wasInterrupted = true } }

  /// Draws the line again for the new size.
  func resize() { note { $0.events.wasResized = true } }

  /// Sets the modes of the terminal again after the process was stopped.
  func continueAfterStop() {
    guard !shared.withLock({ $0.isLent }) else { return }
    let (isEditing, isExpected) = shared.withLock { shared in
      defer { shared.expectsContinue = false }
      return (shared.isEditing && !shared.isHidden, shared.expectsContinue)
    }
    if isEditing {
      if !isExpected { note { $0.events.wasContinued = true } }
    } else if terminal.isInForeground, !SecretPrompt.restoreAfterStop() {
      terminal.endLine()
      SecretPrompt.restoreAfterStop()
    }
  }

  /// Drops the keys that were typed for the next line, before it begins. Never blocks.
  func dropTypedAhead() { dropsKeys.store(true, ordering: .relaxed) }

  /// Keeps what is typed for the first line, without showing it. Does nothing in the background.
  func holdKeys() {
    if terminal.isInForeground { terminal.beginHolding() }
  }

  /// Restores the terminal for another program while no line is edited.
  func lendTerminal() {
    shared.withLock { $0.isLent = true }
    terminal.lend()
  }

  /// Ends `lendTerminal`.
  func reclaimTerminal() {
    shared.withLock { $0.isLent = false }
    terminal.endLine()
  }

  /// Whether `finish` was called.
  var isFinished: Bool { shared.withLock { $0.isFinished } }

  /// Moves below the line and restores the terminal, before the program ends.
  func finish() {
    note { $0.isFinished = true }
    screen.close()
    terminal.close()
  }

  /// Sets what returns the present prompt, to catch changes between two lines.
  func showPrompt(_ current: @escaping @Sendable () -> String) {
    shared.withLock { $0.currentPrompt = current }
  }

  /// Shows another prompt before the line that is edited.
  func promptMayHaveChanged(_ prompt: String) {
    let hasChanged = shared.withLock { shared in
      guard let shown = shared.prompt, shown != prompt else { return false }
      shared.prompt = prompt
      return shared.isEditing
    }
    guard hasChanged else { return }
    store.send(.promptChanged(EditorPrompt(first: prompt, continuation: continuationPrompt)))
  }

  // MARK: Other prompts

  /// Whether a line is edited.
  var isEditing: Bool { shared.withLock { $0.isEditing } }

  /// Hides the line until `endPause`, and returns when it is hidden.
  func beginPause() async {
    await withCheckedContinuation { continuation in
      let isHidden = shared.withLock { shared in
        shared.otherPrompts.count += 1
        guard shared.isEditing, !shared.isHidden else { return true }
        shared.otherPrompts.waiting.append(continuation)
        return false
      }
      if isHidden { continuation.resume() } else { note { _ in } }
    }
  }

  /// Shows the line again, and drops what was typed ahead: it was meant for the other prompt.
  func endPause() {
    store.send(.droppedKeys)
    note { $0.otherPrompts.count -= 1 }
  }

  /// Hides the line while other prompts use the terminal.
  ///
  /// - Returns: `false` if the line cannot go on.
  private func hideWhilePaused() -> Bool {
    guard shared.withLock({ !$0.otherPrompts.isEmpty }) else { return true }
    screen.hide()
    terminal.endLine()
    let waiting = shared.withLock { shared in
      shared.isHidden = true
      return shared.otherPrompts.takeWaiting()
    }
    for continuation in waiting { continuation.resume() }
    claimTerminal()
    return reenter()
  }

  /// Waits until no other prompt uses the terminal, and takes it in the same step: a prompt that
  /// begins after that waits until the line is hidden.
  private func claimTerminal() {
    while true {
      waitForPauses()
      let isClaimed = shared.withLock { shared in
        guard shared.otherPrompts.isEmpty else { return false }
        (shared.isEditing, shared.isHidden) = (true, false)
        return true
      }
      if isClaimed { return }
    }
  }

  private func waitForPauses() {
    while shared.withLock({ !$0.otherPrompts.isEmpty }) {
      _ = Descriptor.waitForInput([wake.read])
      drainWake()
    }
  }

  // MARK: History

  /// Adds a line that is about to run to the history, without the line breaks before it: in the
  /// file it would be a part of the line above.
  ///
  /// - Parameter isKept: Whether it is also written to the file.
  /// - Returns: The reason why the file cannot be written, the first time.
  func remember(_ line: String, isKept: Bool) -> String? {
    let line = String(line.drop(while: \.isNewline))
    defer { store.send(.remembered(line, isKept: isKept)) }
    guard isKept else { return nil }
    do {
      let others = try shared.withLock { try $0.history?.append(line) } ?? []
      if !others.isEmpty { store.send(.historyGrew(others)) }
      return nil
    } catch {
      let isKnown = shared.withLock { shared in
        defer { shared.hasReportedHistory = true }
        return shared.hasReportedHistory
      }
      return isKnown ? nil : "\(error)"
    }
  }

  /// Searches the history for secrets that have become known since the last call, for example by
  /// unlocking the keychain. Lines that contain one are removed from the file and from memory. Only
  /// a line that was refused stays for the keys of the line editor, until the keychain is locked.
  ///
  /// - Parameters:
  ///   - knownCount: The number of known secrets.
  ///   - lockCount: The number of times that the keychain was locked.
  ///   - containsSecret: Returns whether a line may not be kept.
  /// - Returns: What the user has to know, or `nil` if there is nothing.
  func withholdSecrets(
    knownCount: Int, lockCount: Int, where containsSecret: (_ line: String) -> Bool
  ) -> String? {
    let (isNew, wasLocked) = shared.withLock { shared in
      defer { (shared.searchedSecrets, shared.notedLocks) = (knownCount, lockCount) }
      return (knownCount > shared.searchedSecrets, lockCount > shared.notedLocks)
    }
    if wasLocked {
      let texts = store.withState { $0.history.entries.map(\.text) }
      store.send(.forgotten(Set(texts.filter(containsSecret))))
    }
    guard isNew else { return nil }
    let found = historyLines.filter(containsSecret)
    if !found.isEmpty { store.send(.forgotten(Set(found))) }
    guard let history = shared.withLock({ $0.history }) else { return nil }
    // Found before the file is locked, because other boards wait for the lock only for a moment.
    let listed = Set(((try? history.lines()) ?? []).filter(containsSecret))
    guard !listed.isEmpty else { return nil }
    let changed = shared.withLock { shared in
      try? shared.history?.removeLines(where: listed.contains)
    }
    guard let changed else {
      // The next call tries again.
      shared.withLock { $0.searchedSecrets = 0 }
      return "lines with a secret could not be removed from the history"
    }
    let others = changed.others.filter { !containsSecret($0) }
    // Before the first line, these are the history.
    let wasLoaded = shared.withLock { shared in
      defer { shared.hasLoadedHistory = true }
      return shared.hasLoadedHistory
    }
    if !others.isEmpty { store.send(wasLoaded ? .historyGrew(others) : .historyLoaded(others)) }
    guard changed.removed > 0 else { return nil }
    let lines = changed.removed == 1 ? "a line" : "\(changed.removed) lines"
    return "\(lines) with a value that has become a secret left the history"
  }

  /// The lines of the history that may be shown, the oldest first.
  var historyLines: [String] {
    store.withState { $0.history.entries.filter(\.isKept).map(\.text) }
  }

  /// Reads what is new in the file of the history: all of it before the first line, and what other
  /// processes added before further ones. Lines can be edited without it, so errors are ignored.
  private func readHistory() {
    let (lines, isFirst) = shared.withLock { shared in
      defer { shared.hasLoadedHistory = true }
      return ((try? shared.history?.read()) ?? [], !shared.hasLoadedHistory)
    }
    guard !lines.isEmpty else { return }
    store.send(isFirst ? .historyLoaded(lines) : .historyGrew(lines))
  }
}

extension Key {
  /// Whether the key begins a search in the history.
  fileprivate var beginsSearch: Bool { self == .control("r") || self == .control("s") }
}
