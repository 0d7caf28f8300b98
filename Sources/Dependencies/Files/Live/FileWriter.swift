import SwiftBoardSystem

/// Writes one complete file. Blocks.
struct FileWriter {
  let system: FileSystem
  /// The path as given, for errors.
  let path: String
  /// Called before the file is opened, and again before another file is replaced.
  var check: (_ path: String) throws(FileError) -> Void = { _ in }
  /// Ends the wait for the reader of a pipe.
  let interruption: Interruption

  func write(_ data: Data, _ mode: FileWriteMode) throws(FileError) {
    try check(path)
    let mode: OutputFile.Mode =
      switch mode {
      case .create: .create
      case .append: .append
      case .replace: .replace
      }
    var file = try OutputFile(path, mode, system, until: interruption)
    do throws(FileError) {
      try write(data, to: &file)
    } catch {
      file.discard()
      throw error
    }
    try file.finish(check: check)
  }

  private func write(_ data: Data, to file: inout OutputFile) throws(FileError) {
    let result = data.withUnsafeBytes { bytes -> Result<Void, FileError> in
      do throws(FileError) {
        return .success(try file.write(bytes, until: interruption))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }
}
