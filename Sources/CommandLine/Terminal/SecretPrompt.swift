import SwiftBoardJSON
import SwiftBoardSystem
import Synchronization

/// An error when reading a secret.
package enum SecretPromptError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no terminal.
  case noTerminal
  /// Ctrl-C.
  case interrupted
  /// Ctrl-D, or a terminal that was closed.
  case endOfInput
  /// More than `SecretPrompt.limit` bytes.
  case tooLong
  /// A key that is not a character and does not edit the line, such as an arrow.
  case controlCharacter
  /// Bytes that are not UTF-8, where only UTF-8 is taken.
  case invalidUTF8
  /// Any other error, with the system's message.
  case failed(String)

  package var description: String {
    switch self {
    case .noTerminal: "there is no terminal to ask for it"
    case .interrupted: "interrupted"
    case .endOfInput: "nothing was entered"
    case .tooLong: "more than \(SecretPrompt.limit) bytes"
    case .controlCharacter:
      "a key that is not a character was typed, such as an arrow: nothing was taken"
    case .invalidUTF8:
      "what was typed is not UTF-8, the encoding of the locale: nothing was taken"
    case .failed(let message): "cannot read the terminal: \(message)"
    }
  }
}

/// Prompts for a secret at the terminal, without echo.
package enum SecretPrompt {
  /// The maximum length of a secret in bytes. Terminals do not accept longer lines.
  package static let limit = 4094

  /// Prompts on `/dev/tty` and calls `body` with the bytes without the newline. They are erased
  /// when it returns.
  ///
  /// The terminal provides the line editing. Ctrl-Z stops the program, and the prompt is shown
  /// again when it continues; Ctrl-\ does nothing. Any other control character except a tab is an
  /// error, so that none gets into the secret unseen.
  ///
  /// The bytes are never in a `String` and never in memory that moves. The terminal's modes are
  /// always restored, immediately or by `release`. This blocks: call it through `readOnOwnThread`,
  /// or from a thread of your own.
  ///
  /// - Parameters:
  ///   - showsInput: Whether the terminal shows what is typed, for an answer that is no secret.
  ///   - staysHidden: Whether echo stays off afterwards, until `release`. Text typed since the
  ///     previous prompt then answers the next one.
  ///   - isUTF8: Whether the locale's encoding is UTF-8. Backspace then removes a whole character.
  ///   - requiresUTF8: Whether other bytes are an error.
  ///   - interruption: Ends the prompt, as Ctrl-C does.
  package static func read<Value>(
    prompt: String, terminal path: String = "/dev/tty", showsInput: Bool = false,
    staysHidden: Bool = false, isUTF8: Bool = false, requiresUTF8: Bool = false,
    interruption: Interruption = Interruption(),
    _ body: (UnsafeMutableRawBufferPointer) -> Value
  ) throws(SecretPromptError) -> Value {
    let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .noTerminal }
    do throws(SystemError) {
      // The modes in the background are those of another program.
      try waitForForeground(descriptor, interruption)
    } catch {
      close(descriptor)
      throw .interrupted
    }
    let wasHidden = TerminalModes.secret.isSaved
    guard isatty(descriptor) == 1, TerminalModes.secret.save(descriptor) else {
      close(descriptor)
      throw .noTerminal
    }
    defer {
      if staysHidden {
        TerminalModes.secret.restoreWithoutEcho(isUTF8: hasUTF8.load(ordering: .relaxed))
        // The first descriptor is kept for restoring the modes.
        if wasHidden { close(descriptor) }
      } else if wasHidden {
        release()
        close(descriptor)
      } else {
        release()
      }
    }
    hasEcho.store(showsInput, ordering: .relaxed)
    hasUTF8.store(isUTF8, ordering: .relaxed)
    try setModes(descriptor, keepsInput: wasHidden)
    TerminalOutput.show(prompt, on: descriptor)
    var hasEndedRow = false
    defer { if !hasEndedRow { TerminalOutput.show("\n", on: descriptor) } }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit + 2, alignment: 16)
    _ = mlock(buffer.baseAddress, buffer.count)
    defer {
      wipe(buffer)
      _ = munlock(buffer.baseAddress, buffer.count)
      buffer.deallocate()
    }
    isReading.store(true, ordering: .relaxed)
    defer { isReading.store(false, ordering: .relaxed) }
    let count = try readLine(
      descriptor, into: buffer, prompt: prompt, requiresUTF8: requiresUTF8, interruption)
    // The terminal has shown the end of the line, too.
    hasEndedRow = showsInput
    return body(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
  }

  /// Prompts on a thread of its own. Cancelling the task ends the prompt, and a cancelled task does
  /// not prompt: the user's next line or next secret would answer a prompt that comes too late.
  package static func readOnOwnThread<Value: Sendable>(
    prompt: String, terminal path: String = "/dev/tty", showsInput: Bool = false,
    staysHidden: Bool = false, isUTF8: Bool = false, requiresUTF8: Bool = false,
    _ body: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Value
  ) async throws(SecretPromptError) -> Value {
    guard !Task.isCancelled else { throw .interrupted }
    return try await DetachedThread.runInterruptibly { interruption throws(SecretPromptError) in
      try read(
        prompt: prompt, terminal: path, showsInput: showsInput, staysHidden: staysHidden,
        isUTF8: isUTF8, requiresUTF8: requiresUTF8, interruption: interruption, body)
    }
  }

  /// Turns echo on again if a prompt left it off.
  package static func release() {
    guard let descriptor = TerminalModes.secret.restoreAndForget() else { return }
    close(descriptor)
  }

  /// Turns echo off, or on for an answer that is no secret. The terminal still edits the line. Keys
  /// send no signals, and Ctrl-C ends the line instead.
  private static func setModes(
    _ descriptor: Int32, keepsInput: Bool
  ) throws(SecretPromptError) {
    var modes = termios()
    guard tcgetattr(descriptor, &modes) == 0 else { throw .failed(SystemError.text(of: errno)) }
    // The second end of a line needs IEXTEN.
    modes.c_lflag |= tcflag_t(ICANON | IEXTEN)
    modes.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL | ISIG)
    if hasEcho.load(ordering: .relaxed) { modes.c_lflag |= tcflag_t(ECHO | ECHOE | ECHOK) }
    modes.c_iflag |= tcflag_t(ICRNL)
    if hasUTF8.load(ordering: .relaxed) { modes.c_iflag |= tcflag_t(IUTF8) }
    withUnsafeMutableBytes(of: &modes.c_cc) {
      $0[Int(VEOL)] = interruptByte
      $0[Int(VEOL2)] = suspendByte
    }
    // Text typed before the first prompt was shown is neither secret nor an answer, so it is
    // discarded.
    var code: Int32 = 0
    TerminalModes.unlessEnding {
      code = tcsetattr(descriptor, keepsInput ? TCSADRAIN : TCSAFLUSH, &modes) == 0 ? 0 : errno
    }
    guard code == 0 else { throw .failed(SystemError.text(of: code)) }
  }

  private static let interruptByte: UInt8 = 3

  /// Whether a prompt waits for its answer.
  private static let isReading = Atomic(false)

  /// Whether the present prompt shows what is typed.
  private static let hasEcho = Atomic(false)

  /// Whether the present prompt reads UTF-8.
  private static let hasUTF8 = Atomic(false)

  /// Whether the process was continued in the background while a prompt waits.
  private static let hasLostModes = Atomic(false)

  private static func waitForForeground(
    _ descriptor: Int32, _ interruption: Interruption
  ) throws(SystemError) {
    while !TerminalModes.isInForeground(descriptor) {
      try interruption.pause(milliseconds: TerminalModes.foregroundPause)
    }
  }

  /// Waits for a line, in the foreground and with the modes of the prompt.
  private static func waitForLine(
    _ descriptor: Int32, _ interruption: Interruption
  ) throws(SystemError) {
    while true {
      let isReady = try interruption.waitForInput(
        descriptor, milliseconds: TerminalModes.foregroundPause)
      if !TerminalModes.isInForeground(descriptor) {
        hasLostModes.store(true, ordering: .relaxed)
        try waitForForeground(descriptor, interruption)
      }
      guard hasLostModes.exchange(false, ordering: .relaxed) else {
        if isReady { return }
        continue
      }
      try? setModes(descriptor, keepsInput: true)
    }
  }

  /// Sets the modes of the prompt again after the process was stopped, or turns echo off between
  /// two of them.
  ///
  /// - Returns: Whether a prompt waits for its answer, and has set the modes it needs.
  @discardableResult
  package static func restoreAfterStop() -> Bool {
    let isReading = isReading.load(ordering: .relaxed)
    guard let descriptor = TerminalModes.secret.descriptor else { return isReading }
    guard TerminalModes.isInForeground(descriptor) else {
      // The thread of the prompt sets the modes when it is in the foreground.
      hasLostModes.store(true, ordering: .relaxed)
      return isReading
    }
    if isReading {
      try? setModes(descriptor, keepsInput: true)
    } else {
      TerminalModes.secret.restoreWithoutEcho(isUTF8: hasUTF8.load(ordering: .relaxed))
    }
    return isReading
  }

  /// Stops the program if it owns the terminal, and prompts again when it continues. What was typed
  /// before is dropped.
  ///
  /// - Returns: Whether the terminal belongs to the program.
  private static func suspend(
    _ descriptor: Int32, prompt: String, _ interruption: Interruption
  ) throws(SecretPromptError) -> Bool {
    guard tcgetpgrp(descriptor) == getpgrp() else { return false }
    TerminalOutput.show("\n", on: descriptor)
    TerminalModes.stopGroup()
    do throws(SystemError) { try waitForForeground(descriptor, interruption) } catch {
      throw .interrupted
    }
    try setModes(descriptor, keepsInput: false)
    TerminalOutput.show(prompt, on: descriptor)
    return true
  }

  private static func readLine(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, prompt: String,
    requiresUTF8: Bool, _ interruption: Interruption
  ) throws(SecretPromptError) -> Int {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let got: Int
      do throws(SystemError) {
        try waitForLine(descriptor, interruption)
        got = try Descriptor.read(descriptor, into: rest)
      } catch {
        switch error.code {
        case ECANCELED:
          // What was typed is no line of the board, which would show it.
          if TerminalModes.isInForeground(descriptor) { tcflush(descriptor, TCIFLUSH) }
          throw .interrupted
        case EIO: throw .endOfInput
        default: throw .failed("\(error)")
        }
      }
      if got == 0 { throw .endOfInput }
      count += got
      switch buffer[count - 1] {
      case interruptByte: throw .interrupted
      case suspendByte:
        count -= 1
        if try suspend(descriptor, prompt: prompt, interruption) {
          wipe(buffer)
          count = 0
        }
      case UInt8(ascii: "\n"):
        guard count - 1 <= limit else { throw .tooLong }
        do throws(SecretPromptError) {
          return try withoutKeys(
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<(count - 1)]),
            requiresUTF8: requiresUTF8)
        } catch {
          // What was typed ahead belongs to the answer, and is no line of the board.
          tcflush(descriptor, TCIFLUSH)
          throw error
        }
      default: continue
      }
    }
    tcflush(descriptor, TCIFLUSH)
    throw .tooLong
  }

  /// Removes the keys that would have stopped or ended the program, and returns the rest of the
  /// line.
  private static func withoutKeys(
    _ line: UnsafeMutableRawBufferPointer, requiresUTF8: Bool
  ) throws(SecretPromptError) -> Int {
    var count = 0
    for byte in line where byte != suspendByte && byte != quitByte {
      guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") else {
        throw .controlCharacter
      }
      line[count] = byte
      count += 1
    }
    let bytes = UnsafeRawBufferPointer(rebasing: line[..<count])
    let valid = bytes.withMemoryRebound(to: UInt8.self, \.validUTF8Prefix)
    guard valid == count || !requiresUTF8 else { throw .invalidUTF8 }
    return count
  }

  private static let suspendByte: UInt8 = 0x1A
  private static let quitByte: UInt8 = 0x1C
}
