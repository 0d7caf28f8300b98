#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file while it is being written, piece by piece.
///
/// A write that fails leaves what was there before: an existing file as it was, and no new one. What is no regular file
/// (a device, a pipe) is written directly, and keeps what has come; so is the file that standard output or standard error is
/// open on. Nothing waits for the disk.
///
/// Use one copy of the value, and end it with `finish` or `discard`.
public struct OutputFile: Sendable {
  /// What becomes of a regular file that is there already.
  public enum Mode: Sendable {
    /// It stays until `finish()`, and is then replaced in one step. A new file appears then, too.
    case replace
    /// As `replace`, except that a new file grows before the eyes of its readers, and that a file of another owner, one
    /// with several names, or one in a folder that takes no new file is emptied at once, as a shell does it.
    case stream
    /// Written behind its end. A failure cuts it back, unless another program has added something meanwhile.
    case append
    /// It is an error.
    case create
  }

  private enum Undo {
    case nothing
    /// The new file has this name until it takes that of the target.
    case temporary(String)
    /// The file was not there before.
    case new
    /// It had so many bytes.
    case grown(from: Int64)
  }

  /// As it was given; errors name it.
  public let path: String
  /// Where it leads.
  private let target: String
  private let system: FileSystem
  private let descriptor: Int32
  private let undo: Undo
  private var written: Int64 = 0

  /// Opens the file, mode 0600 where it is new. Blocks where the path is a pipe until its reader comes.
  ///
  /// - Throws: `exists` with `create`, otherwise `cannotCreate`.
  public init(_ path: String, _ mode: Mode) throws(FileError) {
    try self.init(path, mode, FileSystem())
  }

  init(_ path: String, _ mode: Mode, _ system: FileSystem) throws(FileError) {
    self.path = path
    self.system = system
    target = FilePlace.followed(path)
    let opening = Opening(path: path, target: target, system: system)
    (descriptor, undo) = try opening.open(mode)
  }

  /// Whether it is written directly: a pipe, a device, the file of standard output. A write to it may wait.
  public var isDirect: Bool {
    if case .nothing = undo { true } else { false }
  }

  /// Writes all of the bytes.
  ///
  /// - Throws: `full`, `denied` or `io`. Then call `discard()`.
  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      let count = system.call(.write) { systemWrite(descriptor, piece.baseAddress, piece.count) }
      guard count >= 0 else { throw FileError(path, "written", errno) }
      written += Int64(count)
      rest = rest.dropFirst(count)
    }
  }

  /// Closes the file, which has its name then.
  ///
  /// - Parameter check: Asked once more before another file is replaced.
  /// - Throws: What `check` throws, `full` or `io`. What was there before is left.
  public func finish(
    check: (_ path: String) throws(FileError) -> Void = { _ in }
  ) throws(FileError) {
    // Some file systems say only here that there is no room.
    guard system.call(.close, isRepeated: false, { close(descriptor) }) >= 0 else {
      let error = FileError(path, "written", errno)
      takeBack(isOpen: false)
      throw error
    }
    guard case .temporary(let temporary) = undo else { return }
    do throws(FileError) {
      try check(path)
      guard system.call(.rename, { rename(temporary, target) }) >= 0 else {
        throw FileError(path, "written", errno)
      }
    } catch {
      takeBack(isOpen: false)
      throw error
    }
  }

  /// Closes the file, and leaves what was there before.
  public func discard() {
    takeBack(isOpen: true)
    close(descriptor)
  }

  private func takeBack(isOpen: Bool) {
    switch undo {
    case .nothing: break
    case .temporary(let temporary): unlink(temporary)
    case .new:
      var mine = stat()
      // Another program may have put its own file there.
      guard !isOpen || (fstat(descriptor, &mine) == 0 && FileID(target) == FileID(mine)) else {
        return
      }
      unlink(target)
    case .grown(let size):
      var status = stat()
      guard isOpen, fstat(descriptor, &status) == 0, status.st_size == size + written else {
        return
      }
      ftruncate(descriptor, off_t(size))
    }
  }

  /// How each mode opens a file.
  private struct Opening {
    let path: String
    let target: String
    let system: FileSystem

    func open(_ mode: Mode) throws(FileError) -> (Int32, Undo) {
      var status = stat()
      // The path itself: what it leads to may have no path, such as `/dev/stdout` on a pipe.
      let isThere = stat(path, &status) == 0
      if !isThere, errno != ENOENT { throw cannotCreate(errno) }
      if isThere, mode == .create {
        throw FileError(
          .exists, path: path, message: "\(path) exists already and was left as it is")
      }
      if isThere, status.st_mode & S_IFMT != S_IFREG { return (try open(path, O_WRONLY), .nothing) }
      if isThere, let descriptor = standardDescriptor(of: status) { return (descriptor, .nothing) }
      switch mode {
      case .append where isThere:
        return (try open(path, O_WRONLY | O_APPEND), .grown(from: Int64(status.st_size)))
      case .append: return (try open(target, O_WRONLY | O_APPEND | O_CREAT | O_EXCL), .new)
      case .stream where isThere && (status.st_uid != geteuid() || status.st_nlink > 1):
        return (try open(path, O_WRONLY | O_TRUNC), .nothing)
      case .stream where isThere:
        do throws(FileError) { return try openTemporary(status) } catch {
          return (try open(path, O_WRONLY | O_TRUNC), .nothing)
        }
      // A link that leads to nothing is something.
      case .create: return (try open(path, O_WRONLY | O_CREAT | O_EXCL), .new)
      case .stream: return (try open(target, O_WRONLY | O_CREAT | O_EXCL), .new)
      case .replace: return try openTemporary(isThere ? status : nil)
      }
    }

    /// A copy of standard output's or standard error's descriptor where that is open on the same file. It goes on where
    /// those are, and the file keeps its name: what they write later would be lost with the file that was replaced.
    private func standardDescriptor(of status: stat) -> Int32? {
      for number in [STDOUT_FILENO, STDERR_FILENO] {
        var own = stat()
        guard fstat(number, &own) == 0, FileID(own) == FileID(status),
          fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY
        else { continue }
        let descriptor = fcntl(number, F_DUPFD_CLOEXEC, 3)
        if descriptor >= 0 { return descriptor }
      }
      return nil
    }

    /// - Parameter old: The file whose permissions the new one gets.
    private func openTemporary(_ old: stat?) throws(FileError) -> (Int32, Undo) {
      let temporary = target + ".\(UInt64.random(in: .min ... .max)).tmp"
      let descriptor = try open(temporary, O_WRONLY | O_CREAT | O_EXCL)
      if let old,
        system.call(.changeMode, { fchmod(descriptor, old.st_mode & 0o777) }) < 0
      {
        let error = FileError(path, "written", errno)
        close(descriptor)
        unlink(temporary)
        throw error
      }
      return (descriptor, .temporary(temporary))
    }

    private func open(_ file: String, _ flags: Int32) throws(FileError) -> Int32 {
      let descriptor = system.call(.open) { systemOpen(file, flags | O_CLOEXEC) }
      guard descriptor < 0 else { return descriptor }
      if errno == EEXIST {
        throw FileError(
          .exists, path: path, message: "\(path) exists already and was left as it is")
      }
      throw cannotCreate(errno)
    }

    private func cannotCreate(_ number: Int32) -> FileError {
      FileError(
        .cannotCreate, path: path,
        message: "\(path) cannot be written: \(String(cString: strerror(number)))")
    }
  }
}

// The methods above have the names of the calls.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
