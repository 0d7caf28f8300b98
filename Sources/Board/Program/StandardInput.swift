import SwiftBoardDependencies
import SwiftBoardSystem
import Synchronization

/// Standard input as a command may take it: what is left of descriptor 0, once, and only where no
/// lines come from there.
final class StandardInput: Sendable {
  /// What descriptor 0 is used for.
  enum Use: Sendable {
    /// Nothing: a command may read it to its end.
    case free
    /// The lines of a script come from it.
    case script
    /// A user types lines at a terminal.
    case prompt
  }

  private struct State {
    var use: Use
    var wasRead = false
  }

  private let state: Mutex<State>

  init(_ use: Use) {
    state = Mutex(State(use: use))
  }

  /// Why no command may read it, and what to do; `nil` if one may.
  ///
  /// - Parameter option: The option that asks for it.
  func refusal(of option: String = "--from-stdin") -> (message: String, help: String)? {
    let isItem = option.hasPrefix("@")
    let other = isItem ? "@FILE" : "--from-file FILE"
    return switch state.withLock({ $0.use }) {
    case .free: nil
    case .script:
      (
        "these lines come from standard input, so that there is none for \(option) to read",
        "use \(other), or give the lines with -f FILE or -c LINE"
      )
    case .prompt:
      (
        "lines are typed on standard input, so that there is none for \(option) to read",
        isItem ? "use \(other)" : "leave it out and the value is asked for, or use \(other)"
      )
    }
  }

  /// Lines come from the descriptor from now on if it is open on the same file as standard input.
  func noteScript(_ descriptor: Int32) {
    guard StandardInput.isSame(descriptor) else { return }
    state.withLock { $0.use = .script }
  }

  /// Whether a path refers to the file that standard input is open on, for example `/dev/stdin`.
  static func isSame(path: String) -> Bool {
    FileInfo(path).map(isSame) ?? false
  }

  private static func isSame(_ descriptor: Int32) -> Bool {
    FileInfo(descriptor: descriptor).map(isSame) ?? false
  }

  private static func isSame(_ file: FileInfo) -> Bool {
    FileInfo(descriptor: STDIN_FILENO)?.id == file.id
  }

  /// Whether reading a path is to take what is left of standard input: `/dev/stdin` and the like, a
  /// terminal or a pipe by any name, and the file that lines come from. Another file is read anew
  /// by its own name.
  func isNamed(by path: String) -> Bool {
    guard let file = FileInfo(path), StandardInput.isSame(file) else { return false }
    return refusal() != nil || !file.isRegular || DescriptorPath(path) != nil
  }

  /// Reads descriptor 0 itself to its end, whatever it is: a file opened anew would begin at its
  /// start, and a socket cannot be. Blocks.
  ///
  /// - Throws: `unavailable` where lines come from there, where it was read before, and where it is
  ///   empty; `tooLong` where there are more than `limit` bytes; `io`.
  func read(limit: Int) throws(TerminalError) -> GuardedBytes {
    try take()
    let bytes: GuardedBytes
    do throws(KeychainError) {
      bytes = try GuardedBytes.read(fd: STDIN_FILENO, limit: limit)
    } catch {
      throw error.kind == .limitExceeded
        ? TerminalError(
          .tooLong, "standard input has more than the \(limit) bytes that are taken here")
        : TerminalError(.io, "standard input: \(error.message)")
    }
    guard bytes.count > 0 else {
      throw TerminalError(.unavailable, "nothing is left of standard input: it is empty")
    }
    return bytes
  }

  /// Reads the same for a path that names it.
  ///
  /// - Throws: `unavailable`, `tooLarge` or `io`.
  func read(as path: String, limit: Int) throws(FileError) -> Data {
    try take(as: path)
    var data = Data()
    while true {
      let bytes: [UInt8]
      do throws(SystemError) { bytes = try Descriptor.read(STDIN_FILENO, atMost: 1 << 16) } catch {
        throw FileError(.io, path: path, message: "\(path) cannot be read: \(error)")
      }
      if bytes.isEmpty, !data.isEmpty { return data }
      guard !bytes.isEmpty else {
        throw FileError(
          .unavailable, path: path,
          message: "\(path): nothing is left of standard input: it is empty")
      }
      data.append(contentsOf: bytes)
      guard data.count <= limit else {
        throw FileError(
          .tooLarge, path: path,
          message: "\(path) is larger than the \(limit) bytes that are taken here")
      }
    }
  }

  /// Takes the same piece by piece; the number of bytes is not known before. The first piece throws
  /// `unavailable` where there is none.
  ///
  /// - Throws: `unavailable`.
  func stream(as path: String) throws(FileError) -> FileInput {
    try take(as: path)
    let isEmpty = Mutex(true)
    return FileInput(size: nil, isRepeatable: false) { () throws(FileError) in
      let bytes: [UInt8]
      do throws(SystemError) {
        bytes = try await DetachedThread.run { () throws(SystemError) in
          try Descriptor.read(STDIN_FILENO, atMost: FileInput.pieceSize)
        }
      } catch {
        throw FileError(.io, path: path, message: "\(path) cannot be read: \(error)")
      }
      if !bytes.isEmpty {
        isEmpty.withLock { $0 = false }
        return Data(bytes)
      }
      guard isEmpty.withLock({ $0 }) else { return nil }
      throw FileError(
        .unavailable, path: path,
        message: "\(path): nothing is left of standard input: it is empty")
    }
  }

  private func take(as path: String) throws(FileError) {
    if refusal() != nil {
      throw FileError(
        .unavailable, path: path,
        message: "\(path) is standard input, where these lines come from: nothing is read from it")
    }
    do throws(TerminalError) { try take() } catch {
      throw FileError(.unavailable, path: path, message: "\(path): \(error.message)")
    }
  }

  /// Takes it for a command, which no other one may do after that.
  private func take() throws(TerminalError) {
    if let refusal = refusal() { throw TerminalError(.unavailable, refusal.message) }
    let wasRead = state.withLock { state in
      defer { state.wasRead = true }
      return state.wasRead
    }
    guard !wasRead else {
      throw TerminalError(
        .unavailable, "nothing is left of standard input: an earlier command has read it")
    }
    guard fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE != O_WRONLY else {
      throw TerminalError(.unavailable, "nothing is left of standard input: it is closed")
    }
  }
}
