import SwiftBoardJSON
import SwiftBoardSystem
import Synchronization

/// The lines of a log file and of its rotated files: `NAME`, `NAME.1`, `NAME.2` …
///
/// Opening the files holds the lock of `LineFile` for a few system calls, because a rotation in
/// between would duplicate or lose lines.
struct LogFileArchive: LogArchive {
  let path: String
  let maxFiles: Int
  let system: FileSystem
  let redactor: Redactor
  /// Writes the records that this process has logged. Blocks. Returns false if the disk takes too
  /// long for them.
  let flush: @Sendable () -> Bool

  func reader(
    newest: Int?, matching filter: LogFilter, follows: Bool
  ) async throws(FileError) -> any LogRecordReader {
    try await DetachedThread.run { () throws(FileError) in
      guard flush() else { throw FileError(path, "read", ETIMEDOUT) }
      var cursor = LogFileCursor(LogFileSet(path: path, maxFiles: maxFiles, system: system), filter)
      cursor.redactor = redactor
      try cursor.open(newest: newest, follows: follows)
      return LogFileReader(cursor)
    }
  }

  func clear() async throws(FileError) {
    try await DetachedThread.run { () throws(FileError) in
      guard flush() else { throw FileError(path, "written", ETIMEDOUT) }
      try LogFileSet(path: path, maxFiles: maxFiles, system: system).clear()
    }
  }
}

/// Reads log files, each page on a thread of its own.
final class LogFileReader: LogRecordReader {
  private let cursor: Mutex<LogFileCursor>

  init(_ cursor: LogFileCursor) {
    self.cursor = Mutex(cursor)
  }

  func next(_ limit: Int) async throws(FileError) -> [LogRecord] {
    try await DetachedThread.run { [self] () throws(FileError) in
      try cursor.withLock { cursor in
        Result { () throws(FileError) in try cursor.next(limit) }
      }.get()
    }
  }

  var unreadable: Int { cursor.withLock { $0.unreadable } }
}

/// A log file and its rotated files.
struct LogFileSet: Sendable {
  struct Part: Sendable {
    var file: OpenFile
    var id: FileID
    var size: Int64
    /// The offset at which reading continues.
    var offset: Int64 = 0
  }

  let path: String
  let maxFiles: Int
  let system: FileSystem

  private var rotated: [String] {
    (1..<max(2, maxFiles)).map { "\(path).\($0)" }
  }

  /// Returns the current files, oldest first.
  func snapshot() throws(FileError) -> [Part] {
    do throws(SystemError) {
      // Another process may rotate the file between open and lock, but not endlessly.
      for _ in 0..<100 {
        let current = try part(path)
        if let current {
          system.lockBriefly(current.file, LOCK_SH)
          guard current.id == FileID(path) else { continue }
        }
        var parts: [Part] = []
        for name in rotated {
          if let part = try part(name) { parts.append(part) }
        }
        guard var current else {
          // Without a file, nothing can be locked. A file that was created in between may be
          // rotated.
          guard FileID(path) == nil else { continue }
          return parts.reversed()
        }
        current.size = try system.info(current.file).size
        system.unlock(current.file)
        return parts.reversed() + [current]
      }
      throw SystemError(code: EBUSY, call: "open")
    } catch {
      throw obstacle() ?? FileError(path, "read", error.code)
    }
  }

  /// Returns the error for a name of the log at which something else is, or `nil` if there is none.
  ///
  /// - Parameter allowsLinks: Whether links in the place of rotated files are no obstacle.
  private func obstacle(allowsLinks: Bool = false) -> FileError? {
    for name in [path] + rotated {
      guard let info = FileInfo(name, followsLink: false), !info.isRegular else { continue }
      if allowsLinks, info.isLink, name != path { continue }
      return FileError(
        .io, path: name,
        message: "\(name) is not a regular file, and the log uses no other; move it away")
    }
    return nil
  }

  /// Returns whether the path still refers to this file.
  func isCurrent(_ part: Part) -> Bool { FileID(path) == part.id }

  /// Removes the rotated files and replaces the current one by an empty file.
  ///
  /// A truncated file could grow beyond the position of a reader before it looks, who would then
  /// miss the first lines. Another file is noticed in any case: writers and readers compare it with
  /// the one that they have open, as after a rotation. What is no file of the log is left as it is,
  /// but links in the place of rotated files are removed.
  func clear() throws(FileError) {
    if let obstacle = obstacle(allowsLinks: true) { throw obstacle }
    do throws(SystemError) {
      let file: OpenFile
      do throws(SystemError) {
        file = try system.openLocked(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK).file
      } catch  where error.code == ENOENT {
        return try removeRotated()
      }
      // The lock of the old file keeps writers from adding to it until the new one has its name.
      defer { system.unlock(file) }
      try removeRotated()
      do throws(SystemError) {
        try TemporaryFile(for: path, system: system).publish(as: path, replaces: true)
      } catch {
        // The disk may be full, or the folder may take no new file.
        try system.truncate(file, to: 0)
      }
    } catch {
      throw FileError(path, "written", error.code)
    }
  }

  private func removeRotated() throws(SystemError) {
    for name in rotated {
      do throws(SystemError) { try system.remove(name) } catch  where error.code == ENOENT {}
    }
  }

  private func part(_ name: String) throws(SystemError) -> Part? {
    let file: OpenFile
    do throws(SystemError) {
      file = try system.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch  where error.code == ENOENT {
      return nil
    }
    let info = try system.info(file)
    guard info.isRegular else { throw SystemError(code: EINVAL, call: "open") }
    return Part(file: file, id: info.id, size: info.size)
  }
}

/// A position in log files, with the lines read from there.
struct LogFileCursor: Sendable {
  /// The number of lines that are not records.
  private(set) var unreadable = 0
  var redactor: Redactor?
  private let files: LogFileSet
  private let filter: LogFilter
  private var follows = false
  /// The files that have not been read to their end, oldest first.
  private var parts: [LogFileSet.Part] = []
  /// Complete lines that were read and not returned yet.
  private var lines: [UInt8] = []
  private var linesStart = 0
  /// Whether to skip the rest of a line that is too long.
  private var skipsLine = false

  private static let block = 64 << 10
  /// The maximum length of a record.
  private static let longestLine = 8 << 20
  /// The size after which a page ends.
  private static let pageBytes = 1 << 20

  init(_ files: LogFileSet, _ filter: LogFilter) {
    self.files = files
    self.filter = filter
  }

  /// Opens the files at the oldest record, or at the `newest`th matching record from the end.
  mutating func open(newest: Int?, follows: Bool) throws(FileError) {
    self.follows = follows
    parts = try files.snapshot()
    if let newest { try seek(newest: newest) }
  }

  /// Returns the next matching records.
  mutating func next(_ limit: Int) throws(FileError) -> [LogRecord] {
    var found: [LogRecord] = []
    var bytes = 0
    while found.count < limit, bytes < Self.pageBytes {
      guard linesStart < lines.count else {
        guard try fill() else { break }
        continue
      }
      let end = lines[linesStart...].firstIndex(of: 0x0A) ?? lines.endIndex
      let line = lines[linesStart..<end]
      linesStart = end + 1
      guard !line.isEmpty else { continue }
      guard let record = LogRecordLine.record(line) else {
        unreadable += 1
        continue
      }
      if let record = match(record) {
        found.append(record)
        bytes += line.count
      }
    }
    return found
  }

  private func match(_ record: LogRecord) -> LogRecord? {
    let record = redactor?.redact(record) ?? record
    return filter.matches(record) ? record : nil
  }

  /// Reads complete lines into `lines`. Returns false if there are no more.
  private mutating func fill() throws(FileError) -> Bool {
    var size = Self.block
    while !parts.isEmpty || follows {
      if parts.isEmpty {
        parts = try files.snapshot()
        if parts.isEmpty { return false }
      }
      let isLast = parts.count == 1
      let position = parts[0].offset
      // Lines written after the files were opened are not read unless the cursor follows.
      let end = isLast && !follows ? parts[0].size : .max
      let bytes = try read(
        parts[0], from: position, count: Int(min(Int64(size), max(0, end - position))))
      if let last = bytes.lastIndex(of: 0x0A) {
        parts[0].offset += Int64(last + 1)
        lines = bytes
        lines.removeSubrange((last + 1)...)
        linesStart = 0
        if skipsLine {
          linesStart = (lines.firstIndex(of: 0x0A) ?? last) + 1
          skipsLine = false
        }
        if linesStart < lines.count { return true }
      } else if bytes.count == size {
        if size < Self.longestLine {
          size *= 4
        } else {
          parts[0].offset += Int64(bytes.count)
          if !skipsLine { unreadable += 1 }
          skipsLine = true
        }
      } else if !isLast {
        parts.removeFirst()
        size = Self.block
      } else if try !advance() {
        return false
      }
    }
    return false
  }

  /// Continues after the end of the newest file if it has been rotated or truncated.
  ///
  /// - Returns: Whether there may be more to read.
  private mutating func advance() throws(FileError) -> Bool {
    guard follows, let last = parts.first else { return false }
    if files.isCurrent(last) {
      guard let size = FileInfo(descriptor: last.file.number)?.size, size < last.offset else {
        return false
      }
      parts[0].offset = 0
      return true
    }
    let snapshot = try files.snapshot()
    let newer = snapshot.lastIndex { $0.id == last.id }.map { snapshot[($0 + 1)...] }
    let more = newer ?? snapshot[...]
    // Between a rotation and the next line, no file has the name.
    guard !more.isEmpty else { return false }
    // Lines written before the rotation are read first. That file does not grow any more.
    parts += more
    return true
  }

  // MARK: From the end

  /// Moves to the line of the `newest`th matching record from the end.
  private mutating func seek(newest: Int) throws(FileError) {
    var left = max(0, newest)
    for index in parts.indices.reversed() {
      var position = parts[index].size
      while left > 0, position > 0 {
        (position, left) = try seekBack(parts[index], from: position, left)
      }
      if left == 0 {
        parts[index].offset = position
        parts.removeFirst(index)
        return
      }
    }
  }

  /// Scans the lines of a block backwards from a line boundary.
  ///
  /// - Returns: The position of the first line scanned, and the number of records still to find.
  private func seekBack(
    _ part: LogFileSet.Part, from end: Int64, _ left: Int
  ) throws(FileError) -> (Int64, Int) {
    var count = min(Int64(Self.block), end)
    while true {
      let start = end - count
      let bytes = try read(part, from: start, count: Int(count))
      // The file was truncated in the meantime.
      guard bytes.count == Int(count) else { return (0, left) }
      var first = 0
      if start > 0 {
        guard let newline = bytes.dropLast().firstIndex(of: 0x0A) else {
          if count >= Int64(Self.longestLine) { return (start, left) }
          count = min(count * 4, end)
          continue
        }
        first = newline + 1
      }
      var left = left
      var lineEnd = bytes.count
      while lineEnd > first, left > 0 {
        let previous = bytes[first..<(lineEnd - 1)].lastIndex(of: 0x0A)
        let lineStart = previous.map { $0 + 1 } ?? first
        let line = bytes[lineStart..<lineEnd]
        if line.last == 0x0A, let record = LogRecordLine.record(line.dropLast()),
          match(record) != nil
        {
          left -= 1
        }
        lineEnd = lineStart
      }
      return (start + Int64(lineEnd), left)
    }
  }

  private func read(
    _ part: LogFileSet.Part, from offset: Int64, count: Int
  ) throws(FileError) -> [UInt8] {
    guard count > 0 else { return [] }
    do throws(SystemError) {
      return try files.system.read(part.file, limit: count, at: offset)
    } catch {
      throw FileError(files.path, "read", error.code)
    }
  }
}

extension LogRecordLine {
  /// Parses a line without its newline. Returns `nil` if it is not a record.
  package static func record(_ line: ArraySlice<UInt8>) -> LogRecord? {
    guard let json = try? JSON(parsing: line), let text = json["time"]?.stringValue,
      let time = Timestamp.microseconds(parsing: text),
      let level = json["level"]?.stringValue.flatMap(LogLevel.init(name:)),
      let category = json["category"]?.stringValue, let message = json["message"]?.stringValue
    else { return nil }
    return LogRecord(
      time: Int64(time), level: level, category: category, message: message,
      fields: (json["fields"]?.members ?? []).map { member in
        LogField(member.key, member.value.stringValue ?? member.value.text)
      })
  }
}
