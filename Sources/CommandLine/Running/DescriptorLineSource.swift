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

  /// Opens a script. Throws 66 if it cannot be opened.
  package static func file(_ path: String) throws(LineSourceError) -> DescriptorLineSource {
    if path.utf8.contains(0) {
      throw LineSourceError(code: 66, message: "a file's name cannot hold a NUL character")
    }
    do throws(SystemError) {
      let opened = try FileSystem().open(path, O_RDONLY)
      return DescriptorLineSource(opened.number, file: path, opened)
    } catch {
      throw LineSourceError(
        code: 66, message: "cannot open \(escapeControls(path)): \(error)",
        help: error.code == ENOENT ? "a path is taken from the current folder" : nil)
    }
  }

  /// Calls `body` with the open descriptor, to inspect the file. `body` must not read, close or
  /// store it.
  package func withDescriptor(_ body: (Int32) -> Void) { body(descriptor) }

  /// Returns the next line. Reads a chunk of 64 KiB on a thread of its own if no complete line is
  /// buffered.
  ///
  /// - Throws: 74 if reading fails, 66 for a folder, 65 for a line of more than 64 MiB.
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

  /// Returns the remaining bytes up to the end of the input, for a command that reads its value
  /// from there.
  package func readRest() async throws(LineSourceError) -> [UInt8] {
    var bytes = buffer.withLock { $0.takeRest() }
    while !buffer.withLock({ $0.isAtEnd }) {
      let chunk = try await read()
      if chunk.isEmpty { buffer.withLock { $0.append([]) } }
      bytes += chunk
    }
    return bytes
  }

  private func read() async throws(LineSourceError) -> [UInt8] {
    let descriptor = descriptor
    do throws(SystemError) {
      return try await DetachedThread.run { () throws(SystemError) in
        try Descriptor.read(descriptor, atMost: Self.chunk)
      }
    } catch {
      throw LineSourceError(
        code: error.code == EISDIR ? 66 : 74,
        message: "cannot read \(escapeControls(file ?? "the input")): \(error)")
    }
  }
}
