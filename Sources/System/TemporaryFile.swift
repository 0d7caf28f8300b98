/// A new file that takes its name when it is whole: readers see the old content or the new one,
/// and no other.
///
/// End it with `publish` or `discard`. What must survive a loss of power is synced by the caller:
/// the file before it is published, and the folder behind that.
package struct TemporaryFile: Sendable {
  /// Open for reading and writing.
  package let file: OpenFile
  private let folder: OpenFile?
  private let system: FileSystem

  /// Creates the file, for its owner alone.
  ///
  /// - Parameter name: A name of its own, beside the one that the file is to take.
  package init(
    _ name: String, in folder: OpenFile? = nil, system: FileSystem = FileSystem()
  ) throws(SystemError) {
    self.folder = folder
    self.system = system
    file = try system.create(name, in: folder)
  }

  /// Gives the file its name. After a failure the file is removed.
  ///
  /// - Parameter replaces: Without it a name that is taken is `EEXIST`.
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
