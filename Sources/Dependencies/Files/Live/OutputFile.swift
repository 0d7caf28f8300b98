import SwiftBoardSystem

/// A file while it is being written, piece by piece.
///
/// A write that fails leaves what was there before: an existing file as it was, and no new one.
/// What is no regular file (a device, a pipe) is written directly, and keeps what has come; so is
/// the file that standard output or standard error is open on. Nothing waits for the disk.
///
/// Use one copy of the value, and end it with `finish` or `discard`.
package struct OutputFile: Sendable {
  /// The handling of an existing regular file.
  package enum Mode: Sendable {
    /// It stays until `finish()`, and is then replaced in one step. A new file appears then, too.
    case replace
    /// As `replace`, except that a new file grows before the eyes of its readers, and that a file
    /// of another owner, one with several names, or one in a folder that takes no new file is
    /// emptied at once, as a shell does it.
    case stream
    /// Written after its end. A failure cuts it back, unless another program has added something
    /// meanwhile.
    case append
    /// It is an error.
    case create
  }

  private enum Undo {
    case nothing
    /// The new file, until it takes the name of the target.
    case temporary(TemporaryFile)
    /// The file was not there before.
    case new
    /// It had so many bytes.
    case grown(from: Int64)
  }

  /// As it was given; errors name it.
  package let path: String
  /// Where it leads.
  private let target: String
  private let system: FileSystem
  private let file: OpenFile
  private let undo: Undo
  private var written: Int64 = 0

  /// Opens the file, mode 0600 where it is new. Blocks where the path is a pipe until its reader
  /// comes.
  ///
  /// - Throws: `exists` with `create`, otherwise `cannotCreate`.
  package init(_ path: String, _ mode: Mode) throws(FileError) {
    try self.init(path, mode, FileSystem())
  }

  init(_ path: String, _ mode: Mode, _ system: FileSystem) throws(FileError) {
    self.path = path
    self.system = system
    target = ResolvedFile.followed(path)
    let opening = Opening(path: path, target: target, system: system)
    (file, undo) = try opening.open(mode)
  }

  /// Whether it is written directly: a pipe, a device, the file of standard output. A write to it
  /// may wait.
  package var isDirect: Bool {
    if case .nothing = undo { true } else { false }
  }

  /// Writes all of the bytes.
  ///
  /// - Throws: `full`, `denied` or `io`. Then call `discard()`.
  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(SystemError) {
        let count = try system.write(UnsafeRawBufferPointer(rebasing: rest), to: file)
        written += Int64(count)
        rest = rest.dropFirst(count)
      } catch {
        throw FileError(path, "written", error.code)
      }
    }
  }

  /// Closes the file, which has its name then.
  ///
  /// - Parameter check: Asked once more before another file is replaced.
  /// - Throws: What `check` throws, `full` or `io`. What was there before is left.
  package func finish(
    check: (_ path: String) throws(FileError) -> Void = { _ in }
  ) throws(FileError) {
    // Some file systems report a full disk only here.
    do throws(SystemError) { try system.close(file) } catch {
      takeBack(isOpen: false)
      throw FileError(path, "written", error.code)
    }
    guard case .temporary(let temporary) = undo else { return }
    do throws(FileError) { try check(path) } catch {
      temporary.discard()
      throw error
    }
    do throws(SystemError) { try temporary.publish(as: target, replaces: true) } catch {
      throw FileError(path, "written", error.code)
    }
  }

  /// Closes the file, and leaves what was there before.
  package func discard() {
    takeBack(isOpen: true)
    file.close()
  }

  private func takeBack(isOpen: Bool) {
    let info = isOpen ? FileInfo(descriptor: file.number) : nil
    switch undo {
    case .nothing: break
    case .temporary(let temporary): temporary.discard()
    case .new:
      // Another program may have put its own file there.
      guard !isOpen || (info != nil && info?.id == FileID(target)) else { return }
      try? system.remove(target)
    case .grown(let size):
      guard let info, info.size == size + written else { return }
      try? system.truncate(file, to: size)
    }
  }

  /// How each mode opens a file.
  private struct Opening {
    let path: String
    let target: String
    let system: FileSystem

    func open(_ mode: Mode) throws(FileError) -> (OpenFile, Undo) {
      // The path itself: what it leads to may have no path, such as `/dev/stdout` on a pipe.
      guard let old = FileInfo(path) else {
        guard errno == ENOENT else { throw cannotCreate(errno) }
        return try openNew(mode)
      }
      if mode == .create { throw exists }
      if !old.isRegular { return (try open(path, O_WRONLY), .nothing) }
      if let file = standardDescriptor(of: old) { return (file, .nothing) }
      switch mode {
      case .append: return (try open(path, O_WRONLY | O_APPEND), .grown(from: old.size))
      case .stream where old.owner != geteuid() || old.names > 1:
        return (try open(path, O_WRONLY | O_TRUNC), .nothing)
      case .stream:
        do throws(FileError) { return try openTemporary(old) } catch {
          return (try open(path, O_WRONLY | O_TRUNC), .nothing)
        }
      case .replace, .create: return try openTemporary(old)
      }
    }

    private func openNew(_ mode: Mode) throws(FileError) -> (OpenFile, Undo) {
      switch mode {
      case .append: (try create(target, O_WRONLY | O_APPEND), .new)
      // A link that leads to nothing is something.
      case .create: (try create(path, O_WRONLY), .new)
      case .stream: (try create(target, O_WRONLY), .new)
      case .replace: try openTemporary(nil)
      }
    }

    /// Returns a duplicate of standard output's or standard error's descriptor if that is open on
    /// the same file. Writing continues at their offset, and the file is not replaced: later writes
    /// to them would be lost with the replaced file.
    private func standardDescriptor(of info: FileInfo) -> OpenFile? {
      for number in [STDOUT_FILENO, STDERR_FILENO] {
        guard FileInfo(descriptor: number)?.id == info.id,
          fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY
        else { continue }
        let descriptor = fcntl(number, F_DUPFD_CLOEXEC, 3)
        if descriptor >= 0 { return OpenFile(descriptor, name: path) }
      }
      return nil
    }

    /// - Parameter old: The file whose permissions the new one gets.
    private func openTemporary(_ old: FileInfo?) throws(FileError) -> (OpenFile, Undo) {
      let temporary: TemporaryFile
      do throws(SystemError) {
        temporary = try TemporaryFile(
          target + ".\(UInt64.random(in: .min ... .max)).tmp", system: system)
      } catch {
        throw cannotOpen(error)
      }
      if let old {
        do throws(SystemError) {
          try system.changeMode(temporary.file, to: old.mode & 0o777)
        } catch {
          temporary.discard()
          throw FileError(path, "written", error.code)
        }
      }
      return (temporary.file, .temporary(temporary))
    }

    private func open(_ file: String, _ flags: Int32) throws(FileError) -> OpenFile {
      do throws(SystemError) { return try system.open(file, flags) } catch {
        throw cannotOpen(error)
      }
    }

    private func create(_ file: String, _ flags: Int32) throws(FileError) -> OpenFile {
      do throws(SystemError) { return try system.create(file, flags) } catch {
        throw cannotOpen(error)
      }
    }

    private func cannotOpen(_ error: SystemError) -> FileError {
      error.code == EEXIST ? exists : cannotCreate(error.code)
    }

    private var exists: FileError {
      FileError(.exists, path: path, message: "\(path) exists already and was left as it is")
    }

    private func cannotCreate(_ number: Int32) -> FileError {
      FileError(
        .cannotCreate, path: path,
        message: "\(path) cannot be written: \(SystemError.text(of: number))")
    }
  }
}
