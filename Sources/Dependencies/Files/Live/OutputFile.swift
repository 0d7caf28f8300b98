import SwiftBoardSystem

/// A file that is being written in chunks.
///
/// A write that fails leaves an existing file unchanged and no new file. A path that is not a
/// regular file (a device, a pipe) is written directly and keeps the written bytes. The same
/// applies to the file of standard output or standard error. The data is not synchronized to the
/// disk.
///
/// Use one copy of the value, and end it with `finish` or `discard`.
package struct OutputFile: Sendable {
  /// The handling of an existing regular file.
  package enum Mode: Sendable {
    /// Replaces it atomically in `finish()`. A new file appears then, too.
    case replace
    /// Like `replace`, but readers can see a new file while it is written. A file with another
    /// owner, with several names, or in a folder that is not writable is truncated at once, as
    /// shells do.
    case stream
    /// Truncates it at once, so that what others write who have it open is not lost.
    case truncate
    /// Appends to it. After a failure, the file is truncated to its old length, unless another
    /// program has added something in the meantime.
    case append
    /// Fails if it exists, and for a folder.
    case create
  }

  private enum Undo {
    case nothing
    /// The file was truncated, so its earlier bytes are lost.
    case truncated
    /// The new file, until it is renamed to the target.
    case temporary(TemporaryFile)
    /// The file did not exist before.
    case new
    /// The file had this number of bytes.
    case grown(from: Int64)
  }

  /// The path as given, for errors.
  package let path: String
  /// The path with symbolic links resolved.
  private let target: String
  private let system: FileSystem
  private let file: OpenFile
  private var undo: Undo
  /// Whether the file had a name when it was opened, which `/dev/fd/N` need not have.
  private let hadName: Bool
  private var written: Int64 = 0

  /// Opens the file. A new file has mode 0600. If the path is a pipe, this blocks until it has a
  /// reader.
  ///
  /// - Parameter interruption: Ends the wait for a reader.
  /// - Throws: `exists` with `create`, otherwise `cannotCreate`.
  package init(
    _ path: String, _ mode: Mode, _ system: FileSystem = FileSystem(),
    until interruption: Interruption = Interruption()
  ) throws(FileError) {
    self.path = path
    self.system = system
    target = ResolvedFile.followed(path)
    let opening = Opening(
      path: path, target: target, system: system, interruption: interruption)
    (file, undo) = try opening.open(mode)
    hadName = FileInfo(descriptor: file.number)?.names != 0
  }

  /// The identity of the file that is written, which for a replacement is not yet at the path.
  package var id: FileID? { FileInfo(descriptor: file.number)?.id }

  /// The path of the existing file that is replaced in `finish()`, with symbolic links resolved.
  package var replacedPath: String? {
    if case .temporary = undo { target } else { nil }
  }

  /// Whether it is written directly: a pipe, a device, or the file of standard output. A write to
  /// it may block.
  package var isDirect: Bool {
    if case .nothing = undo { true } else { false }
  }

  /// Writes all of the bytes.
  ///
  /// - Parameter interruption: Ends the wait for the reader of a pipe to take them.
  /// - Throws: `full`, `denied` or `io`. Then call `discard()`.
  package mutating func write(
    _ bytes: UnsafeRawBufferPointer, until interruption: Interruption? = nil
  ) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(SystemError) {
        var piece = rest
        if isDirect, let interruption {
          try interruption.waitForOutput(file.number)
          piece = rest.prefix(Interruption.pieceSize)
        }
        let count = try system.write(UnsafeRawBufferPointer(rebasing: piece), to: file)
        written += Int64(count)
        rest = rest.dropFirst(count)
      } catch {
        // The pipe is full. Another writer may have filled it after the wait.
        if error.code == EAGAIN {
          if interruption == nil { Descriptor.waitForOutput(file.number) }
          continue
        }
        throw FileError(path, "written", error.code)
      }
    }
  }

  /// Closes the file and gives it its name.
  ///
  /// - Parameters:
  ///   - isShared: Whether others have the same file open; see `discard(isShared:)`.
  ///   - check: Called again before another file is replaced.
  /// - Throws: The error of `check`, `full` or `io`. The previous file is then kept. `io` is also
  ///   the error of a file that another program has removed or replaced.
  package func finish(
    isShared: Bool = false,
    check: (_ path: String) throws(FileError) -> Void = { _ in }
  ) throws(FileError) {
    let info = FileInfo(descriptor: file.number)
    // Some file systems only report a full disk here.
    do throws(SystemError) { try system.close(file) } catch {
      takeBack(info, isOpen: false, isShared: isShared)
      throw FileError(path, "written", error.code)
    }
    guard case .temporary(let temporary) = undo else {
      guard isDirect || !hadName || info?.names != 0 else {
        throw FileError(
          .io, path: path, message: "\(path) was removed or replaced while it was written")
      }
      return
    }
    do throws(FileError) { try check(path) } catch {
      temporary.discard()
      throw error
    }
    do throws(SystemError) { try temporary.publish(as: target, replaces: true) } catch {
      throw FileError(path, "written", error.code)
    }
  }

  /// Checks that a file may be replaced: its own permissions, which a rename does not ask for, and
  /// those of its folder. A file that is written directly passes.
  ///
  /// - Throws: `cannotCreate`.
  static func checkReplaceable(
    _ path: String, _ info: FileInfo, _ system: FileSystem
  ) throws(FileError) {
    guard info.isRegular, standardDescriptor(of: info) == nil else { return }
    do throws(SystemError) { try system.checkWritable(path) } catch {
      throw FileError(cannotCreate: path, error.code)
    }
    let target = PathComponents(ResolvedFile.followed(path), ignoresTrailingSlashes: true)
    do throws(SystemError) { try system.checkWritable(target.folder) } catch {
      throw FileError(
        .cannotCreate, path: path,
        message: "\(path) cannot be replaced: its folder \(target.folder) cannot be written to: "
          + SystemError.text(of: error.code))
    }
  }

  /// Returns the descriptor of standard output or standard error if it is open for writing on that
  /// file.
  private static func standardDescriptor(of info: FileInfo) -> Int32? {
    [STDOUT_FILENO, STDERR_FILENO].first {
      FileInfo(descriptor: $0)?.id == info.id && fcntl($0, F_GETFL) & O_ACCMODE != O_RDONLY
    }
  }

  /// Closes the file and restores the previous state.
  ///
  /// - Parameter isShared: Whether others have the same file open. A new one is then emptied, and
  ///   not removed.
  package func discard(isShared: Bool = false) {
    takeBack(FileInfo(descriptor: file.number), isShared: isShared)
    file.close()
  }

  /// Keeps what is written when the file is discarded, because another writer has truncated it.
  package mutating func keepWritten() { undo = .truncated }

  /// Restores the previous state, unless another program has added something in the meantime.
  private func takeBack(_ info: FileInfo?, isOpen: Bool = true, isShared: Bool = false) {
    switch undo {
    case .nothing, .truncated: break
    case .temporary(let temporary): temporary.discard()
    case .new where isShared: if isOpen { cut(info, to: 0) }
    case .new:
      // Another program may have put its own file there.
      guard let info, info.size == written, info.id == FileID(target) else { return }
      try? system.remove(target)
    case .grown(let size): if isOpen { cut(info, to: size) }
    }
  }

  private func cut(_ info: FileInfo?, to size: Int64) {
    guard let info, info.size == size + written else { return }
    try? system.truncate(file, to: size)
  }

  /// Opens a file for a mode.
  private struct Opening {
    let path: String
    let target: String
    let system: FileSystem
    let interruption: Interruption

    func open(_ mode: Mode) throws(FileError) -> (OpenFile, Undo) {
      // This uses the path itself because its target may have no path, such as `/dev/stdout` on a
      // pipe.
      guard let old = FileInfo(path) else {
        guard errno == ENOENT else { throw FileError(cannotCreate: path, errno) }
        return try openNew(mode)
      }
      if !old.isRegular, mode != .create || !old.isFolder {
        return (try open(path, O_WRONLY), .nothing)
      }
      if let file = duplicateOfStandardDescriptor(of: old) { return (file, .nothing) }
      if mode == .create { throw exists }
      switch mode {
      case .append: return (try open(path, O_WRONLY | O_APPEND), .grown(from: old.size))
      case .truncate: return try truncate()
      case .stream where old.owner != geteuid() || old.names > 1: return try truncate()
      case .stream:
        do throws(FileError) {
          try checkReplaceable(path, old, system)
          return try openTemporary(old)
        } catch {
          return try truncate()
        }
      case .replace, .create:
        try checkReplaceable(path, old, system)
        return try openTemporary(old)
      }
    }

    /// Others can write to the file meanwhile, and neither overwrites the other's bytes.
    private func truncate() throws(FileError) -> (OpenFile, Undo) {
      (try open(path, O_WRONLY | O_TRUNC | O_APPEND), .truncated)
    }

    private func openNew(_ mode: Mode) throws(FileError) -> (OpenFile, Undo) {
      switch mode {
      // Others can write to a new file meanwhile, and neither overwrites the other's bytes.
      case .append, .stream, .truncate: (try create(target, O_WRONLY | O_APPEND), .new)
      // A dangling link counts as an existing file.
      case .create: (try create(path, O_WRONLY), .new)
      case .replace: try openTemporary(nil)
      }
    }

    /// Returns a duplicate of standard output's or standard error's descriptor if that is open on
    /// the same file. Writing continues at their offset, and the file is not replaced: later writes
    /// to them would be lost with the replaced file.
    private func duplicateOfStandardDescriptor(of info: FileInfo) -> OpenFile? {
      guard let number = standardDescriptor(of: info) else { return nil }
      let descriptor = fcntl(number, F_DUPFD_CLOEXEC, 3)
      return descriptor < 0 ? nil : OpenFile(descriptor, name: path)
    }

    /// - Parameter old: The file whose group and permissions the new one gets; see
    ///   `FileSystem.changeAccess`.
    private func openTemporary(_ old: FileInfo?) throws(FileError) -> (OpenFile, Undo) {
      let temporary: TemporaryFile
      do throws(SystemError) {
        temporary = try TemporaryFile(for: target, system: system)
      } catch {
        throw cannotOpen(error)
      }
      if let old {
        do throws(SystemError) {
          try system.changeAccess(temporary.file, toThatOf: old)
        } catch {
          temporary.discard()
          throw FileError(path, "written", error.code)
        }
      }
      return (temporary.file, .temporary(temporary))
    }

    private func open(_ file: String, _ flags: Int32) throws(FileError) -> OpenFile {
      do throws(SystemError) { return try interruption.open(file, flags, system) } catch {
        throw cannotOpen(error)
      }
    }

    private func create(_ file: String, _ flags: Int32) throws(FileError) -> OpenFile {
      do throws(SystemError) { return try system.create(file, flags) } catch {
        throw cannotOpen(error)
      }
    }

    private func cannotOpen(_ error: SystemError) -> FileError {
      error.code == EEXIST ? exists : FileError(cannotCreate: path, error.code)
    }

    private var exists: FileError {
      FileError(.exists, path: path, message: "\(path) already exists and was not changed")
    }
  }
}
