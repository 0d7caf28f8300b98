import SwiftBoardSystem
import Synchronization

/// Rotates a recording by renaming. `NAME` is the file being written, `NAME.1` is the oldest ended
/// one, and higher numbers are newer. A file keeps its number. The oldest files are removed.
///
/// `NAME` always exists and is always locked, so that no second recorder can begin during a
/// rotation. After a crash, all files are complete. At worst, the ended file has both of its names,
/// or there is a `NAME.next` with a header and no steps, which the next recording removes.
final class FileRotation: LogRotation {
  private struct State {
    /// The number that the current file gets when it is ended.
    var number: Int
    var lowest: Int
    var isLinked = false
    /// The file of the last call to `next`.
    var next: FileSink?
    /// Whether `onKept` was called.
    var hasWarned = false
  }

  private let path: String
  private let keep: Int?
  private let synchronizes: Bool
  private let system: FileSystem
  private let onKept: @Sendable (_ path: String, LogIOError) -> Void
  private let state: Mutex<State>

  /// - Parameters:
  ///   - existing: The numbers of existing files, ascending.
  ///   - onKept: Receives the first file that should be removed but cannot be.
  init(
    path: String, keep: Int?, synchronizes: Bool, existing: [Int] = [],
    system: FileSystem = FileSystem(),
    onKept: @escaping @Sendable (_ path: String, LogIOError) -> Void = { _, _ in }
  ) {
    self.path = path
    self.keep = keep
    self.synchronizes = synchronizes
    self.system = system
    self.onKept = onKept
    let next = (existing.last ?? 0) + 1
    state = Mutex(State(number: next, lowest: existing.first ?? next))
  }

  private var nextPath: String { path + ".next" }

  func next() throws(LogIOError) -> any LogSink {
    // Otherwise the current file would be ended before `commit` fails.
    if system.isTaken("\(path).\(state.withLock { $0.number })") {
      throw LogIOError(code: EEXIST, operation: "link")
    }
    if FileRotation.isLeftover(nextPath, system) {
      // Only the holder of the lock on `NAME` may write it.
      do throws(SystemError) { try system.remove(nextPath) } catch { throw LogIOError(error) }
    }
    do throws(RecordingError) {
      let file = try FileSink(creating: nextPath, system)
      state.withLock { $0.next = file }
      return file
    } catch {
      if case .failed(_, let error) = error { throw error }
      throw LogIOError(code: EEXIST, operation: "open")
    }
  }

  /// Whether a crash may have left the file: it is a header or the beginning of one, with the owner
  /// and the mode of a recording. A loss of power can make zeros of its end.
  private static func isLeftover(_ path: String, _ system: FileSystem = FileSystem()) -> Bool {
    guard let info = FileInfo(path, followsLink: false), info.isRegular,
      info.owner == geteuid(), info.mode & 0o777 == 0o600,
      info.size <= LogReader.Limits.formatLine,
      let file = try? system.open(path, O_RDONLY | O_NOFOLLOW)
    else { return false }
    defer { try? system.close(file) }
    guard let bytes = try? system.read(file, limit: Int(info.size)) else { return false }
    let start = Array(#"{"k":"log""#.utf8)
    let written = bytes.prefix { $0 != 0 }
    let line = written.prefix { $0 != UInt8(ascii: "\n") }
    return line.count >= written.count - 1 && bytes[written.count...].allSatisfy { $0 == 0 }
      && (start.starts(with: line) || line.starts(with: start))
  }

  func commit() throws(LogIOError) {
    let number = state.withLock { $0.number }
    do throws(SystemError) {
      try end(as: "\(path).\(number)")
      try system.rename(nextPath, to: path)
      state.withLock { state in
        state.isLinked = false
        state.number += 1
        state.next.take()?.wasRenamed(to: path)
      }
      if synchronizes { try FileRotation.syncFolder(of: path, system) }
    } catch {
      throw LogIOError(error)
    }
    prune()
  }

  private func end(as ended: String) throws(SystemError) {
    do throws(SystemError) {
      try system.link(path, to: ended)
      state.withLock { $0.isLinked = true }
    } catch {
      // Not every file system has links. Without links, `NAME` is missing for a moment.
      guard error.code == EPERM || error.code == ENOTSUP || error.code == EOPNOTSUPP else {
        throw error
      }
      try system.rename(path, to: ended)
    }
  }

  func abandon() {
    let (next, number, isLinked) = state.withLock { state in
      (state.next.take(), state.number, state.isLinked)
    }
    // Any other file there is the user's.
    if next != nil || FileRotation.isLeftover(nextPath, system) { try? system.remove(nextPath) }
    if isLinked { try? system.remove("\(path).\(number)") }
  }

  /// Removes the oldest surplus files.
  ///
  /// If a file cannot be removed, it and all newer files are kept, since the recording must not
  /// have gaps. The next rotation tries again. A failure does not stop the recording.
  private func prune() {
    guard let keep else { return }
    let surplus = state.withLock { $0.lowest..<max($0.lowest, $0.number - keep) }
    for number in surplus {
      let file = "\(path).\(number)"
      do throws(SystemError) {
        try system.remove(file)
      } catch  where error.code != ENOENT {
        let isFirst = state.withLock { state in
          defer { state.hasWarned = true }
          return !state.hasWarned
        }
        if isFirst { onKept(file, LogIOError(error)) }
        return
      } catch {
        // Another process has removed it.
      }
      state.withLock { $0.lowest = number + 1 }
    }
  }
}

extension FileRotation {
  /// Returns a file beside `path` that a new rotated recording would meet, if any.
  static func obstacle(at path: String) -> String? {
    if let number = numbers(of: path)?.last { return "\(path).\(number)" }
    let next = path + ".next"
    return FileSystem().isTaken(next) && !isLeftover(next) ? next : nil
  }

  /// Returns the numbers k of the files `NAME.k` beside `path`, ascending, or `nil` if the folder
  /// cannot be read.
  static func numbers(of path: String) -> [Int]? {
    let parts = PathComponents(path)
    guard let names = try? FileSystem().names(in: parts.folder) else { return nil }
    let prefix = parts.name + "."
    return names.compactMap { name in
      guard name.utf8.starts(with: prefix.utf8) else { return nil }
      let digits = name.utf8.dropFirst(prefix.utf8.count)
      guard digits.first != UInt8(ascii: "0"), digits.allSatisfy({ $0 &- 0x30 < 10 }) else {
        return nil
      }
      return Int(String(decoding: Array(digits), as: UTF8.self))
    }
    .sorted()
  }

  /// Synchronizes the folder, so that the name of a file is on the disk, if the file system
  /// supports that.
  static func syncFolder(
    of path: String, _ system: FileSystem = FileSystem()
  ) throws(SystemError) {
    do throws(SystemError) { try system.sync(folder: PathComponents(path).folder) } catch {
      guard error.code == EINVAL || error.code == ENOTSUP else { throw error }
    }
  }
}
