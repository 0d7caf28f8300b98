import Dispatch

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

/// Files on disk. Reading and writing wait on a thread of their own, not on the pool that runs effects.
public struct LiveFileService: FileService {
  /// Holds nothing.
  public init() {}

  /// Reads 64 KiB at a time until the end or the limit. Works on pipes too, and waits there; cancelling the task does
  /// not end that.
  ///
  /// - Throws: `missing`, `denied`, `tooLarge` or `io`; a folder is `io`.
  public func read(_ path: String, limit: Int) async throws(FileError) -> Data {
    try await offPool { LiveFileService.readNow(path, limit) }
  }

  /// `replace` writes a new file beside the old one and renames it, through symbolic links, and keeps the old
  /// permissions; what is no regular file is written to directly. `create` and `append` may leave a part where the disk
  /// is full. Nothing is synchronised to the disk.
  ///
  /// - Throws: `exists`, `cannotCreate` where the file cannot be opened, `full`, `denied` or `io`.
  public func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {
    try await offPool { LiveFileService.writeNow(data, path, mode) }
  }

  private func offPool<Value: Sendable>(
    _ work: @escaping @Sendable () -> Result<Value, FileError>
  ) async throws(FileError) -> Value {
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
    return try result.get()
  }

  // MARK: Reading

  private static func readNow(_ path: String, _ limit: Int) -> Result<Data, FileError> {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .failure(failure(path, "read", errno)) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .failure(failure(path, "read", errno)) }
    if status.st_mode & S_IFMT == S_IFDIR { return .failure(failure(path, "read", EISDIR)) }
    var data = Data()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { buffer in
        systemRead(descriptor, buffer.baseAddress, buffer.count)
      }
      if count == 0 { return .success(data) }
      if count < 0 {
        if errno == EINTR { continue }
        return .failure(failure(path, "read", errno))
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

  // MARK: Writing

  private static func writeNow(_ data: Data, _ path: String, _ mode: FileWriteMode) -> Result<
    Void, FileError
  > {
    switch mode {
    case .create: return write(data, path, path, O_WRONLY | O_CREAT | O_EXCL)
    case .append: return write(data, path, path, O_WRONLY | O_CREAT | O_APPEND)
    case .replace: return replace(data, path)
    }
  }

  /// Writes beside the file and renames, so that a reader sees the old content or the new. What is no regular file (a terminal, a
  /// pipe) is written to directly.
  private static func replace(_ data: Data, _ path: String) -> Result<Void, FileError> {
    var status = stat()
    let target = realPath(path) ?? path
    if stat(target, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      return write(data, path, path, O_WRONLY)
    }
    let temporary = target + ".\(UInt64.random(in: .min ... .max)).tmp"
    if case .failure(let error) = write(data, path, temporary, O_WRONLY | O_CREAT | O_EXCL) {
      unlink(temporary)
      return .failure(error)
    }
    if status.st_mode & S_IFMT == S_IFREG { chmod(temporary, status.st_mode & 0o777) }
    guard rename(temporary, target) == 0 else {
      let error = failure(path, "written", errno)
      unlink(temporary)
      return .failure(error)
    }
    return .success(())
  }

  private static func write(
    _ data: Data, _ shown: String, _ path: String, _ flags: Int32
  ) -> Result<Void, FileError> {
    let descriptor = open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let number = errno
      return .failure(
        number == EEXIST
          ? FileError(
            .exists, path: shown, message: "\(shown) exists already and was left as it is")
          : FileError(
            .cannotCreate, path: shown,
            message: "\(shown) cannot be written: \(String(cString: strerror(number)))"))
    }
    var written = 0
    let number: Int32 = data.withUnsafeBytes { buffer in
      while written < buffer.count {
        let count = systemWrite(
          descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
        if count < 0 {
          if errno == EINTR { continue }
          return errno
        }
        written += count
      }
      return 0
    }
    guard close(descriptor) == 0 || number != 0 else {
      return .failure(failure(shown, "written", errno))
    }
    return number == 0 ? .success(()) : .failure(failure(shown, "written", number))
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func failure(_ path: String, _ verb: String, _ number: Int32) -> FileError {
    let kind: FileError.Kind =
      switch number {
      case ENOENT, ENOTDIR: .missing
      case EACCES, EPERM: .denied
      case ENOSPC, EDQUOT: .full
      default: .io
      }
    return FileError(
      kind, path: path,
      message: kind == .missing
        ? "there is no file \(path)"
        : "\(path) cannot be \(verb): \(String(cString: strerror(number)))")
  }
}

// The methods above have the names of the calls.

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
  read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
