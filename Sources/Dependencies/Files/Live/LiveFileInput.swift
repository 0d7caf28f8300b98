import SwiftBoardSystem

extension FileInput {
  /// Opens a file. Each chunk is read on a thread of its own, because reading a pipe may block for
  /// long.
  ///
  /// - Throws: `missing`, `denied` or `io`; a folder is `io`.
  static func open(_ path: String, _ system: FileSystem) async throws(FileError) -> FileInput {
    let (file, info) = try await DetachedThread.run { () throws(FileError) in
      do throws(SystemError) {
        let file = try system.open(path, O_RDONLY)
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
      try await DetachedThread.run { () throws(FileError) in
        do throws(SystemError) {
          let bytes = try Descriptor.read(file.number, atMost: pieceSize)
          return bytes.isEmpty ? nil : Data(bytes)
        } catch {
          throw FileError(path, "read", error.code)
        }
      }
    }
  }
}
