import SwiftBoardStore

/// A position between two lines of a rotated log.
struct RotatedLogPosition: Sendable {
  var segment: Int
  /// The position in the file of the segment, or `nil` for its beginning.
  let inFile: LogPosition?
}

extension RotatedLog {
  /// Returns a reader of one file, at a position.
  func reader(at position: RotatedLogPosition) throws(LogReadError) -> LogReader {
    let file = files[position.segment]
    guard let inFile = position.inFile else { return try file.reader() }
    return try file.reader(at: inFile)
  }
}

/// Reads the files of a rotated log one after the other as one log. Steps are numbered across
/// files, times count from the beginning of the first file, only the first file has a header, and
/// only the last one has an end. Checks that each file continues where the previous one ended.
///
/// Uses the memory of one `LogReader`. Must not be used by several threads at once.
final class RotatedLogReader {
  struct Entry {
    let segment: Int
    /// The line in its file.
    let inFile: LogReader.Entry
    /// The line in the whole log.
    let line: LogLine
  }

  let rotatedLog: RotatedLog
  /// The segment that is being read, and its reader.
  private(set) var segment: Int
  private(set) var file: LogReader
  /// The last digest of the segment.
  private var digest: Digest?
  /// The warnings of the files that were read to their end.
  private var earlier: [LogWarning] = []
  private var earlierBytes = 0
  private var earlierLines = 0

  convenience init(_ rotatedLog: RotatedLog) throws(LogReadError) {
    try self.init(rotatedLog, at: RotatedLogPosition(segment: 0, inFile: nil))
  }

  init(_ rotatedLog: RotatedLog, at position: RotatedLogPosition) throws(LogReadError) {
    self.rotatedLog = rotatedLog
    segment = position.segment
    file = try rotatedLog.reader(at: position)
  }

  /// The position of the next line.
  var position: RotatedLogPosition { RotatedLogPosition(segment: segment, inFile: file.position) }

  /// The warnings, with step numbers of the whole log. They are complete once `next` has returned
  /// `nil`.
  var warnings: [LogWarning] { earlier + lastWarnings }
  /// Those of the file that is being read.
  var lastWarnings: [LogWarning] {
    file.warnings.map { $0.behind(rotatedLog.segments[segment].stepsBefore) }
  }
  /// The numbers of bytes and lines that were read.
  var bytes: Int { earlierBytes + file.position.offset }
  var lines: Int { earlierLines + file.position.line }

  /// Reads the header of the first file. Call this before `next`.
  func header() throws(LogReadError) -> LogHeader {
    do throws(LogReadError) {
      return try file.header()
    } catch {
      throw located(error)
    }
  }

  /// Returns the next line, or `nil` at the end.
  func next() throws(LogReadError) -> Entry? {
    while let entry = try nextInFile() {
      guard let line = inWholeLog(entry.line) else { continue }
      return Entry(segment: segment, inFile: entry, line: line)
    }
    return nil
  }

  /// Returns the next line of any file as written there, including ends and headers.
  func nextInFile() throws(LogReadError) -> LogReader.Entry? {
    while true {
      if rotatedLog.isCancelled() { throw .cancelled }
      let entry: LogReader.Entry?
      do throws(LogReadError) {
        entry = try file.next()
      } catch {
        throw located(error)
      }
      if let entry {
        switch entry.line {
        case .step(let step): digest = step.digest
        case .end(let end): digest = end.digest
        case .header(let header): digest = header.digest
        default: break
        }
        return entry
      }
      guard segment + 1 < rotatedLog.segments.count else { return nil }
      try openNextFile()
    }
  }

  private func openNextFile() throws(LogReadError) {
    try rotatedLog.join(
      segment, steps: rotatedLog.segments[segment].stepsBefore + file.position.step,
      sum: file.position.sum,
      digest: digest)
    // If a file in the middle has no end, the join reports it.
    earlier += file.warnings.filter { !$0.isAboutTheEnd }
    earlierBytes += file.position.offset
    earlierLines += file.position.line
    digest = nil
    do throws(LogReadError) {
      file = try rotatedLog.files[segment + 1].reader()
      segment += 1
    } catch {
      segment += 1
      throw located(error)
    }
  }

  /// Returns an error with the path of its file, if there are several files.
  private func located(_ error: LogReadError) -> LogReadError {
    rotatedLog.name(of: segment).map { error.inFile($0) } ?? error
  }

  /// Returns a line with the numbers of the whole log, or `nil` if only single files have such a
  /// line.
  private func inWholeLog(_ line: LogLine) -> LogLine? {
    let (before, later) = (rotatedLog.segments[segment].stepsBefore, rotatedLog.times[segment])
    if segment == 0, before == 0 {
      if case .end = line, rotatedLog.segments.count > 1 { return nil }
      return line
    }
    switch line {
    case .header: return segment == 0 ? line : nil
    case .step(var step):
      step.n += before
      step.t += later
      if case .effect(let name, let id, let cause) = step.origin, cause > 0 {
        step.origin = .effect(name: name, id: id, step: cause + before)
      }
      return .step(step)
    case .issue(var issue):
      issue.n += before
      return .issue(issue)
    case .mark(var mark):
      mark.n += before
      return .mark(mark)
    case .snapshot(var snapshot):
      snapshot.n += before
      return .snapshot(snapshot)
    case .end(var end):
      end.n += before
      return segment == rotatedLog.segments.count - 1 ? .end(end) : nil
    case .unknown: return line
    }
  }
}
