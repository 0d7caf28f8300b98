import SwiftBoardSystem

/// The keychain's file: how it is found, read and replaced. Knows nothing of what the bytes mean.
///
/// A file is never changed in place, so readers take no lock. The path is resolved once; the lock
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

  /// The folder, opened anew for each save, with the lock held.
  struct Folder {
    let descriptor: OpenFile
    let source: Place
    /// Held until this value goes; none where a file is made that nobody else writes.
    let lock: OpenFile?
  }

  struct Place {
    let folder: String
    let name: String
    var path: String { PathComponents.join(folder, name) }
  }

  /// As it was given; error messages name it.
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

  /// The folder and the name in it, as given.
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
      throw error.code == ENOENT
        ? missing : .io(error.code, "the keychain's folder cannot be reached")
    }
  }

  /// What the name refers to now; `nil` if there is nothing. Throws `.insecurePath` for anything
  /// but a file.
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
      throw .io(error.code, "the keychain cannot be looked up")
    }
    if let info, !info.isRegular { throw insecurePath(link: info.isLink) }
    return info
  }

  // MARK: Reading

  /// Steps 1 and 2: the whole file, and the file itself kept open.
  func read(in folder: Folder? = nil) throws(KeychainError) -> (bytes: [UInt8], held: Held) {
    let source = try self.source()
    let descriptor: OpenFile
    do throws(SystemError) {
      descriptor = try open(folder == nil ? source.path : source.name, in: folder?.descriptor)
    } catch {
      switch error.code {
      case ENOENT: throw missing
      case ELOOP: throw insecurePath(link: true)
      case ENXIO: throw insecurePath(link: false)
      default: throw .io(error.code, "the keychain cannot be opened")
      }
    }
    // Before the bytes: what changes while they are read shows as another file afterwards.
    let info = try io("the keychain cannot be looked at") { () throws(SystemError) in
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

  /// Opens for reading, without following a link in the last part and without waiting for a pipe's
  /// other end.
  func open(_ name: String, in folder: OpenFile?) throws(SystemError) -> OpenFile {
    try system.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, in: folder)
  }

  var missing: KeychainError {
    KeychainError(.missing, message: "there is no keychain here.", remedy: .create)
  }

  func insecurePath(link: Bool) -> KeychainError {
    KeychainError(
      .insecurePath,
      message: link
        ? "the keychain's last path part is a symbolic link, which a save would replace. Name the file it points to."
        : "this is not a regular file. Name the keychain's file.")
  }

  /// Names what was tried when the system refused.
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
