import SwiftBoardStore

/// A place between two lines of a chain.
struct LogChainPosition: Sendable {
  let part: Int
  /// In that part's file; nil is its beginning.
  let inFile: LogPosition?
}

/// Reads the files of a chain one after the other as one log: steps are numbered through, times
/// count from the beginning of the first file, and only that has a header and only the last an end.
/// That each file continues where the one before it ended is checked on the way.
///
/// Memory: that of one `LogReader`. Not for several threads at once.
final class LogChainReader {
  struct Entry {
    let part: Int
    /// As it is in its file.
    let inFile: LogReader.Entry
    /// As it is in the chain.
    let line: LogLine
  }

  let chain: LogChain
  /// The part that is being read, and its reader.
  private(set) var part: Int
  private(set) var file: LogReader
  /// The last digest of the part.
  private var digest: Digest?
  /// Of the files that were read to their end.
  private var earlier: [LogWarning] = []
  private var earlierBytes = 0
  private var earlierLines = 0

  convenience init(_ chain: LogChain) throws(LogReadError) {
    try self.init(chain, at: LogChainPosition(part: 0, inFile: nil))
  }

  init(_ chain: LogChain, at position: LogChainPosition) throws(LogReadError) {
    self.chain = chain
    part = position.part
    file = try LogChainReader.open(chain, position)
  }

  private static func open(
    _ chain: LogChain, _ position: LogChainPosition
  ) throws(LogReadError) -> LogReader {
    let file = chain.files[position.part]
    guard let inFile = position.inFile else { return try file.reader() }
    return try file.reader(at: inFile)
  }

  /// The offset at which the next line begins.
  var position: LogChainPosition { LogChainPosition(part: part, inFile: file.position) }

  /// The warnings, complete once `next` has returned nil.
  var warnings: [LogWarning] { earlier + file.warnings }
  /// Of the file that is being read.
  var lastWarnings: [LogWarning] { file.warnings }
  /// Bytes and lines that were read.
  var bytes: Int { earlierBytes + file.position.offset }
  var lines: Int { earlierLines + file.position.line }

  /// The header of the first file, before anything else was read.
  func header() throws(LogReadError) -> LogHeader {
    do throws(LogReadError) {
      return try file.header()
    } catch {
      throw placed(error)
    }
  }

  /// The next line; nil is the end.
  func next() throws(LogReadError) -> Entry? {
    while let entry = try nextInFile() {
      guard let line = inChain(entry.line) else { continue }
      return Entry(part: part, inFile: entry, line: line)
    }
    return nil
  }

  /// The next line of any file, including ends and headers, as written in the file.
  func nextInFile() throws(LogReadError) -> LogReader.Entry? {
    while true {
      if chain.isCancelled() { throw .cancelled }
      let entry: LogReader.Entry?
      do throws(LogReadError) {
        entry = try file.next()
      } catch {
        throw placed(error)
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
      guard part + 1 < chain.parts.count else { return nil }
      try goOn()
    }
  }

  private func goOn() throws(LogReadError) {
    try chain.join(
      part, steps: chain.parts[part].stepsBefore + file.position.step, sum: file.position.sum,
      digest: digest)
    earlier += file.warnings
    earlierBytes += file.position.offset
    earlierLines += file.position.line
    digest = nil
    do throws(LogReadError) {
      file = try chain.files[part + 1].reader()
      part += 1
    } catch {
      part += 1
      throw placed(error)
    }
  }

  /// An error with the file it is in, where that is not the only one.
  private func placed(_ error: LogReadError) -> LogReadError {
    chain.name(of: part).map { error.inFile($0) } ?? error
  }

  /// A line with the numbers of the chain; nil for what only single files have.
  private func inChain(_ line: LogLine) -> LogLine? {
    let (before, later) = (chain.parts[part].stepsBefore, chain.times[part])
    if part == 0, before == 0 {
      if case .end = line, chain.parts.count > 1 { return nil }
      return line
    }
    switch line {
    case .header: return part == 0 ? line : nil
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
      return part == chain.parts.count - 1 ? .end(end) : nil
    case .unknown: return line
    }
  }
}
