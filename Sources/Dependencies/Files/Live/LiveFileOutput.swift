import SwiftBoardSystem
import Synchronization

/// An `OutputFile` that is opened on the first write. Each call runs on a thread of its own,
/// because the reader of a pipe may stall.
final class LiveFileOutput: FileOutput {
  private struct State {
    var file: OutputFile?
    /// Whether the program ends, and nothing more may be written.
    var isOver = false
  }

  let kept: PartialContent? = nil
  private let path: String
  private let mode: OutputFile.Mode
  private let system: FileSystem
  private let open: OpenOutputs
  private let check: @Sendable (_ path: String) throws(FileError) -> Void
  private let state = Mutex(State())

  init(
    _ path: String, _ mode: OutputFile.Mode, _ system: FileSystem, among open: OpenOutputs,
    check: @escaping @Sendable (_ path: String) throws(FileError) -> Void
  ) {
    self.path = path
    self.mode = mode
    self.system = system
    self.open = open
    self.check = check
  }

  func begin(afterKept: Bool, tag: String?) async throws(FileError) {
    try await DetachedThread.runInterruptibly { [self] (interruption) throws(FileError) in
      try check(path)
      guard open.add(self) else { throw discarded }
      let new: OutputFile
      do throws(FileError) {
        new = try OutputFile(path, mode, system, until: interruption)
      } catch {
        open.remove(self)
        throw error
      }
      // A pipe or a device has nothing to discard, and writing to it may block.
      if new.isDirect { open.remove(self) }
      let isOver = state.withLock { state in
        state.file?.discard()
        state.file = state.isOver ? nil : new
        return state.isOver
      }
      guard isOver else { return }
      new.discard()
      throw discarded
    }
  }

  func write(_ data: Data) async throws(FileError) {
    try await DetachedThread.runInterruptibly { [self] (interruption) throws(FileError) in
      try data.bytes.withUnsafeBytes { (bytes) throws(FileError) in
        try state.withLock { (state) throws(FileError) in
          guard !state.isOver else { throw discarded }
          try state.file?.write(bytes, until: interruption)
        }
      }
    }
  }

  func finish() async throws(FileError) {
    try await DetachedThread.run { [self] () throws(FileError) in
      defer { open.remove(self) }
      // With the lock, so that the end of the program waits for the file to get its name.
      try state.withLock { (state) throws(FileError) in
        guard !state.isOver else { throw discarded }
        defer { state.file = nil }
        try state.file?.finish(check: check)
      }
    }
  }

  func discard() async {
    await DetachedThread.run { [self] in
      discardNow(isOver: false)
      open.remove(self)
    }
  }

  /// Discards the file. Blocks while a chunk is written.
  ///
  /// - Parameter isOver: Whether later calls fail.
  func discardNow(isOver: Bool) {
    state.withLock { state in
      state.isOver = state.isOver || isOver
      state.file?.discard()
      state.file = nil
    }
  }

  private var discarded: FileError {
    FileError(.io, path: path, message: "\(path) was discarded: the program ends")
  }
}

/// The outputs that can leave a temporary file if the program ends before they do.
final class OpenOutputs: Sendable {
  /// The outputs, or `nil` at the end of the program.
  private let outputs = Mutex<[ObjectIdentifier: LiveFileOutput]?>([:])

  /// Adds an output. Returns `false` at the end of the program, when it must not begin.
  func add(_ output: LiveFileOutput) -> Bool {
    outputs.withLock { outputs in
      outputs?[ObjectIdentifier(output)] = output
      return outputs != nil
    }
  }

  func remove(_ output: LiveFileOutput) {
    outputs.withLock { _ = $0?.removeValue(forKey: ObjectIdentifier(output)) }
  }

  /// Discards all of them, and lets no other begin. Blocks while chunks are written.
  func discardAll() {
    for output in (outputs.withLock { $0.take() } ?? [:]).values {
      output.discardNow(isOver: true)
    }
  }
}
