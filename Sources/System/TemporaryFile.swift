/// A new file that gets its name once it is complete, so that readers see either the old or the new
/// content.
///
/// Call `publish` or `discard` at the end. If the file must survive a power failure, the caller
/// must sync the file before publishing it, and the folder afterwards.
package struct TemporaryFile: Sendable {
  /// The file, open for reading and writing.
  package let file: OpenFile
  private let folder: OpenFile?
  private let system: FileSystem

  /// Creates a file that only its owner can access.
  ///
  /// - Parameter name: A temporary name, in the same folder as the final one.
  package init(
    _ name: String, in folder: OpenFile? = nil, system: FileSystem = FileSystem()
  ) throws(SystemError) {
    self.folder = folder
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
