#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The few calls to the system that the databases need, with `errno` where they fail.
enum LibC {
  static var noSpace: Int32 { ENOSPC }
  static var quotaExceeded: Int32 { EDQUOT }
  static var alreadyExists: Int32 { EEXIST }

  struct Failure: Error {
    var number: Int32
    var exists: Bool { number == EEXIST }
    var isMissing: Bool { number == ENOENT || number == ENOTDIR }
    var isFull: Bool { number == ENOSPC || number == EDQUOT }
    var isReadOnly: Bool { number == EROFS }
    /// The system's words for it.
    var text: String { String(cString: strerror(number)) }
  }

  /// The size of the file; `nil` where there is none.
  ///
  /// It is asked of the name: opening and closing a database's file in the process that has it open would drop the
  /// locks that SQLite holds on it.
  static func size(of path: String) -> Int? {
    var information = stat()
    guard stat(path, &information) == 0 else { return nil }
    return Int(information.st_size)
  }

  /// Whether the name is taken, also by a link that leads nowhere.
  static func isTaken(_ path: String) -> Bool {
    var information = stat()
    return lstat(path, &information) == 0
  }

  /// The path with every link resolved. The last part need not exist.
  static func resolved(_ path: String) -> String {
    if let whole = realPath(path) { return whole }
    let (folder, name) = split(path)
    guard let folder = realPath(folder) else { return path }
    return folder == "/" ? "/" + name : folder + "/" + name
  }

  /// The folder and the last part.
  static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, String(path[path.utf8.index(after: slash)...]))
  }

  private static func realPath(_ path: String) -> String? {
    guard let pointer = realpath(path, nil) else { return nil }
    defer { free(pointer) }
    return String(cString: pointer)
  }

  /// Makes the folder and those above it that are missing, each for the owner alone.
  static func makeFolder(_ path: String) throws(Failure) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT else { throw Failure(number: errno) }
    let parent = split(path).folder
    guard parent != path, parent != "." else { throw Failure(number: ENOENT) }
    try makeFolder(parent)
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw Failure(number: errno) }
  }

  /// Makes an empty file that its owner alone may read and write. Never over an existing one.
  static func makeFile(_ path: String) throws(Failure) {
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(number: errno) }
    close(descriptor)
  }

  /// Gives the finished file `temporary` the name `path`, unless that is taken; `temporary` is gone afterwards.
  static func publish(_ temporary: String, as path: String) throws(Failure) {
    if link(temporary, path) == 0 {
      unlink(temporary)
      return
    }
    let number = errno
    guard number == EPERM || number == EOPNOTSUPP || number == ENOSYS else {
      unlink(temporary)
      throw Failure(number: number)
    }
    // A file system without hard links: a look and a rename have to do.
    guard !isTaken(path) else {
      unlink(temporary)
      throw Failure(number: EEXIST)
    }
    guard rename(temporary, path) == 0 else {
      let number = errno
      unlink(temporary)
      throw Failure(number: number)
    }
  }

  /// Runs `body` while no other process does the same in that folder. Where the file system has no such locks it runs
  /// without one.
  static func withFolderLocked<Result, Failure: Error>(
    _ folder: String, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if descriptor >= 0 { close(descriptor) } }
    if descriptor >= 0 { while flock(descriptor, LOCK_EX) != 0, errno == EINTR {} }
    return try body()
  }

  static func move(_ path: String, to newPath: String) throws(Failure) {
    guard rename(path, newPath) == 0 else { throw Failure(number: errno) }
  }

  static func remove(_ path: String) { unlink(path) }

  /// Returns when the file's or the folder's content has reached the disk.
  static func synchronise(_ path: String) throws(Failure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(number: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw Failure(number: errno) }
  }

  /// Blocks the calling thread.
  static func pause(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }

  static var processID: Int32 { getpid() }
}
