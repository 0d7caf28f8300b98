import SwiftBoardDependencies
import SwiftBoardSystem
import Synchronization

/// Standard input for commands. One command may read the rest of descriptor 0, once, if no lines
/// come from there.
final class StandardInput: Sendable {
  /// The use of descriptor 0.
  enum Use: Sendable {
    /// Unused: a command may read it to its end.
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

  /// Returns the option that reads a file, with its value, besides one that reads standard input.
  /// The options for a value and for a new passphrase have names alike.
  static func fileOption(besides option: String) -> String {
    option.replacing("-from-stdin", with: "-from-file") + " FILE"
  }

  /// Returns why no command may read standard input, and advice, or `nil` if one may.
  ///
  /// - Parameter option: The option that reads standard input.
  func refusal(of option: String = "--from-stdin") -> (message: String, help: String)? {
    let isItem = option.hasPrefix("@")
    let other = isItem ? "@FILE" : Self.fileOption(besides: option)
    return switch state.withLock({ $0.use }) {
    case .free: nil
    case .script:
      (
        "these lines come from standard input, so \(option) cannot read it",
        "use \(other), or give the lines with -f FILE or -c LINE"
      )
    case .prompt:
      (
        "lines are typed on standard input, so \(option) cannot read it",
        isItem ? "use \(other)" : "leave it out and the value is asked for, or use \(other)"
      )
    }
  }

  /// Records that lines come from `descriptor`, if it refers to the same file as standard input.
  func noteScript(_ descriptor: Int32) {
    guard StandardInput.isSame(descriptor) else { return }
    state.withLock { $0.use = .script }
  }

  /// Returns whether a path refers to the file of standard input, for example `/dev/stdin`.
  static func isSame(path: String) -> Bool {
    FileInfo(path).map(isSame) ?? false
  }

  private static func isSame(_ descriptor: Int32) -> Bool {
    FileInfo(descriptor: descriptor).map(isSame) ?? false
  }

  private static func isSame(_ file: FileInfo) -> Bool {
    // The process's terminal has another name, which is a file of its own.
    isDescriptor(file) || tcgetpgrp(STDIN_FILENO) >= 0 && FileInfo("/dev/tty")?.id == file.id
  }

  private static func isDescriptor(_ file: FileInfo) -> Bool {
    FileInfo(descriptor: STDIN_FILENO)?.id == file.id
  }

  /// Returns whether reading a path must read the rest of standard input. This applies to
  /// `/dev/stdin` and the like, to a terminal or a pipe under any name, and to the file that lines
  /// come from. Any other file is opened under its own name, and so is `/dev/null`, which is empty
  /// whoever has read it.
  func isNamed(by path: String) -> Bool {
    guard let file = FileInfo(path), StandardInput.isSame(file) else { return false }
    if file.id == FileID("/dev/null"), DescriptorPath(path) == nil { return false }
    if refusal() != nil { return true }
    // The terminal under its other name is opened anew, so that it can be read again.
    return StandardInput.isDescriptor(file) && (!file.isRegular || DescriptorPath(path) != nil)
  }

  /// Reads descriptor 0 itself to its end. A file opened again would begin at its start, and a
  /// socket cannot be opened. Blocks.
  ///
  /// - Throws: `unavailable` if lines come from there, if it was read before, or if it is empty;
  ///   `tooLong` if there are more than `limit` bytes; `io`, also if interrupted.
  func read(
    limit: Int, until interruption: Interruption
  ) throws(TerminalError) -> GuardedBytes {
    try take()
    let bytes: GuardedBytes
    do throws(KeychainError) {
      bytes = try GuardedBytes.read(fd: STDIN_FILENO, limit: limit, until: interruption)
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

  /// Reads standard input for a path that refers to it.
  ///
  /// - Throws: `unavailable`, `tooLarge` or `io`.
  func read(
    as path: String, limit: Int, until interruption: Interruption
  ) throws(FileError) -> Data {
    try take(as: path)
    var data = Data()
    while true {
      let bytes: [UInt8]
      do throws(SystemError) {
        bytes = try interruption.read(STDIN_FILENO, atMost: 1 << 16)
      } catch {
        throw FileError(.io, path: path, message: "\(path) cannot be read: \(error)")
      }
      if bytes.isEmpty, !data.isEmpty { return data }
      guard !bytes.isEmpty else {
        throw FileError(
          .unavailable, path: path,
          message: "\(path): nothing is left of standard input: it is empty")
      }
      data.append(contentsOf: bytes)
      guard data.count <= limit else { throw FileError(tooLarge: path, limit: limit) }
    }
  }

  /// Streams standard input in chunks of unknown total size. The first chunk throws `unavailable`
  /// if there is none.
  ///
  /// - Throws: `unavailable`.
  func stream(as path: String) throws(FileError) -> FileInput {
    try take(as: path)
    let isEmpty = Mutex(true)
    return FileInput(size: nil, isRepeatable: false) { () throws(FileError) in
      let bytes: [UInt8]
      do throws(SystemError) {
        bytes = try await DetachedThread.runInterruptibly { (interruption) throws(SystemError) in
          try interruption.read(STDIN_FILENO, atMost: FileInput.pieceSize)
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

  /// Returns why lines cannot be read from a path: it is standard input itself, where lines come
  /// from already. `nil` if they can.
  func refusal(ofLinesFrom path: String) -> FileError? {
    guard refusal() != nil, let file = FileInfo(path), StandardInput.isSame(file),
      !file.isRegular || DescriptorPath(path) != nil
    else { return nil }
    return StandardInput.refusal(as: path)
  }

  private static func refusal(as path: String) -> FileError {
    FileError(
      .unavailable, path: path,
      message: "\(path) is standard input, where these lines come from: nothing is read from it")
  }

  private func take(as path: String) throws(FileError) {
    if refusal() != nil { throw StandardInput.refusal(as: path) }
    do throws(TerminalError) { try take() } catch {
      throw FileError(.unavailable, path: path, message: "\(path): \(error.message)")
    }
  }

  /// Reserves standard input for one command. No other command may read it after that.
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
