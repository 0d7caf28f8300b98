import SwiftBoardSystem

/// A temporary folder for the files of a separate run. Only the user can read it (0700).
struct TemporaryHome {
  let path: String

  /// Creates a folder in `TMPDIR`, or in `/tmp`.
  ///
  /// - Throws: `Failure` with the exit code 73.
  init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array(
      "\(base.hasPrefix("/") ? base : "/tmp")/swiftboard-replay-XXXXXX".utf8CString)
    let isMade = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) } != nil
    }
    guard isMade else {
      let reason = SystemError.text(of: errno)
      throw Failure(
        code: ExitCode.cannotCreate, error: "io",
        message:
          "no folder for the replay's own home could be made in \(base.isEmpty ? "/tmp" : base): \(reason)",
        help: "TMPDIR names a folder that can be written")
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes the folder with its contents. Ignores what cannot be removed.
  func remove() { Self.remove(folder: path) }

  private static func remove(folder: String) {
    let names = (try? FileSystem().names(in: folder)) ?? []
    for name in names where name != "." && name != ".." {
      let path = "\(folder)/\(name)"
      // A symbolic link is removed, but not its target.
      if unlink(path) != 0 { remove(folder: path) }
    }
    rmdir(folder)
  }
}
