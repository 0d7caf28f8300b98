#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system calls on names of files, so that a test can look at the folder between any two of them.
struct FileCalls: Sendable {
  var link: @Sendable (_ from: String, _ to: String) throws(LogIOError) -> Void
  var rename: @Sendable (_ from: String, _ to: String) throws(LogIOError) -> Void
  var remove: @Sendable (_ path: String) throws(LogIOError) -> Void
  var synchronizeFolder: @Sendable (_ path: String) throws(LogIOError) -> Void

  static let system = FileCalls(
    link: { from, to throws(LogIOError) in
      #if canImport(Glibc)
        let result = Glibc.link(from, to)
      #elseif canImport(Musl)
        let result = Musl.link(from, to)
      #else
        let result = Darwin.link(from, to)
      #endif
      guard result == 0 else { throw LogIOError(code: errno, operation: "link") }
    },
    rename: { from, to throws(LogIOError) in
      #if canImport(Glibc)
        let result = Glibc.rename(from, to)
      #elseif canImport(Musl)
        let result = Musl.rename(from, to)
      #else
        let result = Darwin.rename(from, to)
      #endif
      guard result == 0 else { throw LogIOError(code: errno, operation: "rename") }
    },
    remove: { path throws(LogIOError) in
      guard unlink(path) == 0 else { throw LogIOError(code: errno, operation: "unlink") }
    },
    synchronizeFolder: { path throws(LogIOError) in
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
      guard descriptor >= 0 else { throw LogIOError(code: errno, operation: "open") }
      defer { _ = close(descriptor) }
      // Some file systems have no such thing and say so.
      guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
        throw LogIOError(code: errno, operation: "fsync")
      }
    })
}

/// The parts of a path.
struct FileName {
  /// `.` where the path has no folder.
  let folder: String
  let name: String

  init(_ path: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      (folder, name) = (".", path)
      return
    }
    folder = slash == path.startIndex ? "/" : String(path[..<slash])
    name = String(path[path.utf8.index(after: slash)...])
  }

  /// The numbers k for which there is a file `NAME.k` beside `path`, ascending; nil where the folder cannot be read.
  static func numbers(of path: String) -> [Int]? {
    let parts = FileName(path)
    guard let entries = opendir(parts.folder) else { return nil }
    defer { closedir(entries) }
    let prefix = parts.name + "."
    var numbers: [Int] = []
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
        start.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.utf8.starts(with: prefix.utf8) else { continue }
      let digits = name.utf8.dropFirst(prefix.utf8.count)
      guard digits.first != UInt8(ascii: "0"), digits.allSatisfy({ $0 &- 0x30 < 10 }),
        let number = Int(String(decoding: Array(digits), as: UTF8.self))
      else { continue }
      numbers.append(number)
    }
    return numbers.sorted()
  }
}
