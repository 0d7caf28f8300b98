import SwiftBoardSystem

extension FileInput {
  /// Opens a file. Each chunk is read on a thread of its own, because reading a pipe may block
  /// until the task is cancelled.
  ///
  /// - Throws: `missing`, `denied` or `io`; a folder is `io`.
  static func open(_ path: String, _ system: FileSystem) async throws(FileError) -> FileInput {
    let (file, info) = try await DetachedThread.runInterruptibly {
      (interruption) throws(FileError) in
      do throws(SystemError) {
        let file = try interruption.open(path, O_RDONLY, system)
        let info = try system.info(file)
        guard !info.isFolder else { throw SystemError(code: EISDIR, call: "read") }
        return (file, info)
      } catch {
        throw FileError(path, "read", error.code)
      }
    }
    return FileInput(
      size: info.isRegular ? info.size : nil, isRepeatable: info.isRegular
    ) { () throws(FileError) in
      try await DetachedThread.runInterruptibly { (interruption) throws(FileError) in
        do throws(SystemError) {
          if !info.isRegular { try interruption.waitForInput(file.number) }
          var piece = Data(count: pieceSize)
          var bytes = piece.mutableBytes
          piece.count = try bytes.withUnsafeMutableBytes { (bytes) throws(SystemError) in
            try Descriptor.read(file.number, into: bytes)
          }
          return piece.isEmpty ? nil : piece
        } catch {
          throw FileError(path, "read", error.code)
        }
      }
    }
  }
}
