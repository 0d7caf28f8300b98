import SwiftBoardSystem
import Synchronization

/// An `OutputFile` that is opened on the first write. Each call runs on a thread of its own,
/// because the reader of a pipe may stall.
final class LiveFileOutput: FileOutput {
  let kept: PartialContent? = nil
  private let path: String
  private let mode: OutputFile.Mode
  private let system: FileSystem
  private let check: @Sendable (_ path: String) throws(FileError) -> Void
  private let file = Mutex<OutputFile?>(nil)

  init(
    _ path: String, _ mode: OutputFile.Mode, _ system: FileSystem,
    check: @escaping @Sendable (_ path: String) throws(FileError) -> Void
  ) {
    self.path = path
    self.mode = mode
    self.system = system
    self.check = check
  }

  func begin(afterKept: Bool, tag: String?) async throws(FileError) {
    try await DetachedThread.runInterruptibly { [self] (interruption) throws(FileError) in
      try check(path)
      let new = try OutputFile(path, mode, system, until: interruption)
      let old = file.withLock { file in
        defer { file = new }
        return file
      }
      old?.discard()
    }
  }

  func write(_ data: Data) async throws(FileError) {
    let result: Result<Void, FileError> = await DetachedThread.run { [self] in
      data.withUnsafeBytes { bytes in
        file.withLock { file in
          do throws(FileError) { return .success(try file?.write(bytes) ?? ()) } catch {
            return .failure(error)
          }
        }
      }
    }
    try result.get()
  }

  func finish() async throws(FileError) {
    try await DetachedThread.run { [self] () throws(FileError) in
      try take()?.finish(check: check)
    }
  }

  func discard() async {
    await DetachedThread.run { [self] in take()?.discard() }
  }

  private func take() -> OutputFile? {
    file.withLock { file in
      defer { file = nil }
      return file
    }
  }
}
