import Synchronization

/// Ends the waits of a thread from another one.
package final class Interruption: Sendable {
  private struct State {
    var isSet = false
    /// Created by the first wait. Its reading end becomes readable with the interruption.
    var pipe: (read: Int32, write: Int32)?
  }

  /// The time between two attempts to open a pipe without a reader. The system has no call that
  /// waits for one and can be ended.
  private static let pauseMilliseconds: Int32 = 10

  private let state = Mutex(State())

  package init() {}

  deinit {
    state.withLock { state in
      guard let pipe = state.pipe else { return }
      close(pipe.read)
      close(pipe.write)
    }
  }

  /// Ends the present wait and all further ones. Does not block.
  package func interrupt() {
    state.withLock { state in
      guard !state.isSet else { return }
      state.isSet = true
      if let pipe = state.pipe { Descriptor.wake(pipe.write) }
    }
  }

  /// Waits until a descriptor can be read or is at its end.
  ///
  /// - Throws: `ECANCELED` if interrupted.
  package func waitForInput(_ descriptor: Int32) throws(SystemError) {
    if Descriptor.isSecondReady(descriptor, try signal()) { throw Interruption.error }
  }

  /// Waits until a descriptor can be read or is at its end, at most for a time.
  ///
  /// - Returns: Whether it can be read.
  /// - Throws: `ECANCELED` if interrupted.
  package func waitForInput(
    _ descriptor: Int32, milliseconds: Int32
  ) throws(SystemError) -> Bool {
    let ready = Descriptor.waitForInput(
      [descriptor, try signal()], milliseconds: milliseconds)
    if ready[1] { throw Interruption.error }
    return ready[0]
  }

  /// Waits for a time.
  ///
  /// - Throws: `ECANCELED` if interrupted.
  package func pause(milliseconds: Int32) throws(SystemError) {
    if Descriptor.waitForInput([try signal()], milliseconds: milliseconds)[0] {
      throw Interruption.error
    }
  }

  /// Waits until a descriptor takes bytes or has no reader.
  ///
  /// - Throws: `ECANCELED` if interrupted.
  package func waitForOutput(_ descriptor: Int32) throws(SystemError) {
    if Descriptor.isSecondReady(descriptor, isWritten: true, try signal()) {
      throw Interruption.error
    }
  }

  /// The most bytes that a pipe takes at once after `waitForOutput`.
  package static let pieceSize = Int(PIPE_BUF)

  /// Reads available bytes of a descriptor, at most `count`. Returns no bytes at the end.
  ///
  /// - Throws: `ECANCELED` if interrupted, or the error of the system.
  package func read(_ descriptor: Int32, atMost count: Int) throws(SystemError) -> [UInt8] {
    try waitForInput(descriptor)
    return try Descriptor.read(descriptor, atMost: count)
  }

  /// Opens a file that child processes do not inherit, and waits until the other end of a named
  /// pipe is open. For reading, that is the first byte or the end of the writer.
  ///
  /// A pipe opened for writing does not block: a write fails with `EAGAIN` while the pipe is full.
  ///
  /// - Throws: `ECANCELED` if interrupted, or the error of the system.
  package func open(
    _ path: String, _ flags: Int32, _ system: FileSystem = FileSystem()
  ) throws(SystemError) -> OpenFile {
    guard FileInfo(path)?.isPipe == true else { return try system.open(path, flags) }
    while true {
      do throws(SystemError) {
        let file = try system.open(path, flags | O_NONBLOCK)
        guard flags & O_ACCMODE == O_RDONLY else { return file }
        try waitForInput(file.number)
        let now = fcntl(file.number, F_GETFL)
        guard now >= 0, fcntl(file.number, F_SETFL, now & ~O_NONBLOCK) == 0 else {
          throw SystemError.last("fcntl")
        }
        return file
      } catch {
        // No process has it open for reading.
        guard error.code == ENXIO else { throw error }
      }
      let isSet = Descriptor.waitForInput(
        [try signal()], milliseconds: Interruption.pauseMilliseconds)
      if isSet[0] { throw Interruption.error }
    }
  }

  private static let error = SystemError(code: ECANCELED, call: "poll")

  /// Returns the descriptor that can be read once interrupted.
  ///
  /// - Throws: `ECANCELED` if interrupted.
  private func signal() throws(SystemError) -> Int32 {
    try state.withLock { state throws(SystemError) in
      guard !state.isSet else { throw Interruption.error }
      if let pipe = state.pipe { return pipe.read }
      let pipe = try Descriptor.pipe()
      state.pipe = pipe
      return pipe.read
    }
  }
}

extension DetachedThread {
  /// Runs `body` on its own thread and returns its result. Cancelling the task interrupts its
  /// waits.
  package static func runInterruptibly<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (Interruption) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let interruption = Interruption()
    let result = await withTaskCancellationHandler {
      await run { Result { () throws(Failure) in try body(interruption) } }
    } onCancel: {
      interruption.interrupt()
    }
    return try result.get()
  }
}
