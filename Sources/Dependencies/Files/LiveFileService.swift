#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files on disk. Each call waits on a thread of its own: one that waits for the other end of a pipe holds up neither the pool that
/// runs effects nor any other call.
public struct LiveFileService: FileService {
  private let system: FileSystem

  /// Holds nothing.
  public init() {
    self.init(system: FileSystem())
  }

  init(system: FileSystem) {
    self.system = system
  }

  /// Reads 64 KiB at a time until the end or the limit. Works on pipes too, and waits there; cancelling the task does
  /// not end that.
  ///
  /// - Throws: `missing`, `denied`, `tooLarge` or `io`; a folder is `io`.
  public func read(_ path: String, limit: Int) async throws(FileError) -> Data {
    try await FileThread.run { LiveFileService.readNow(path, limit) }.get()
  }

  /// `replace` writes a new file beside the old one, waits until the disk has it, renames it, and waits for the folder: also after
  /// a loss of power there is the old content or the new. It goes through symbolic links, also to where nothing is yet, and keeps
  /// the old permissions; what is no regular file is written to directly. `create` and `append` may leave a part where the disk is
  /// full, and do not wait for the disk.
  ///
  /// - Throws: `exists`, `cannotCreate` where the file cannot be opened, `full`, `denied` or `io`. Where the folder could not be
  ///   synchronised, the new file is there all the same.
  public func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {
    try await FileThread.run { [system] in
      FileWriter(system: system, path: path).write(data, mode)
    }.get()
  }

  // MARK: Reading

  private static func readNow(_ path: String, _ limit: Int) -> Result<Data, FileError> {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .failure(FileError(path, "read", errno)) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .failure(FileError(path, "read", errno)) }
    if status.st_mode & S_IFMT == S_IFDIR { return .failure(FileError(path, "read", EISDIR)) }
    var data = Data()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { buffer in
        systemRead(descriptor, buffer.baseAddress, buffer.count)
      }
      if count == 0 { return .success(data) }
      if count < 0 {
        if errno == EINTR { continue }
        return .failure(FileError(path, "read", errno))
      }
      data.append(contentsOf: chunk[..<count])
      if data.count > limit {
        return .failure(
          FileError(
            .tooLarge, path: path,
            message: "\(path) is larger than the \(limit) bytes that are taken here"))
      }
    }
  }
}

extension FileError {
  /// What an error number of the system means for a file that was to be `verb`.
  init(_ path: String, _ verb: String, _ number: Int32) {
    let kind: Kind =
      switch number {
      case ENOENT, ENOTDIR: .missing
      case EACCES, EPERM: .denied
      case ENOSPC, EDQUOT: .full
      default: .io
      }
    self.init(
      kind, path: path,
      message: kind == .missing
        ? "there is no file \(path)"
        : "\(path) cannot be \(verb): \(String(cString: strerror(number)))")
  }
}

// The method above has the name of the call.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
  read(descriptor, bytes, count)
}
