import SwiftBoardSystem

/// A database that gets its name once it is complete.
///
/// A process that is killed leaves it, and the next one for the same path removes it. That is
/// decided by the lock of a file beside it. A lock on the database would conflict with SQLite's
/// locks on some systems, and its end would also end those of a connection that has opened the
/// database by its final name.
struct NewDatabaseFile: Sendable {
  private static let ending = "-new"

  /// The temporary path, of an empty file that only its owner can access.
  let path: String
  private let lock: TemporaryFile
  private let system = FileSystem()

  /// Creates a file beside `path` and closes it, because SQLite opens it by name.
  init(for path: String) throws(SystemError) {
    let endings = ["", "-journal", "-wal", "-shm"].map { Self.ending + $0 }
    lock = try TemporaryFile(for: path, withEndings: endings)
    lock.file.close()
    self.path = lock.file.name + Self.ending
    do throws(SystemError) { try system.create(self.path).close() } catch {
      lock.discard()
      throw error
    }
  }

  /// Gives the database its final name, unless that is taken. After a failure, it is removed.
  func publish(as name: String) throws(SystemError) {
    do throws(SystemError) {
      try system.renameWithoutReplacing(path, to: name)
    } catch {
      discard()
      throw error
    }
    lock.discard()
  }

  /// Removes the database.
  func discard() {
    for suffix in ["", "-wal", "-shm", "-journal"] { try? system.remove(path + suffix) }
    lock.discard()
  }
}
