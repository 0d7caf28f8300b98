import SwiftBoardSystem

/// An empty folder, mode 0700, that goes with everything in it when the value is dropped.
///
/// Keep the value alive as long as the folder is used: `defer { _ = folder }` or
/// `withExtendedLifetime`.
public final class TemporaryFolder: Sendable {
  /// Absolute, without a slash at the end.
  public let path: String

  /// - Throws: `SystemFailure` where the folder cannot be made.
  public init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/swiftboard-test-XXXXXX".utf8CString)
    let made = mkdtemp(&template) != nil
    guard made else { throw SystemFailure("mkdtemp in \(base)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  /// The path of `name` in this folder.
  public func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, mode 0600, and gives its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// Writes a file, mode 0600, and gives its path.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = path(name)
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemFailure("open \(file)") }
    defer { close(descriptor) }
    guard writeAll(descriptor, bytes) else { throw SystemFailure("write \(file)") }
    return file
  }

  /// The bytes of a file in this folder.
  public func read(_ name: String) throws -> [UInt8] {
    let file = path(name)
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure("open \(file)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while let chunk = readSome(descriptor) { bytes += chunk }
    return bytes
  }

  private static func remove(_ path: String) {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name == "." || name == ".." { continue }
        let child = "\(path)/\(name)"
        // A link to a folder is removed itself, never followed.
        var status = stat()
        if lstat(child, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
          chmod(child, 0o700)
          remove(child)
        } else {
          unlink(child)
        }
      }
      closedir(folder)
    }
    rmdir(path)
  }
}

/// A call of the system that failed, with the reason in words.
public struct SystemFailure: Error, CustomStringConvertible {
  public let code: Int32
  public let description: String

  init(_ what: String, code: Int32 = errno) {
    self.code = code
    description = "\(what): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
  }
}

/// Writes all bytes, waiting where it must; false once the other end is gone.
func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
  bytes.withUnsafeBytes { raw in
    var offset = 0
    while offset < raw.count {
      let count = write(descriptor, raw.baseAddress?.advanced(by: offset), raw.count - offset)
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      offset += count
    }
    return true
  }
}

/// The next bytes, waiting for them; nil at the end or on an error.
func readSome(_ descriptor: Int32) -> [UInt8]? {
  while true {
    var failed = false
    let chunk = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, filled in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      failed = count < 0
      filled = max(0, count)
    }
    if failed && errno == EINTR { continue }
    return chunk.isEmpty ? nil : chunk
  }
}
