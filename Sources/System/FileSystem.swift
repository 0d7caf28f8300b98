import CSystem

/// The file system calls. A test can observe each call or make it fail.
///
/// Calls that a signal interrupts are repeated, including `fsync`, which has not failed then.
/// `close` is never repeated.
package struct FileSystem: Sendable {
  /// A kind of call.
  package enum Call: String, Sendable, CaseIterable {
    case resolve, makeFolder, openFolder, openLock, lock, unlock, list
    case openFile, createFile, info, infoOfName, access, changeGroup, changeMode
    case read, write, truncate, sync, close
    case link, rename, renameWithoutReplacing, syncFolder, remove

    /// The name of the system call.
    package var function: String {
      switch self {
      case .resolve: "realpath"
      case .makeFolder: "mkdir"
      case .openFolder, .openLock, .openFile, .createFile: "open"
      case .lock, .unlock: "flock"
      case .list: "readdir"
      case .info: "fstat"
      case .infoOfName: "stat"
      case .access: "faccessat"
      case .changeGroup: "fchown"
      case .changeMode: "fchmod"
      case .read: "read"
      case .write: "write"
      case .truncate: "ftruncate"
      case .sync, .syncFolder: "fsync"
      case .close: "close"
      case .link: "link"
      case .rename, .renameWithoutReplacing: "rename"
      case .remove: "unlink"
      }
    }
  }

  /// The fault of a call that a test intercepts.
  package enum Fault: Sendable, Equatable {
    /// The call fails with this error number and does nothing.
    case error(Int32)
    /// A read or write transfers only one byte.
    case short
    /// A read returns another last byte than was written.
    case damaged
  }

  /// Called before every call with the file name, and returns a fault, or `nil` for none.
  package var intercept: (@Sendable (Call, _ name: String) -> Fault?)?
  /// Called after every successful call.
  package var completed: (@Sendable (Call, _ name: String) -> Void)?

  package init(
    intercept: (@Sendable (Call, _ name: String) -> Fault?)? = nil,
    completed: (@Sendable (Call, _ name: String) -> Void)? = nil
  ) {
    self.intercept = intercept
    self.completed = completed
  }

  @discardableResult
  private func perform(
    _ call: Call, _ name: String, isRepeated: Bool = true, _ body: (_ fault: Fault?) -> Int
  ) throws(SystemError) -> Int {
    while true {
      var result = -1
      let code: Int32
      let fault = intercept?(call, name)
      if case .error(let injected) = fault {
        code = injected
      } else {
        result = body(fault)
        code = errno
      }
      if result >= 0 {
        completed?(call, name)
        return result
      }
      if code != EINTR || !isRepeated { throw SystemError(code: code, call: call.function) }
    }
  }

  // MARK: Names

  /// Returns the path without symbolic links. All of its parts must exist.
  package func resolve(_ path: String) throws(SystemError) -> String {
    var resolved = ""
    try perform(.resolve, path) { _ in
      guard let found = realpath(path, nil) else { return -1 }
      resolved = String(cString: found)
      free(found)
      return 0
    }
    return resolved
  }

  /// Returns the path with its links resolved if its folder exists. The last part need not exist.
  package func resolved(_ path: String) -> String {
    if let whole = try? resolve(path) { return whole }
    let parts = PathComponents(path)
    guard let folder = try? resolve(parts.folder) else { return path }
    return PathComponents.join(folder, parts.name)
  }

  /// Returns whether the path exists, including dangling links.
  package func isTaken(_ path: String) -> Bool { FileInfo(path, followsLink: false) != nil }

  /// Returns the information about a name, or `nil` if it does not exist. For a link, returns that
  /// of the link itself.
  package func info(
    of name: String, in folder: OpenFile? = nil
  ) throws(SystemError) -> FileInfo? {
    var status = stat()
    do throws(SystemError) {
      try perform(.infoOfName, name) { _ in
        Int(fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW))
      }
      return FileInfo(status)
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  /// Throws if the permissions of a file, or its file system, do not let this process write to it.
  /// As for writing, the effective user counts.
  package func checkWritable(_ path: String) throws(SystemError) {
    try perform(.access, path) { _ in Int(faccessat(AT_FDCWD, path, W_OK, AT_EACCESS)) }
  }

  /// Adds a name to a file. Fails with `EEXIST` if the name exists.
  package func link(_ path: String, to new: String) throws(SystemError) {
    try perform(.link, new) { _ in Int(SwiftBoardSystem.link(path, new)) }
  }

  /// Renames a file, and replaces a file with the new name.
  package func rename(
    _ old: String, to new: String, in folder: OpenFile? = nil
  ) throws(SystemError) {
    try perform(.rename, new) { _ in Int(renameat(folder.number, old, folder.number, new)) }
  }

  /// Renames a file. Fails with `EEXIST` if the new name exists. If the file system cannot
  /// guarantee that, checks the name first, which is sufficient under a lock.
  package func renameWithoutReplacing(
    _ old: String, to new: String, in folder: OpenFile? = nil
  ) throws(SystemError) {
    do throws(SystemError) {
      try perform(.renameWithoutReplacing, new) { _ in
        #if canImport(Darwin)
          Int(renameatx_np(folder.number, old, folder.number, new, UInt32(RENAME_EXCL)))
        #else
          Int(swiftboard_rename_without_replacing(folder.number, old, folder.number, new))
        #endif
      }
    } catch {
      guard [EINVAL, ENOSYS, ENOTSUP].contains(error.code) else { throw error }
      guard try info(of: new, in: folder) == nil else {
        throw SystemError(code: EEXIST, call: error.call)
      }
      try rename(old, to: new, in: folder)
    }
  }

  package func remove(_ name: String, in folder: OpenFile? = nil) throws(SystemError) {
    try perform(.remove, name) { _ in Int(unlinkat(folder.number, name, 0)) }
  }

  // MARK: Folders

  /// Creates a folder that only its owner can access (0700).
  package func makeFolder(_ path: String) throws(SystemError) {
    try perform(.makeFolder, path) { _ in Int(mkdir(path, 0o700)) }
  }

  /// Creates a folder and its missing parents, unless it exists.
  package func makeFolders(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      try makeFolder(path)
      return
    } catch {
      if error.code == ENOENT {
        let parent = PathComponents(path, ignoresTrailingSlashes: true).folder
        guard parent != path, parent != "." else { throw error }
        try makeFolders(parent)
        do throws(SystemError) {
          try makeFolder(path)
          return
        } catch {
          guard error.code == EEXIST else { throw error }
        }
      } else if error.code != EEXIST, error.code != EISDIR {
        throw error
      }
    }
    guard let info = FileInfo(path) else { throw .last("stat") }
    guard info.isFolder else { throw SystemError(code: ENOTDIR, call: "mkdir") }
  }

  package func open(folder: String) throws(SystemError) -> OpenFile {
    try open(folder, O_RDONLY | O_DIRECTORY, as: .openFolder)
  }

  /// Returns the names in a folder, including `.` and `..`.
  package func names(
    in path: String = ".", of folder: OpenFile? = nil
  ) throws(SystemError) -> [String] {
    var names: [String] = []
    try perform(.list, path) { _ in
      // Open a separate description: a copy would share its position.
      let descriptor = openat(folder.number, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { return -1 }
      guard let stream = fdopendir(descriptor) else {
        _ = SwiftBoardSystem.close(descriptor)
        return -1
      }
      defer { closedir(stream) }
      names = []
      errno = 0
      while let entry = readdir(stream) {
        names.append(
          withUnsafeBytes(of: &entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
          })
        errno = 0
      }
      return errno == 0 ? 0 : -1
    }
    return names
  }

  /// Waits until the names in a folder are on the disk. Throws `EINVAL` or `ENOTSUP` if the file
  /// system does not support that.
  package func sync(folder: OpenFile) throws(SystemError) {
    try perform(.syncFolder, folder.name) { _ in Int(fsync(folder.number)) }
  }

  /// Opens a folder and waits until its names are on the disk.
  package func sync(folder path: String) throws(SystemError) {
    try sync(folder: try open(folder: path))
  }

  // MARK: Open files

  /// Opens a file that child processes do not inherit. A new file has mode 0600.
  package func open(
    _ name: String, _ flags: Int32, in folder: OpenFile? = nil, as call: Call = .openFile
  ) throws(SystemError) -> OpenFile {
    let number = try perform(call, name) { _ in
      Int(openat(folder.number, name, flags | O_CLOEXEC, 0o600))
    }
    return OpenFile(Int32(number), name: name)
  }

  /// Creates a file that only its owner can access. Fails with `EEXIST` if the name exists.
  package func create(
    _ name: String, _ flags: Int32 = O_RDWR, in folder: OpenFile? = nil
  ) throws(SystemError) -> OpenFile {
    try open(name, flags | O_CREAT | O_EXCL | O_NOFOLLOW, in: folder, as: .createFile)
  }

  /// Tries to lock a file until it is closed. Returns `false` if another process holds the lock.
  ///
  /// - Parameter kind: `LOCK_EX` or `LOCK_SH`.
  package func tryLock(_ file: OpenFile, _ kind: Int32 = LOCK_EX) throws(SystemError) -> Bool {
    do throws(SystemError) {
      try perform(.lock, file.name) { _ in Int(flock(file.number, kind | LOCK_NB)) }
      return true
    } catch {
      if error.code == EWOULDBLOCK { return false }
      throw error
    }
  }

  /// Locks a file, and waits until the lock is available.
  package func lock(_ file: OpenFile) throws(SystemError) {
    try perform(.lock, file.name) { _ in Int(flock(file.number, LOCK_EX)) }
  }

  /// Locks a file, and waits at most two seconds: a stopped process may hold the lock forever, and
  /// some file systems have no locks.
  ///
  /// - Parameters:
  ///   - kind: `LOCK_EX` or `LOCK_SH`.
  ///   - attempts: How often to try, 5 milliseconds apart.
  /// - Returns: Whether the file is locked.
  @discardableResult
  package func lockBriefly(
    _ file: OpenFile, _ kind: Int32 = LOCK_EX, attempts: Int = 400
  ) -> Bool {
    for attempt in 0..<attempts {
      if attempt > 0 { usleep(5000) }
      guard let isLocked = try? tryLock(file, kind) else { return false }
      if isLocked { return true }
    }
    return false
  }

  /// Opens the file that has the path, and locks it exclusively: another process may rename or
  /// replace it before the lock is held, but not endlessly.
  ///
  /// - Parameter attempts: How often to try to lock, 5 milliseconds apart.
  /// - Returns: The file, which may not be locked, as after `lockBriefly`.
  package func openLocked(
    _ path: String, _ flags: Int32, attempts: Int = 400
  ) throws(SystemError) -> (file: OpenFile, info: FileInfo, isLocked: Bool) {
    for _ in 0..<100 {
      let file = try open(path, flags)
      let isLocked = lockBriefly(file, attempts: attempts)
      let info = try info(file)
      if info.id == FileID(path) { return (file, info, isLocked) }
    }
    throw SystemError(code: EBUSY, call: "open")
  }

  /// Releases the lock of a file. Closing is not enough while a child process that has not yet
  /// called `exec` also has the open file.
  package func unlock(_ file: OpenFile) {
    _ = try? perform(.unlock, file.name) { _ in Int(flock(file.number, LOCK_UN)) }
  }

  package func info(_ file: OpenFile) throws(SystemError) -> FileInfo {
    var status = stat()
    try perform(.info, file.name) { _ in Int(fstat(file.number, &status)) }
    return FileInfo(status)
  }

  /// Gives an open file the group and the permissions of another file. If this user cannot give it
  /// the group, its own group has no permission that others do not have.
  package func changeAccess(_ file: OpenFile, toThatOf other: FileInfo) throws(SystemError) {
    var mode = other.mode & 0o777
    do throws(SystemError) {
      try perform(.changeGroup, file.name) { _ in Int(fchown(file.number, .max, other.group)) }
    } catch {
      mode &= 0o707 | (mode & 0o007) << 3
    }
    try changeMode(file, to: mode)
  }

  package func changeMode(_ file: OpenFile, to mode: UInt32) throws(SystemError) {
    try perform(.changeMode, file.name) { _ in Int(fchmod(file.number, mode_t(mode))) }
  }

  /// Reads to the end, at most `limit` bytes.
  ///
  /// - Parameter offset: The byte to begin at, or `nil` for the position of the open file, which
  ///   reading advances.
  package func read(
    _ file: OpenFile, limit: Int, at offset: Int64? = nil
  ) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    var used = 0
    while used < limit {
      let got = try perform(.read, file.name) { fault in
        bytes.withUnsafeMutableBytes { buffer in
          guard let base = buffer.baseAddress else { return 0 }
          let count = fault == .short ? 1 : limit - used
          let got =
            if let offset {
              pread(file.number, base + used, count, off_t(offset) + off_t(used))
            } else {
              SwiftBoardSystem.read(file.number, base + used, count)
            }
          if fault == .damaged, got > 0 { buffer[used + got - 1] ^= 1 }
          return got
        }
      }
      if got == 0 { break }
      used += got
    }
    bytes.removeLast(limit - used)
    return bytes
  }

  /// Writes in one call, and returns the number of written bytes.
  ///
  /// - Parameter offset: The byte to begin at, or `nil` for the position of the open file.
  package func write(
    _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64? = nil
  ) throws(SystemError) -> Int {
    try perform(.write, file.name) { fault in
      let count = fault == .short ? min(1, bytes.count) : bytes.count
      return if let offset {
        pwrite(file.number, bytes.baseAddress, count, off_t(offset))
      } else {
        SwiftBoardSystem.write(file.number, bytes.baseAddress, count)
      }
    }
  }

  /// Writes all of the bytes.
  package func writeAll(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try write(UnsafeRawBufferPointer(rebasing: rest), to: file)
      guard count > 0 else { throw SystemError(code: EIO, call: "write") }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes all of the bytes.
  package func write(_ bytes: [UInt8], to file: OpenFile) throws(SystemError) {
    try bytes.span.bytes.withUnsafeBytes { (bytes) throws(SystemError) in
      try writeAll(bytes, to: file)
    }
  }

  package func truncate(_ file: OpenFile, to size: Int64) throws(SystemError) {
    try perform(.truncate, file.name) { _ in Int(ftruncate(file.number, off_t(size))) }
  }

  /// Waits until the content of the file is on the disk. After a failure the state of the file is
  /// unknown, so the call must not be made again.
  ///
  /// - Parameter dataOnly: Whether the times of the file may be lost, which is faster on Linux.
  package func sync(_ file: OpenFile, dataOnly: Bool = false) throws(SystemError) {
    try perform(.sync, file.name) { _ in
      #if canImport(Darwin)
        // fsync only writes to the drive's cache; this flushes the cache. Not every file system
        // supports it.
        if fcntl(file.number, F_FULLFSYNC) == 0 { return 0 }
        guard errno == ENOTSUP || errno == EINVAL || errno == ENOTTY else { return -1 }
        return Int(fsync(file.number))
      #else
        return Int(dataOnly ? fdatasync(file.number) : fsync(file.number))
      #endif
    }
  }

  /// Opens a file and waits until its content is on the disk.
  package func sync(path: String) throws(SystemError) { try sync(try open(path, O_RDONLY)) }

  package func close(_ file: OpenFile) throws(SystemError) {
    try perform(.close, file.name, isRepeated: false) { _ in file.close() }
  }
}

extension OpenFile? {
  /// The descriptor for calls with a folder, or that of the working folder if it is `nil`.
  fileprivate var number: Int32 { self?.number ?? AT_FDCWD }
}
