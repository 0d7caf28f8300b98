import SwiftBoardSystem

/// The modes of the terminal whose lines are edited. One program has one.
package struct EditingTerminal: Sendable {
  /// The descriptor that keys are read from.
  package let input: Int32

  package init(input: Int32 = STDIN_FILENO) { self.input = input }

  /// Whether the terminal is the program's. Another program has it while this one runs in the
  /// background.
  package var isInForeground: Bool { TerminalModes.isInForeground(input) }

  /// The time between two looks whether the program is in the foreground again, in milliseconds.
  package static var foregroundPause: Int32 { TerminalModes.foregroundPause }

  /// Lets all keys arrive at once. Returns `false` if the descriptor is not a terminal.
  ///
  /// - Parameter marksPaste: Whether the screen lets the terminal mark pasted text.
  package func beginLine(marksPaste: Bool) -> Bool {
    guard TerminalModes.editor.save(input) else { return false }
    TerminalModes.restoreOnStop()
    TerminalModes.editor.readKeys(sendsSignals: false, marksPaste: marksPaste)
    return true
  }

  /// Keeps keys for the first line, as `endLine` does for the next one.
  package func beginHolding() {
    guard TerminalModes.editor.save(input) else { return }
    TerminalModes.restoreOnStop()
    endLine()
  }

  /// Keeps keys for the next line, except for those that send signals, such as Ctrl-C. They are not
  /// shown, as that would garble the output of commands.
  package func endLine() {
    TerminalModes.editor.readKeys(sendsSignals: true, marksPaste: false)
  }

  /// Restores the modes from before the first line for another program, until `endLine`.
  package func lend() { TerminalModes.editor.restore() }

  /// Restores the modes from before the first line for good. A prompt for a secret that still waits
  /// must not restore those that it found, which were the editor's.
  package func close() {
    TerminalModes.endChanges()
    // What was typed at the prompt is no line of the shell.
    if TerminalModes.secret.isSaved, isInForeground { tcflush(input, TCIFLUSH) }
    TerminalModes.secret.restoreAndForget()
    TerminalModes.editor.restoreAndForget()
  }

  /// Stops the program, as Ctrl-Z does, until the shell continues it.
  package func suspend() { TerminalModes.stopGroup() }
}
