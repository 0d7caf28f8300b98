import SwiftBoardSystem
import Synchronization

/// The part of the terminal that the line editor draws on. Other output appears above it.
///
/// All output to the terminal goes through one screen, which knows where the cursor is. It can be
/// used from any thread.
package final class PromptScreen: Sendable {
  private struct State {
    var renderer: ScreenRenderer
    /// What is shown, or `nil` if no line is edited.
    var view: EditorView?
    /// Whether another program or prompt uses the terminal, so that the view is not drawn.
    var isHidden = false
    /// Whether the program is ending, so that nothing but output is written any more.
    var isClosed = false
    /// The columns of an unfinished row of output above the view, or 0.
    var tail = 0
    /// The status in the row of the cursor, which other output replaces.
    var status: Status?
    /// How often the bell rang.
    var bells = 0
  }

  /// A status on the screen.
  private struct Status {
    /// The columns of its text.
    var width: Int
    /// The columns of the terminal.
    var columns: Int
    /// How often the program had been stopped.
    let stops = SignalSource.continuations
  }

  /// The descriptor that the view is drawn on.
  private let descriptor = STDERR_FILENO
  private let terminal: Terminal
  /// Whether hints are shown, in grey.
  package let usesColor: Bool
  /// Whether the terminal marks pasted text (bracketed paste). With `NO_COLOR`, no more is written
  /// than what moves the cursor and erases, without which no line can be edited.
  package let marksPaste: Bool
  /// Whether the editor's own signs are ASCII.
  package let isASCII: Bool
  private let state: Mutex<State>
  /// Whether the column of the cursor is unknown, because the terminal may not have shown the end
  /// of the output.
  private let isColumnUnknown = Atomic(false)

  /// - Parameter terminal: Provides the size.
  package init(terminal: Terminal, usesColor: Bool, isASCII: Bool) {
    self.terminal = terminal
    self.usesColor = usesColor
    marksPaste = usesColor || !terminal.hasNoColor
    self.isASCII = isASCII
    // The size is queried when a line begins.
    state = Mutex(
      State(renderer: ScreenRenderer(columns: 80, height: 24, usesColor: usesColor)))
  }

  private var pasteOn: String { marksPaste ? "\u{1B}[?2004h" : "" }
  private var pasteOff: String { marksPaste ? "\u{1B}[?2004l" : "" }

  /// Begins a line: turns on bracketed paste, and moves to the start of a row.
  package func begin() {
    state.withLock { state in
      guard !state.isClosed else { return }
      let output = removeStatus(&state) + pasteOn + endRow(&state)
      state.isHidden = false
      let size = terminal.size
      state.renderer = ScreenRenderer(
        columns: size.columns, height: size.rows, usesColor: usesColor)
      show(output)
    }
  }

  /// Shows the state of the editor. A line that has ended remains on the screen.
  package func show(_ editor: LineEditorState) {
    let view = EditorView(editor, showsHints: usesColor, isASCII: isASCII)
    state.withLock { state in
      guard !state.isClosed else { return }
      yieldInBackground(&state)
      var output = ""
      if editor.bells != state.bells {
        if editor.bells > state.bells { output += "\u{7}" }
        state.bells = editor.bells
      }
      switch editor.signal {
      case .accepted: output += end(view, "", &state)
      case .interrupted(let hadText): output += end(view, hadText ? "^C" : "", &state)
      case .ended: output += end(view, "", &state)
      case .suspended, .cleared, nil:
        if editor.phase == .idle { break }
        state.view = view
        if !state.isHidden { output += state.renderer.draw(view) }
      }
      show(output)
    }
  }

  private func end(_ view: EditorView, _ mark: String, _ state: inout State) -> String {
    var view = view
    if !mark.isEmpty { view.text.insert(mark) }
    state.view = nil
    // The line is in the row below unfinished output.
    state.tail = 0
    return state.renderer.finish(view) + pasteOff
  }

  /// Moves below the line, for example before the program stops. `redraw` shows the line again. In
  /// the background, nothing is written: the line of a program that was stopped from outside is in
  /// the rows of the shell.
  package func leave() { state.withLock { leave(&$0) } }

  /// Moves below the line for good, before the program ends: no line, prompt or status is shown any
  /// more, whatever other threads are about to show.
  package func close() {
    state.withLock { state in
      leave(&state)
      state.isClosed = true
    }
  }

  private func leave(_ state: inout State) {
    state.isHidden = true
    guard let view = state.view, state.renderer.isShown else { return }
    let output = state.renderer.finish(view) + pasteOff
    if TerminalModes.isInForeground(descriptor) { show(output) }
  }

  /// Hides the line until `redraw` if the program is in the background, as after a stop from
  /// outside: its rows are the shell's.
  private func yieldInBackground(_ state: inout State) {
    guard state.renderer.isShown, !TerminalModes.isInForeground(descriptor) else { return }
    state.isHidden = true
    state.renderer.forget()
  }

  /// Removes the line from the screen, for example while a secret is asked for. `redraw` shows it
  /// again.
  package func hide() {
    state.withLock { state in
      state.isHidden = true
      guard !state.isClosed, state.view != nil else { return }
      show(removeLine(&state) + pasteOff)
    }
  }

  /// Shows the line again.
  ///
  /// - Parameters:
  ///   - clears: Whether to clear the screen first.
  ///   - forgets: Whether the line begins at the cursor, because another program has used the
  ///     terminal.
  package func redraw(clears: Bool = false, forgets: Bool = false) {
    state.withLock { state in
      state.isHidden = false
      guard !state.isClosed, let view = state.view else { return }
      var output = pasteOn + (clears ? "\u{1B}[H\u{1B}[2J" : "")
      // Without a shell that begins a new row, the cursor is still on the line.
      if forgets { output += ScreenRenderer.eraseBelow }
      if clears || forgets { state.renderer.forget() }
      state.tail = 0
      output += removeLine(&state)
      show(output + state.renderer.draw(view))
    }
  }

  /// Removes the line from the screen. The size of the terminal may have changed, although the
  /// signal has not come yet.
  private func removeLine(_ state: inout State) -> String {
    let size = terminal.size
    let columns = state.renderer.columns
    let output = state.renderer.resize(columns: size.columns, height: size.rows)
    // The terminal has wrapped the unfinished row, too. Where it ends is not known.
    if state.renderer.columns != columns { state.tail = 0 }
    return output
  }

  // MARK: Output of others

  /// Notes that the column of the cursor is unknown: another program has used the terminal, or an
  /// interrupt has made the system discard what the terminal had not shown yet. Never blocks.
  package func noteUnknownColumn() { isColumnUnknown.store(true, ordering: .relaxed) }

  /// Writes bytes to a terminal, above the line if one is shown.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor to write to, which is a terminal.
  ///   - startsRow: Whether they begin a new row behind unfinished output, which they go on with
  ///     otherwise.
  func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, startsRow: Bool = false
  ) throws(SystemError) {
    let result = state.withLock { state -> Result<Void, SystemError> in
      yieldInBackground(&state)
      let isShown = state.renderer.isShown
      var before = isShown ? removeLine(&state) : removeStatus(&state)
      if state.tail > 0 || (startsRow && isColumnUnknown.load(ordering: .relaxed)) {
        // The line is in the row below the unfinished one.
        if startsRow {
          if !isShown { before += endRow(&state) }
          state.tail = 0
        } else if isShown {
          before += "\u{1B}[1A\u{1B}[\(state.tail + 1)G"
        }
      }
      advanceTail(bytes, &state)
      var after = ""
      if isShown, let view = state.view {
        if state.tail > 0 { after += "\r\n" }
        after += state.renderer.draw(view)
      }
      guard isShown || !before.isEmpty else { return Self.write(bytes, to: descriptor) }
      // One write, so that the line does not flicker.
      let all = Array(before.utf8) + Array(bytes) + Array(after.utf8)
      return all.withUnsafeBytes { Self.write($0, to: descriptor) }
    }
    try result.get()
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) -> Result<Void, SystemError> {
    do throws(SystemError) {
      return .success(try TerminalOutput.write(descriptor, bytes))
    } catch {
      return .failure(error)
    }
  }

  /// Shows a text in a row of its own until other output or the next status replaces it. An empty
  /// one removes it. Nothing is shown while a line is edited, behind unfinished output, and while
  /// another thread writes, which removes the status itself: it may wait for the terminal.
  package func showStatus(_ text: String) {
    state.withLockIfAvailable { state in
      guard !state.renderer.isShown, state.tail == 0, state.view == nil,
        !isColumnUnknown.load(ordering: .relaxed)
      else { return }
      guard !text.isEmpty else { return show(removeStatus(&state)) }
      guard !state.isClosed else { return }
      let columns = terminal.size.columns
      let shown = DisplayWidth.prefix(text, fitting: max(0, columns - 1)).text
      // It is replaced in one write, so that it does not flicker.
      let before = state.status?.columns == columns ? "" : removeStatus(&state)
      // Without an editor, nothing else removes it when Ctrl-Z stops the program.
      if state.status == nil, !TerminalModes.ignoresStop { TerminalModes.restoreOnStop() }
      TerminalModes.status.store(descriptor, ordering: .sequentiallyConsistent)
      // The row is about to be the shell's.
      guard !TerminalModes.isStopping.load(ordering: .sequentiallyConsistent) else { return }
      show("\(before)\r\(shown)\u{1B}[K")
      state.status = Status(width: DisplayWidth.of(shown), columns: columns)
    }
  }

  private func removeStatus(_ state: inout State) -> String {
    if state.status != nil { TerminalModes.status.store(-1, ordering: .sequentiallyConsistent) }
    // Once the program was stopped, the row is another program's.
    guard let status = state.status.take(), status.stops == SignalSource.continuations,
      TerminalModes.isInForeground(descriptor)
    else { return "" }
    let columns = max(1, terminal.size.columns)
    // A narrower terminal has wrapped it, as it wraps the line that is edited.
    let above = columns < status.columns ? status.width / columns : 0
    return above > 0 ? "\u{1B}[\(above)A\(ScreenRenderer.eraseBelow)" : "\r\u{1B}[K"
  }

  /// Notes the column behind the output. A row that is full counts as finished.
  private func advanceTail(_ bytes: UnsafeRawBufferPointer, _ state: inout State) {
    guard let last = bytes.last else { return }
    guard last != UInt8(ascii: "\n") else { return state.tail = 0 }
    var start = bytes.count
    while start > 0, bytes[start - 1] != UInt8(ascii: "\n"), bytes[start - 1] != UInt8(ascii: "\r")
    {
      start -= 1
    }
    let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start...]), as: UTF8.self)
    let columns = terminal.size.columns
    let width = (start == 0 ? state.tail : 0) + DisplayWidth.of(escapeControls(text))
    state.tail = width % max(1, columns)
  }

  /// Moves to a new row if output has not ended its own, for example before a question.
  package func beginRow() {
    state.withLock { state in show(removeStatus(&state) + endRow(&state)) }
  }

  private func endRow(_ state: inout State) -> String {
    defer { state.tail = 0 }
    if isColumnUnknown.exchange(false, ordering: .relaxed) {
      // The output may end in a color, or within the escape sequence of one. As many blanks as
      // columns end in the next row, unless the cursor is at the start of one.
      let blanks = String(repeating: " ", count: max(1, terminal.size.columns))
      return (usesColor ? "\u{1B}[0m" : "") + blanks + "\r\u{1B}[K"
    }
    return state.tail > 0 ? "\r\n" : ""
  }

  private func show(_ text: String) {
    if !text.isEmpty { TerminalOutput.show(text, on: descriptor) }
  }
}
