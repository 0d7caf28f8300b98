import CSodium

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A system call's error number.
struct KeychainErrno: Error, Equatable {
  let code: Int32
}

/// What tells whether a name still refers to the same, unchanged file.
struct KeychainFileInfo: Sendable, Equatable {
  var device: UInt64
  var inode: UInt64
  var size: Int64
  var mode: UInt32
  var owner: UInt32
  /// Seconds and nanoseconds of the last change of the content, and of the inode.
  var modified: [Int64]
  var changed: [Int64]

  init(_ raw: stat) {
    device = UInt64(truncatingIfNeeded: raw.st_dev)
    inode = UInt64(truncatingIfNeeded: raw.st_ino)
    size = Int64(raw.st_size)
    mode = UInt32(raw.st_mode)
    owner = raw.st_uid
    #if canImport(Darwin)
      modified = [Int64(raw.st_mtimespec.tv_sec), Int64(raw.st_mtimespec.tv_nsec)]
      changed = [Int64(raw.st_ctimespec.tv_sec), Int64(raw.st_ctimespec.tv_nsec)]
    #else
      modified = [Int64(raw.st_mtim.tv_sec), Int64(raw.st_mtim.tv_nsec)]
      changed = [Int64(raw.st_ctim.tv_sec), Int64(raw.st_ctim.tv_nsec)]
    #endif
  }

  var isRegular: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
  var isLink: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFLNK) }
  var permissions: UInt32 { mode & 0o7777 }
  var isOpenToOthers: Bool { mode & 0o077 != 0 }
  /// When the content was last changed, microseconds since 1970.
  var written: Int64 {
    let seconds = modified[0].multipliedReportingOverflow(by: 1_000_000)
    return seconds.overflow ? 0 : seconds.partialValue &+ modified[1] / 1000
  }
  func isSameFile(as other: KeychainFileInfo) -> Bool {
    device == other.device && inode == other.inode
  }
}

/// An open file, closed with its last reference.
final class KeychainDescriptor {
  let number: Int32
  private var isOpen = true

  init(_ number: Int32) {
    self.number = number
  }

  /// Closes now; -1 with `errno` where the system reports a late write error. Never repeated: the number is free then.
  fileprivate func close() -> Int {
    guard isOpen else { return 0 }
    isOpen = false
    return Int(systemClose(number))
  }

  deinit {
    _ = close()
  }
}

private func systemClose(_ number: Int32) -> Int32 { close(number) }

/// The system calls that a keychain file needs, each under a name at which tests make it fail.
struct KeychainSystem: Sendable {
  enum Call: String, Sendable, CaseIterable {
    case resolveFolder, makeFolder, openFolder, openLock, lock, list, removeLeftover
    case openFile, createFile, info, infoOfName, changeMode, read, write, sync, close
    case rename, renameWithoutReplacing, syncFolder, remove
  }

  enum Fault: Sendable, Equatable {
    /// The call fails with this error number and does nothing.
    case error(Int32)
    /// A read or write moves one byte only.
    case short
    /// A read gives another last byte than the disk was given.
    case damaged
  }

  /// Asked before every call; `nil` lets it through.
  var intercept: (@Sendable (Call) -> Fault?)?

  static let live = KeychainSystem()

  /// Runs a call until it is not interrupted. An interrupted `fsync` has not failed and is waited for again.
  @discardableResult
  private func perform(
    _ call: Call, once: Bool = false, _ body: (_ fault: Fault?) -> Int
  ) throws(KeychainErrno) -> Int {
    while true {
      var result = -1
      let code: Int32
      let fault = intercept?(call)
      if case .error(let injected) = fault {
        code = injected
      } else {
        result = body(fault)
        code = errno
      }
      if result >= 0 { return result }
      if code != EINTR || once { throw KeychainErrno(code: code) }
    }
  }

  // MARK: Folders

  /// The folder's path without symbolic links.
  func resolve(folder: String) throws(KeychainErrno) -> String {
    var resolved = ""
    try perform(.resolveFolder) { _ in
      guard let path = realpath(folder, nil) else { return -1 }
      resolved = String(cString: path)
      free(path)
      return 0
    }
    return resolved
  }

  func makeFolder(_ path: String) throws(KeychainErrno) {
    try perform(.makeFolder) { _ in Int(mkdir(path, 0o700)) }
  }

  func open(folder: String) throws(KeychainErrno) -> KeychainDescriptor {
    try descriptor(.openFolder) { systemOpen(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }

  func sync(folder: KeychainDescriptor) throws(KeychainErrno) {
    try perform(.syncFolder) { _ in Int(fsync(folder.number)) }
  }

  /// The names in a folder, as bytes.
  func names(in folder: KeychainDescriptor) throws(KeychainErrno) -> [[UInt8]] {
    var names: [[UInt8]] = []
    try perform(.list) { _ in
      // A description of its own: a copy would share its position.
      let copy = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard copy >= 0 else { return -1 }
      guard let stream = fdopendir(copy) else {
        _ = systemClose(copy)
        return -1
      }
      defer { closedir(stream) }
      names = []
      errno = 0
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
        names.append(name)
        errno = 0
      }
      return errno == 0 ? 0 : -1
    }
    return names
  }

  // MARK: Files

  /// Opens for reading, without following a link in the last part and without waiting for a pipe's other end.
  func open(_ name: String, in folder: KeychainDescriptor?) throws(KeychainErrno)
    -> KeychainDescriptor
  {
    try descriptor(.openFile) {
      openat(
        folder?.number ?? AT_FDCWD, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
  }

  func create(_ name: String, in folder: KeychainDescriptor) throws(KeychainErrno)
    -> KeychainDescriptor
  {
    try descriptor(.createFile) {
      openat(folder.number, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
  }

  func openLock(_ name: String, in folder: KeychainDescriptor) throws(KeychainErrno)
    -> KeychainDescriptor
  {
    try descriptor(.openLock) {
      openat(
        folder.number, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
        0o600)
    }
  }

  /// False when someone else holds the lock.
  func tryLock(_ file: KeychainDescriptor) throws(KeychainErrno) -> Bool {
    do throws(KeychainErrno) {
      try perform(.lock) { _ in Int(flock(file.number, LOCK_EX | LOCK_NB)) }
      return true
    } catch {
      if error.code == EWOULDBLOCK { return false }
      throw error
    }
  }

  func info(_ file: KeychainDescriptor) throws(KeychainErrno) -> KeychainFileInfo {
    var raw = stat()
    try perform(.info) { _ in Int(fstat(file.number, &raw)) }
    return KeychainFileInfo(raw)
  }

  /// What a name refers to; of a link, the link itself. `nil` where there is nothing.
  func info(
    of name: String, in folder: KeychainDescriptor?
  ) throws(KeychainErrno) -> KeychainFileInfo? {
    var raw = stat()
    do throws(KeychainErrno) {
      try perform(.infoOfName) { _ in
        Int(fstatat(folder?.number ?? AT_FDCWD, name, &raw, AT_SYMLINK_NOFOLLOW))
      }
      return KeychainFileInfo(raw)
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  func changeMode(_ file: KeychainDescriptor, to mode: UInt32) throws(KeychainErrno) {
    try perform(.changeMode) { _ in Int(fchmod(file.number, mode_t(mode))) }
  }

  /// Reads to the end, at most `limit` bytes.
  func read(_ file: KeychainDescriptor, limit: Int) throws(KeychainErrno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    var used = 0
    while used < limit {
      let got = try perform(.read) { fault in
        bytes.withUnsafeMutableBytes { buffer in
          guard let base = buffer.baseAddress else { return 0 }
          let got = systemRead(file.number, base + used, fault == .short ? 1 : limit - used)
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

  func write(_ bytes: [UInt8], to file: KeychainDescriptor) throws(KeychainErrno) {
    var used = 0
    while used < bytes.count {
      let wrote = try perform(.write) { fault in
        bytes.withUnsafeBytes { buffer in
          guard let base = buffer.baseAddress else { return 0 }
          return systemWrite(file.number, base + used, fault == .short ? 1 : bytes.count - used)
        }
      }
      guard wrote > 0 else { throw KeychainErrno(code: EIO) }
      used += wrote
    }
  }

  /// Until the file's content is on the disk. After a failure nothing may be concluded about the file: it is not tried
  /// again.
  func sync(_ file: KeychainDescriptor) throws(KeychainErrno) {
    try perform(.sync) { _ in
      #if canImport(Darwin)
        if fcntl(file.number, F_FULLFSYNC) == 0 { return 0 }
        guard errno == ENOTSUP || errno == EINVAL || errno == ENOTTY else { return -1 }
      #endif
      return Int(fsync(file.number))
    }
  }

  func close(_ file: KeychainDescriptor) throws(KeychainErrno) {
    try perform(.close, once: true) { _ in file.close() }
  }

  func rename(_ old: String, to new: String, in folder: KeychainDescriptor) throws(KeychainErrno) {
    try perform(.rename) { _ in Int(renameat(folder.number, old, folder.number, new)) }
  }

  /// Fails with `EEXIST` where the new name is taken. Where the file system cannot promise that, the name is looked up
  /// first, which is enough under the lock.
  func renameWithoutReplacing(
    _ old: String, to new: String, in folder: KeychainDescriptor
  ) throws(KeychainErrno) {
    do throws(KeychainErrno) {
      try perform(.renameWithoutReplacing) { _ in
        #if canImport(Darwin)
          Int(renameatx_np(folder.number, old, folder.number, new, UInt32(RENAME_EXCL)))
        #else
          Int(csodium_rename_without_replacing(folder.number, old, folder.number, new))
        #endif
      }
    } catch {
      guard [EINVAL, ENOSYS, ENOTSUP].contains(error.code) else { throw error }
      guard try info(of: new, in: folder) == nil else { throw KeychainErrno(code: EEXIST) }
      try rename(old, to: new, in: folder)
    }
  }

  func remove(
    _ name: String, in folder: KeychainDescriptor, as call: Call = .remove
  ) throws(KeychainErrno) {
    try perform(call) { _ in Int(unlinkat(folder.number, name, 0)) }
  }

  private func descriptor(_ call: Call, _ body: () -> Int32) throws(KeychainErrno)
    -> KeychainDescriptor
  {
    KeychainDescriptor(Int32(try perform(call) { _ in Int(body()) }))
  }
}

// Inside the struct the methods of the same names hide the system's.
private func systemRead(_ file: Int32, _ base: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, base, count)
}

private func systemWrite(_ file: Int32, _ base: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, base, count)
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
