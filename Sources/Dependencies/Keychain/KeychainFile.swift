#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The keychain's file: how it is found, read and replaced. Knows nothing of what the bytes mean.
///
/// A file is never changed in place, so readers take no lock. The path is resolved once; the lock and the temporary file
/// stand beside the resolved file.
final class KeychainFile {
  /// A verified file, kept open so that its inode number cannot be given to another file.
  final class Held {
    let descriptor: KeychainDescriptor
    let info: KeychainFileInfo

    init(descriptor: KeychainDescriptor, info: KeychainFileInfo) {
      self.descriptor = descriptor
      self.info = info
    }
  }

  /// The folder, opened anew for each save, with the lock held.
  struct Folder {
    let descriptor: KeychainDescriptor
    let place: Place
    /// Held until this value goes.
    let lock: KeychainDescriptor
  }

  struct Place {
    let folder: String
    let name: String
    var path: String { folder == "/" ? "/\(name)" : "\(folder)/\(name)" }
  }

  /// As it was given; error messages name it.
  let path: String
  let system: KeychainSystem
  let lockTimeout: Duration
  private var resolved: Place?

  init(path: String, system: KeychainSystem, lockTimeout: Duration) {
    self.path = path
    self.system = system
    self.lockTimeout = lockTimeout
  }

  // MARK: Finding

  /// The folder and the name in it, as given.
  var unresolved: Place {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      return Place(folder: ".", name: path)
    }
    let folder = String(path[..<slash])
    return Place(
      folder: folder.isEmpty ? "/" : folder, name: String(path[path.index(after: slash)...]))
  }

  func place() throws(KeychainError) -> Place {
    if let resolved { return resolved }
    let given = unresolved
    guard !["", ".", ".."].contains(given.name) else {
      throw KeychainError(
        .insecurePath, message: "this path names no file. Name the keychain's file.")
    }
    do throws(KeychainErrno) {
      let place = Place(folder: try system.resolve(folder: given.folder), name: given.name)
      resolved = place
      return place
    } catch {
      throw error.code == ENOENT
        ? missing : .io(error.code, "the keychain's folder cannot be reached")
    }
  }

  /// What the name refers to now; `nil` where there is nothing. Throws `.insecurePath` for anything but a file.
  func info(in folder: Folder? = nil) throws(KeychainError) -> KeychainFileInfo? {
    let place: Place
    do throws(KeychainError) {
      place = try self.place()
    } catch {
      if error.kind == .missing { return nil }
      throw error
    }
    let info: KeychainFileInfo?
    do throws(KeychainErrno) {
      info = try system.info(
        of: folder == nil ? place.path : place.name, in: folder?.descriptor)
    } catch {
      throw .io(error.code, "the keychain cannot be looked up")
    }
    if let info, !info.isRegular { throw insecurePath(link: info.isLink) }
    return info
  }

  // MARK: Reading

  /// Steps 1 and 2: the whole file, and the file itself kept open.
  func read(in folder: Folder? = nil) throws(KeychainError) -> (bytes: [UInt8], held: Held) {
    let place = try self.place()
    let descriptor: KeychainDescriptor
    do throws(KeychainErrno) {
      descriptor = try system.open(folder == nil ? place.path : place.name, in: folder?.descriptor)
    } catch {
      switch error.code {
      case ENOENT: throw missing
      case ELOOP: throw insecurePath(link: true)
      case ENXIO: throw insecurePath(link: false)
      default: throw .io(error.code, "the keychain cannot be opened")
      }
    }
    // Before the bytes: what changes while they are read shows as another file afterwards.
    let info = try io("the keychain cannot be looked at") { () throws(KeychainErrno) in
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
    let bytes = try io("the keychain cannot be read") { () throws(KeychainErrno) in
      try system.read(descriptor, limit: Int(info.size) + 1)
    }
    return (bytes, Held(descriptor: descriptor, info: info))
  }

  var missing: KeychainError {
    KeychainError(.missing, message: "there is no keychain here. Create one first (keychain init).")
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
    _ what: String, _ body: () throws(KeychainErrno) -> Result
  ) throws(KeychainError) -> Result {
    do throws(KeychainErrno) {
      return try body()
    } catch {
      throw .io(error.code, what)
    }
  }
}
