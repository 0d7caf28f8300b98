import SwiftBoardSystem

/// A file that can be continued if it was not completed. The content is in `FILE.part`, which only
/// the owner can read, and the information needed to continue in `FILE.part.tag`.
///
/// Only one process writes it at a time. The complete file is renamed atomically.
final class PartialFile: FileOutput {
  let kept: PartialContent?
  private let path: String
  /// The path with symbolic links resolved.
  private let target: String
  private let part: String
  private let file: OpenFile
  private let system: FileSystem
  private let check: @Sendable (_ path: String) throws(FileError) -> Void

  let resolvedPath: String?
  private var tagPath: String { part + ".tag" }

  /// Opens the content of an earlier attempt, or a new file. Blocks.
  ///
  /// - Throws: `cannotCreate` if the target or the partial file is not a regular file of this user,
  ///   or if another process is writing it.
  init(
    _ path: String, _ system: FileSystem,
    check: @escaping @Sendable (_ path: String) throws(FileError) -> Void
  ) throws(FileError) {
    self.path = path
    self.system = system
    self.check = check
    target = ResolvedFile.followed(path)
    // Any other path is shown as it was given.
    resolvedPath = ResolvedFile.target(ofLink: path) == nil ? nil : target
    part = target + ".part"
    func refused(_ path: String, _ reason: String) -> FileError {
      FileError(.cannotCreate, path: path, message: "\(path) \(reason)")
    }
    for path in [path, part, part + ".tag"] {
      try check(path)
      if let info = FileInfo(path, followsLink: path == self.path), !info.isRegular {
        throw refused(path, "is not a regular file, and cannot be continued")
      }
    }
    if let old = FileInfo(path) { try OutputFile.checkReplaceable(path, old, system) }
    do throws(SystemError) {
      file = try system.open(part, O_RDWR | O_CREAT | O_NOFOLLOW)
      guard try system.tryLock(file) else {
        throw SystemError(code: EWOULDBLOCK, call: "flock")
      }
      let info = try system.info(file)
      guard info.isRegular, info.owner == geteuid(), info.names == 1 else {
        throw SystemError(code: EPERM, call: "open")
      }
      // Another command may have completed it between opening and locking.
      guard FileInfo(part, followsLink: false)?.id == info.id else {
        throw SystemError(code: EWOULDBLOCK, call: "flock")
      }
      // Content without a tag may belong to another program.
      guard info.size == 0 || system.isTaken(part + ".tag") else {
        throw SystemError(code: EEXIST, call: "open")
      }
      try system.changeMode(file, to: 0o600)
      kept =
        info.size > 0
        ? PartialFile.tag(part + ".tag").map { PartialContent(size: info.size, tag: $0) } : nil
    } catch {
      throw switch error.code {
      case EWOULDBLOCK: refused(part, "is being written by another command")
      case EEXIST: refused(part, "is there already, and cannot be continued: remove it")
      case EPERM: refused(part, "is another user's, or has several names: remove it")
      default: refused(part, "cannot be written: \(SystemError.text(of: error.code))")
      }
    }
  }

  private static func tag(_ path: String) -> String? {
    let system = FileSystem()
    guard let file = try? system.open(path, O_RDONLY | O_NOFOLLOW),
      let bytes = try? system.read(file, limit: 1 << 16)
    else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  func begin(afterKept: Bool, tag: String?) async throws(FileError) {
    try await run { system throws(SystemError) in
      if afterKept {
        try system.truncate(self.file, to: self.kept?.size ?? 0)
        guard lseek(self.file.number, 0, SEEK_END) >= 0 else { throw .last("lseek") }
        return
      }
      // A tag must never describe other content.
      if system.isTaken(self.tagPath) { try system.remove(self.tagPath) }
      try system.truncate(self.file, to: 0)
      guard lseek(self.file.number, 0, SEEK_SET) >= 0 else { throw .last("lseek") }
      guard let tag else { return }
      let new = try TemporaryFile(for: self.tagPath, system: system)
      do throws(SystemError) { try system.write(Array(tag.utf8), to: new.file) } catch {
        new.discard()
        throw error
      }
      try new.publish(as: self.tagPath, replaces: true)
    }
  }

  func write(_ data: Data) async throws(FileError) {
    try await run { system throws(SystemError) in
      try data.bytes.withUnsafeBytes { (bytes) throws(SystemError) in
        try system.writeAll(bytes, to: self.file)
      }
    }
  }

  func finish() async throws(FileError) {
    try check(path)
    try await run { system throws(SystemError) in
      if let old = FileInfo(self.target), old.isRegular {
        try system.changeAccess(self.file, toThatOf: old)
      }
      try system.rename(self.part, to: self.target)
      try? system.remove(self.tagPath)
      try system.close(self.file)
    }
  }

  /// Keeps the content unless it cannot be continued.
  func discard() async {
    try? await run { system throws(SystemError) in
      let size = try system.info(self.file).size
      if size == 0 || !system.isTaken(self.tagPath) {
        try? system.remove(self.tagPath)
        try system.remove(self.part)
      }
      system.unlock(self.file)
      try system.close(self.file)
    }
  }

  private func run(
    _ body: @escaping @Sendable (FileSystem) throws(SystemError) -> Void
  ) async throws(FileError) {
    let system = system
    do throws(SystemError) {
      try await DetachedThread.run { () throws(SystemError) in try body(system) }
    } catch {
      throw FileError(path, "written", error.code)
    }
  }
}
