/// A new file that gets its name once it is complete, so that readers see either the old or the new
/// content.
///
/// Call `publish` or `discard` at the end. If the file must survive a power failure, the caller
/// must sync the file before publishing it, and the folder afterwards.
///
/// A process that is killed leaves the file. With `init(for:)`, the next file of the same path
/// removes it.
package struct TemporaryFile: Sendable {
  /// The file, open for reading and writing.
  package let file: OpenFile
  private let folder: OpenFile?
  private let system: FileSystem
  /// Keeps the lock of the file until it has its final name, even after the file is closed.
  private let lock: OpenFile?

  /// The numbers of names at which files of killed processes are looked for.
  private static let lastNumber = 8

  /// Creates a file for a path that only its owner can access, and removes those that killed
  /// processes have left for it.
  ///
  /// The file is `PATH.swiftboard-N.tmp`, with the first free number, and locked. A file with such
  /// a name that has no lock belongs to no process. Where the file system has no locks, none is
  /// removed.
  ///
  /// - Parameter endings: The endings of the names of files that belong to the file, such as the
  ///   journal of a database. Those that killed processes have left are removed too.
  package init(
    for path: String, withEndings endings: [String] = [], system: FileSystem = FileSystem()
  ) throws(SystemError) {
    self.system = system
    folder = nil
    let number: Int
    (number, file, lock) = try Self.createFirst(for: path, system)
    for ending in endings { try? system.remove(file.name + ending) }
    for other in 1...Self.lastNumber where other > number {
      let name = Self.name(other, of: path)
      guard Self.removeUnused(name) else { continue }
      for ending in endings { try? system.remove(name + ending) }
    }
  }

  private static func createFirst(
    for path: String, _ system: FileSystem
  ) throws(SystemError) -> (number: Int, file: OpenFile, lock: OpenFile?) {
    var number = 1
    while true {
      if let (file, lock) = try createLocked(name(number, of: path), system) {
        return (number, file, lock)
      }
      number += 1
    }
  }

  private static func name(_ number: Int, of path: String) -> String {
    "\(path).swiftboard-\(number).tmp"
  }

  /// Creates a file and locks it. Returns `nil` if the name is in use.
  private static func createLocked(
    _ name: String, _ system: FileSystem
  ) throws(SystemError) -> (file: OpenFile, lock: OpenFile?)? {
    while true {
      let file: OpenFile
      do throws(SystemError) { file = try system.create(name) } catch {
        guard error.code == EEXIST else { throw error }
        guard removeUnused(name) else { return nil }
        continue
      }
      let isLocked = try? system.tryLock(file)
      // Before it was locked, another process may have removed it as unused.
      let isThere = FileInfo(descriptor: file.number)?.names != 0
      guard isThere, isLocked != false else { continue }
      let copy = isLocked == true ? fcntl(file.number, F_DUPFD_CLOEXEC, 3) : -1
      return (file, copy < 0 ? nil : OpenFile(copy, name: name))
    }
  }

  /// Removes a file that a killed process has left. Returns whether there was one.
  @discardableResult
  private static func removeUnused(_ name: String) -> Bool {
    let system = FileSystem()
    guard let file = try? system.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
      let info = FileInfo(descriptor: file.number), info.isRegular, info.owner == geteuid(),
      info.names == 1, (try? system.tryLock(file)) == true,
      // Its process may have given it its final name.
      FileInfo(name, followsLink: false)?.id == info.id
    else { return false }
    return (try? system.remove(name)) != nil
  }

  /// Creates a file that only its owner can access. Only the caller can remove those that killed
  /// processes have left.
  ///
  /// - Parameter name: A temporary name, in the same folder as the final one.
  package init(
    _ name: String, in folder: OpenFile? = nil, system: FileSystem = FileSystem()
  ) throws(SystemError) {
    self.folder = folder
    lock = nil
    self.system = system
    file = try system.create(name, in: folder)
  }

  /// Gives the file its final name. After a failure, the file is removed.
  ///
  /// - Parameter replaces: Whether to replace an existing file. Otherwise an existing name is an
  ///   `EEXIST` error.
  package func publish(as name: String, replaces: Bool) throws(SystemError) {
    do throws(SystemError) {
      if replaces {
        try system.rename(file.name, to: name, in: folder)
      } else {
        try system.renameWithoutReplacing(file.name, to: name, in: folder)
      }
    } catch {
      discard()
      throw error
    }
  }

  /// Removes the file.
  package func discard() { try? system.remove(file.name, in: folder) }
}
