import SwiftBoardSystem
import Synchronization

/// Reads lines from an open file, a pipe or standard input.
///
/// It reads the available bytes in chunks on a thread of its own, and only if no complete line is
/// buffered. On a pipe, each line can therefore run before the next one is written. One caller at a
/// time.
package final class DescriptorLineSource: LineSource {
  private static let chunk = 1 << 16

  private let descriptor: Int32
  /// Closes the descriptor when the source is released.
  private let opened: OpenFile?
  private let file: String?
  private let buffer = Mutex(LineBuffer())

  /// - Parameters:
  ///   - descriptor: open for reading.
  ///   - file: the name in line locations.
  ///   - closes: whether the source closes the descriptor when it is released.
  package convenience init(descriptor: Int32, file: String?, closes: Bool = false) {
    let opened = closes ? OpenFile(descriptor, name: file ?? "") : nil
    self.init(descriptor, file: file, opened)
  }

  private init(_ descriptor: Int32, file: String?, _ opened: OpenFile?) {
    self.descriptor = descriptor
    self.file = file
    self.opened = opened
  }

  /// Returns a source for standard input. Its lines have locations like `<stdin>:7`.
  package static func standardInput() -> DescriptorLineSource {
    DescriptorLineSource(descriptor: STDIN_FILENO, file: "<stdin>")
  }

  /// Opens a script. Waits for the writer of a pipe until the task is cancelled.
  ///
  /// - Throws: `missing` if there is none, `io` if it cannot be opened or is a folder, `cancelled`
  ///   if the task is cancelled.
  package static func file(_ path: String) async throws(LineSourceError) -> DescriptorLineSource {
    if path.isEmpty { throw LineSourceError(.missing, message: "the name of a file is empty") }
    if path.utf8.contains(0) {
      throw LineSourceError(.missing, message: "a file's name cannot hold a NUL character")
    }
    do throws(SystemError) {
      let opened = try await DetachedThread.runInterruptibly {
        (interruption) throws(SystemError) in try interruption.open(path, O_RDONLY)
      }
      if FileInfo(descriptor: opened.number)?.isFolder == true {
        throw SystemError(code: EISDIR, call: "open")
      }
      return DescriptorLineSource(opened.number, file: path, opened)
    } catch {
      if error.code == ECANCELED { throw .cancelled }
      throw LineSourceError(
        error.isMissing ? .missing : .io,
        message: "cannot open \(escapeControls(path)): \(error)",
        help: error.code == ENOENT ? "a path is taken from the current folder" : nil)
    }
  }

  /// Calls `body` with the open descriptor, to inspect the file. `body` must not read, close or
  /// store it.
  package func withDescriptor(_ body: (Int32) -> Void) { body(descriptor) }

  /// Returns the next line. Reads a chunk of 64 KiB on a thread of its own if no complete line is
  /// buffered.
  ///
  /// - Throws: `io` if reading fails, `malformedData` for a line of more than 64 MiB, `cancelled`
  ///   if the task is cancelled while it waits.
  package func next(isContinuation: Bool) async throws(LineSourceError) -> NextLine {
    while true {
      let (line, isAtEnd) = try buffer.withLock { buffer throws(LineSourceError) in
        (try buffer.next(file: file), buffer.isAtEnd)
      }
      if let line { return .line(line) }
      if isAtEnd { return .end }
      let chunk = try await read()
      buffer.withLock { $0.append(chunk) }
    }
  }

  private func read() async throws(LineSourceError) -> [UInt8] {
    let descriptor = descriptor
    do throws(SystemError) {
      return try await DetachedThread.runInterruptibly { (interruption) throws(SystemError) in
        try interruption.read(descriptor, atMost: Self.chunk)
      }
    } catch {
      if error.code == ECANCELED { throw .cancelled }
      throw LineSourceError(
        .io, message: "cannot read \(escapeControls(file ?? "the input")): \(error)")
    }
  }
}
