import SwiftBoardSystem

/// The file of the history, which several processes share.
///
/// It is text: a line of the history is a line of the file, and its further physical lines begin
/// with a tab. Only the owner can read it. Lines are appended under a lock, which is not waited for
/// long: a process that was stopped while it held the lock does not stop the others.
package struct HistoryFile: Sendable {
  /// The maximum size of the file in bytes. Beyond it, the older half is removed.
  package static let sizeLimit = 2 << 20
  /// The maximum size of a line in bytes. A longer one is not written: a few of them would take the
  /// place of all others.
  package static let lineLimit = 64 << 10

  private let path: String
  private let limit: Int
  private let system: FileSystem
  /// The file that was read last, and how far.
  private var id: FileID?
  private var offset: Int64 = 0

  package init(
    path: String, limit: Int = Self.sizeLimit, system: FileSystem = FileSystem()
  ) {
    self.system = system
    self.path = path
    self.limit = limit
  }

  /// Reads the lines that were added since the last call, by any process. Returns all of them the
  /// first time, and none if there is no file.
  package mutating func read() throws(SystemError) -> [String] {
    guard let info = FileInfo(path) else { return [] }
    if info.id == id, info.size == offset { return [] }
    // A pipe in its place would wait for a writer.
    guard info.isRegular else { return [] }
    let file = try system.open(path, O_RDONLY | O_NONBLOCK)
    return try read(file)
  }

  private mutating func read(_ file: OpenFile) throws(SystemError) -> [String] {
    let info = try system.info(file)
    // Another process has replaced the file: only what it added is not known here, and that is
    // little enough to be missed.
    if let id, info.id != id { offset = info.size }
    if info.size < offset { offset = info.size }
    id = info.id
    guard info.size > offset else { return [] }
    // A file that is larger than any of this program is read from its end.
    offset = max(offset, info.size - 2 * Int64(limit))
    let bytes = try system.read(file, limit: Int(info.size - offset), at: offset)
    // An unfinished last line belongs to a process that is writing it, or that was killed.
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    offset += Int64(end) + 1
    return Self.lines(bytes[...end])
  }

  /// Appends a line of at most `lineLimit` bytes, and returns those that other processes have added
  /// since the last call.
  package mutating func append(_ line: String) throws(SystemError) -> [String] {
    guard line.utf8.count <= Self.lineLimit else { return try read() }
    let folder = PathComponents(path).folder
    try system.makeFolders(folder)
    let (file, isLocked) = try openLocked()
    let others = try read(file)
    let size = try system.info(file).size
    var bytes = Self.bytes(of: line)
    // A killed process may have left an unfinished line.
    if size > offset { bytes.insert(UInt8(ascii: "\n"), at: 0) }
    if isLocked, size + Int64(bytes.count) > Int64(limit) {
      try shorten(file, adding: bytes)
      return others
    }
    try system.write(bytes, to: file)
    // Without the lock, other processes may have added lines since the size was read.
    offset = try system.info(file).size
    // One that held the lock may have replaced the file by one without the line.
    if !isLocked, id != FileID(path) { return others + (try append(line)) }
    return others
  }

  /// Removes lines, for example because they contain a secret. Reads and replaces the whole file.
  ///
  /// - Returns: The number of removed lines, and those that other processes have added since the
  ///   last call. `nil` if another process holds the lock.
  package mutating func removeLines(
    where isRemoved: (String) -> Bool
  ) throws(SystemError) -> (removed: Int, others: [String])? {
    guard FileInfo(path)?.isRegular == true else { return (0, []) }
    let (file, isLocked) = try openLocked()
    guard isLocked else { return nil }
    let others = try read(file)
    let size = Int(try system.info(file).size)
    let entries = Self.entries(try system.read(file, limit: size, at: 0))
    let kept = entries.filter { !isRemoved(Self.line($0)) }
    if kept.count < entries.count { try replace(by: Array(kept.joined())) }
    return (entries.count - kept.count, others)
  }

  /// The lines that the file has now, without the lock.
  package func lines() throws(SystemError) -> [String] {
    var file = HistoryFile(path: path, limit: limit)
    return try file.read()
  }

  /// Opens the file that has the name once its lock is held, or after a tenth of a second.
  private func openLocked() throws(SystemError) -> (OpenFile, isLocked: Bool) {
    let (file, info, isLocked) = try system.openLocked(
      path, O_RDWR | O_APPEND | O_CREAT, attempts: 20)
    if info.isOpenToOthers { try system.changeMode(file, to: 0o600) }
    return (file, isLocked)
  }

  /// Replaces the file by one with the newer half of its lines.
  private mutating func shorten(_ file: OpenFile, adding bytes: [UInt8]) throws(SystemError) {
    let size = Int(try system.info(file).size)
    let all = try system.read(file, limit: size, at: 0)
    var start = min(all.count, max(0, all.count + bytes.count - limit / 2))
    // The first kept line is whole.
    while start > 0, start < all.count {
      if all[start - 1] == UInt8(ascii: "\n"), all[start] != UInt8(ascii: "\t") { break }
      start += 1
    }
    try replace(by: Array(all[start...]) + bytes)
  }

  private mutating func replace(by bytes: [UInt8]) throws(SystemError) {
    // Behind a link, the file that it leads to is the one with the lines.
    let path = try system.resolve(path)
    let new = try TemporaryFile(for: path, system: system)
    do throws(SystemError) {
      try system.write(bytes, to: new.file)
    } catch {
      new.discard()
      throw error
    }
    try new.publish(as: path, replaces: true)
    let info = try system.info(new.file)
    (id, offset) = (info.id, info.size)
  }

  // MARK: The form

  static func bytes(of line: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in line.utf8 {
      bytes.append(byte)
      if byte == UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\t")) }
    }
    return bytes + [UInt8(ascii: "\n")]
  }

  static func lines(_ bytes: ArraySlice<UInt8>) -> [String] {
    var lines: [String] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if line.first == UInt8(ascii: "\t"), !lines.isEmpty {
        lines[lines.count - 1] += "\n" + String(decoding: line.dropFirst(), as: UTF8.self)
      } else {
        lines.append(String(decoding: line, as: UTF8.self))
      }
    }
    return lines
  }

  /// Returns the lines as the bytes that the file has of them, so that what other programs wrote
  /// stays as it is.
  private static func entries(_ bytes: [UInt8]) -> [[UInt8]] {
    var entries: [[UInt8]] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if line.first == UInt8(ascii: "\t"), !entries.isEmpty {
        entries[entries.count - 1] += line + [UInt8(ascii: "\n")]
      } else {
        entries.append(line + [UInt8(ascii: "\n")])
      }
    }
    return entries
  }

  private static func line(_ entry: [UInt8]) -> String { lines(entry[...]).first ?? "" }
}
