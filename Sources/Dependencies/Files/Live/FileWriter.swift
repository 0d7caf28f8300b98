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
      try data.bytes.withUnsafeBytes { (bytes) throws(FileError) in
        try file.write(bytes, until: interruption)
      }
    } catch {
      file.discard()
      throw error
    }
    try file.finish(check: check)
  }
}
