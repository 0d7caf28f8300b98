import SwiftBoardSystem

/// Locates, reads and replaces the keychain's file, without interpreting its bytes.
///
/// A file is never changed in place, so readers take no lock. The path is resolved once. The lock
/// and the temporary file are in the folder of the resolved file.
final class KeychainFile {
  /// A verified file, kept open so that its inode number cannot be given to another file.
  final class Held {
    let descriptor: OpenFile
    let info: FileInfo

    init(descriptor: OpenFile, info: FileInfo) {
      self.descriptor = descriptor
      self.info = info
    }
  }

  /// The folder. It is opened for each save, which holds the lock.
  struct Folder {
    let descriptor: OpenFile
    let source: Place
    /// Held until this value is released. `nil` if the file is new and has no other writer.
    let lock: OpenFile?
  }

  struct Place {
    let folder: String
    let name: String
    var path: String { PathComponents.join(folder, name) }
  }

  /// The path as given, for error messages.
  let path: String
  let system: FileSystem
  let lockTimeout: Duration
  private var resolved: Place?

  init(path: String, system: FileSystem, lockTimeout: Duration) {
    self.path = path
    self.system = system
    self.lockTimeout = lockTimeout
  }

  // MARK: Finding

  /// The folder and the name as given.
  var unresolved: Place {
    let parts = PathComponents(path)
    return Place(folder: parts.folder, name: parts.name)
  }

  func source() throws(KeychainError) -> Place {
    if let resolved { return resolved }
    let given = unresolved
    guard !["", ".", ".."].contains(given.name) else {
      throw KeychainError(
        .insecurePath, message: "this path names no file. Name the keychain's file.")
    }
    do throws(SystemError) {
      let source = Place(folder: try system.resolve(given.folder), name: given.name)
      resolved = source
      return source
    } catch {
      if let error = fileInPlaceOfFolder(error) { throw error }
      throw error.isMissing
        ? .missing : .io(error.code, "the keychain's folder cannot be reached")
    }
  }

  /// Returns information about the current file, or `nil` if it does not exist. Throws
  /// `.insecurePath` if it is not a file.
  func info(in folder: Folder? = nil) throws(KeychainError) -> FileInfo? {
    let source: Place
    do throws(KeychainError) {
      source = try self.source()
    } catch {
      if error.kind == .missing { return nil }
      throw error
    }
    let info: FileInfo?
    do throws(SystemError) {
      info = try system.info(
        of: folder == nil ? source.path : source.name, in: folder?.descriptor)
    } catch {
      throw fileInPlaceOfFolder(error) ?? .io(error.code, "the keychain cannot be looked up")
    }
    if let info, !info.isRegular { throw insecurePath(link: info.isLink) }
    return info
  }

  // MARK: Reading

  /// Steps 1 and 2: reads the whole file and keeps it open.
  func read(in folder: Folder? = nil) throws(KeychainError) -> (bytes: [UInt8], held: Held) {
    let source = try self.source()
    let descriptor: OpenFile
    do throws(SystemError) {
      descriptor = try open(folder == nil ? source.path : source.name, in: folder?.descriptor)
    } catch {
      if let error = fileInPlaceOfFolder(error) { throw error }
      switch error.code {
      case ENOENT: throw .missing
      case ELOOP: throw insecurePath(link: true)
      case ENXIO: throw insecurePath(link: false)
      default: throw .io(error.code, "the keychain cannot be opened")
      }
    }
    // This precedes the bytes, so that a change while they are read shows up as another file later.
    let info = try io("the status of the keychain cannot be read") { () throws(SystemError) in
      try system.info(descriptor)
    }
    guard info.isRegular else { throw insecurePath(link: false) }
    guard info.size <= KeychainFormat.largestFile else {
      throw KeychainError(
        .tooLarge,
        message:
          "the file has \(info.size) bytes, more than the \(KeychainFormat.largestFile) of the largest keychain. "
          + "It was not read. Name another path or restore a backup.")
    }
    let bytes = try io("the keychain cannot be read") { () throws(SystemError) in
      try system.read(descriptor, limit: Int(info.size) + 1)
    }
    return (bytes, Held(descriptor: descriptor, info: info))
  }

  /// Opens a file for reading, without following a link in the last component and without waiting
  /// for the other end of a pipe.
  func open(_ name: String, in folder: OpenFile?) throws(SystemError) -> OpenFile {
    try system.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, in: folder)
  }

  /// Returns the error for a path that leads through a file, or `nil` for another error. It must
  /// not pass for a keychain that is missing.
  private func fileInPlaceOfFolder(_ error: SystemError) -> KeychainError? {
    guard error.code == ENOTDIR,
      let obstacle = PathObstacle(to: unresolved.folder, isFolder: true), case .file = obstacle
    else { return nil }
    return KeychainError(
      .cannotCreate, message: "\(obstacle). Move it away, or name another path.")
  }

  func insecurePath(link: Bool) -> KeychainError {
    KeychainError(
      .insecurePath,
      message: link
        ? "the keychain's last path part is a symbolic link, which a save would replace. Name the file it points to."
        : "this is not a regular file. Name the keychain's file.")
  }

  /// Calls `body` and describes its error with `what`.
  func io<Result>(
    _ what: String, _ body: () throws(SystemError) -> Result
  ) throws(KeychainError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw .io(error.code, what)
    }
  }
}
