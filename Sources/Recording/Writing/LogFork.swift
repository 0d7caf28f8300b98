import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem

/// The end of a log without an end line, with all that a recorder needs to continue it.
package struct LogContinuation: Sendable {
  /// The first line of the log.
  package let header: LogHeader
  /// The size of the log in bytes.
  package let size: Int
  /// The last step of the log.
  package let step: Int
  /// The time from the beginning to the last step, in microseconds.
  package let time: Int64
  /// The digest of the state after the last step, or `nil` if the step has none.
  package let digest: Digest?

  /// The number of lines in the log.
  let lines: Int
  let index: WrittenIndex
  let chain: HashChain
  /// The last step and the lines after it, if the step has no digest.
  let tail: UndigestedTail
}

/// Creates logs that begin with the first steps of another log and continue differently.
enum LogFork {
  /// The header key for the origin of a fork.
  static let key = "forked"

  /// Copies the first `n` steps of a log into a new file, with the marks, issues and snapshots
  /// after them.
  ///
  /// Every line keeps its bytes except its sum, which depends on the lines before it. The header
  /// has the origin under the key `forked`: `{"file":…,"step":n,"sum":…}`, with the sum of the last
  /// copied line in the old log. A fork of a fork adds `forked2`, and so on. Without provenance,
  /// the copy equals the beginning of the old log byte for byte.
  ///
  /// All copied lines are read and checked. Memory does not grow with the log. The new file has
  /// mode 0600. Fails if the file exists, and leaves no file after an error.
  ///
  /// - Parameters:
  ///   - index: The states of the log. The copy's recorder knows those of its steps.
  ///   - mayCopy: Returns whether a line may be in the copy.
  /// - Returns: The argument of `Recorder.init(continuing:…)`.
  static func copy(
    _ log: LogFile, steps n: Int, to path: String, provenance: Bool = true,
    _ index: SnapshotIndex = SnapshotIndex(),
    where mayCopy: (ArraySlice<UInt8>) -> Bool = { _ in true }
  ) throws(RecordingError) -> LogContinuation {
    let end = try end(of: log, step: n)
    let sink = try FileSink(creating: path)
    var copy = Copy(sink: sink, path: path, index)
    do throws(RecordingError) {
      try copy.run(log, until: end, provenance: provenance, step: n, where: mayCopy)
    } catch {
      sink.remove(path)
      throw error
    }
    defer { sink.close() }
    guard let continuation = copy.continuation else {
      // The header was read before, so the file was changed.
      sink.remove(path)
      throw .noStep(n, last: 0)
    }
    return continuation
  }

  /// Copies the file of a rotated recording that has step `n`, up to that step.
  ///
  /// The copy begins where that file does and keeps its `rotated` key. Read with
  /// `RotatedLog(path:)`, its steps have the numbers of the whole recording.
  static func copy(
    _ rotatedLog: RotatedLog, steps n: Int, to path: String, provenance: Bool = true,
    _ index: SnapshotIndex = SnapshotIndex(),
    where mayCopy: (ArraySlice<UInt8>) -> Bool = { _ in true }
  ) throws(RecordingError) -> LogContinuation {
    let segment = rotatedLog.segment(of: n)
    let before = rotatedLog.segments[segment].stepsBefore
    do throws(RecordingError) {
      return try copy(
        rotatedLog.files[segment], steps: n - before, to: path, provenance: provenance,
        index.inFile(segment), where: mayCopy)
    } catch {
      switch error {
      case .noStep(_, _, let last):
        throw .noStep(n, first: rotatedLog.firstStep, last: last + before)
      case .withheld(let step, let line): throw .withheld(step: step + before, line: line)
      case .unreadable(let reason):
        throw .unreadable(rotatedLog.name(of: segment).map { reason.inFile($0) } ?? reason)
      default: throw error
      }
    }
  }

  /// Returns the end of the lines of step `n`, where step n + 1 or the end line begins.
  private static func end(of log: LogFile, step n: Int) throws(RecordingError) -> LogPosition {
    var position: LogPosition
    do throws(LogReadError) {
      let reader = try log.reader()
      _ = try reader.header()
      position = reader.position
      lines: while let entry = try reader.nextOfAnyKind() {
        switch entry.line {
        // For a negative `n`, continue to the end, so that the error has the number of steps.
        case .step(let step) where n >= 0 && step.n > n: break lines
        case .end: break lines
        case .header, .step, .issue, .mark, .snapshot, .unknown: position = reader.position
        }
      }
    } catch {
      throw .unreadable(error)
    }
    guard position.step == n else { throw .noStep(n, last: position.step) }
    return position
  }
}

extension LogFork {
  /// Copies a log in one pass, body by body, without interpreting the bodies.
  private struct Copy {
    private static let batch = 1 << 20

    private let sink: FileSink
    private let path: String
    private var chain = HashChain()
    private var bytes: [UInt8] = []
    private var size = 0
    private var header: LogHeader?
    private var last: (step: Int, time: Int64, digest: Digest?) = (0, 0, nil)
    private var tail = UndigestedTail()
    private var lineCount = 0
    /// The states of the log that are not in `index` yet, and those that are.
    private var states: ArraySlice<SnapshotIndex.Entry>
    private var index: WrittenIndex
    private let stride: Int

    init(sink: FileSink, path: String, _ states: SnapshotIndex) {
      self.sink = sink
      self.path = path
      self.states = states.entries[...]
      stride = states.stride
      index = WrittenIndex(stride: stride)
    }

    var continuation: LogContinuation? {
      header.map {
        LogContinuation(
          header: $0, size: size, step: last.step, time: last.time, digest: last.digest,
          lines: lineCount, index: index, chain: chain, tail: tail)
      }
    }

    mutating func run(
      _ log: LogFile, until end: LogPosition, provenance: Bool, step n: Int,
      where mayCopy: (ArraySlice<UInt8>) -> Bool
    ) throws(RecordingError) {
      var failure: LogIOError?
      var withheld: LogPosition?
      do throws(LogReadError) {
        let reader = try log.reader()
        var lines = LineInput(
          try log.source(from: 0), limit: LogReader.Limits().line, chunk: LogReader.Limits().chunk)
        while failure == nil, reader.position.offset < end.offset,
          let entry = try reader.nextOfAnyKind(), case .whole(let line, _) = try lines.next()
        {
          guard mayCopy(line) else {
            withheld = reader.position
            break
          }
          if case .header(var first) = entry.line {
            if provenance { first.extra.append(origin(log, n, end, first)) }
            header = first
          }
          // The reader has verified that the line ends with a sum.
          guard let (body, _) = HashChain.split(line) else { break }
          add(body, entry.line, provenance: provenance)
          lineCount = entry.number
          keepState(at: reader.position)
          if bytes.count >= Copy.batch { failure = write() }
        }
      } catch {
        throw .unreadable(error)
      }
      if let withheld { throw .withheld(step: withheld.step, line: withheld.line) }
      if let failure = failure ?? write() { throw .unwritable(path: path, failure) }
    }

    private mutating func add(_ body: ArraySlice<UInt8>, _ line: LogLine, provenance: Bool) {
      let start = bytes.count
      let before = chain
      bytes.append(contentsOf: body)
      switch line {
      case .header(let old):
        last.digest = old.digest
        index = WrittenIndex(file: link?.segment ?? 0, after: link?.steps ?? 0, stride: stride)
        if provenance, let added = header?.extra.last { bytes.append([added]) }
      case .step(let step):
        last = (step.n, step.t, step.digest)
        tail.begin(after: step.digest == nil ? before : nil)
      case .mark(var mark):
        mark.n += link?.steps ?? 0
        index.add(mark)
      case .issue, .snapshot, .end, .unknown: break
      }
      bytes.withUnsafeBufferPointer { tail.add(UnsafeBufferPointer(rebasing: $0[start...])) }
      chain.appendChecksum(&bytes, from: start)
    }

    private var link: LogLink? { header.flatMap { LogLink($0) } }

    /// Keeps the state of the log at a position, if it has one there, at the position in the copy.
    private mutating func keepState(at position: LogPosition) {
      guard let next = states.first, next.position.inFile?.offset == position.offset else { return }
      states.removeFirst()
      let inCopy = LogPosition(
        offset: size + bytes.count, line: lineCount, chain: chain, validator: position.validator)
      index.add(
        .init(
          step: inCopy.step + (link?.steps ?? 0),
          position: RotatedLogPosition(segment: link?.segment ?? 0, inFile: inCopy),
          state: next.state))
    }

    private func origin(
      _ log: LogFile, _ n: Int, _ end: LogPosition, _ header: LogHeader
    ) -> JSON.Member {
      let name = log.path.map { PathComponents($0).name } ?? ""
      let sum = end.sum?.description ?? ""
      // A fork of a fork has both keys.
      var (key, count) = (LogFork.key, 1)
      while header.extra.contains(where: { $0.key == key }) {
        count += 1
        key = "\(LogFork.key)\(count)"
      }
      return JSON.Member(
        key, ["file": .string(name), "step": JSON(n), "sum": .string(sum)])
    }

    private mutating func write() -> LogIOError? {
      var output = LogOutput(sink, synchronizes: false, size: size)
      output.lines.bytes.append(bytes)
      if let failure = output.write() { return failure.error }
      size += bytes.count
      bytes.removeAll(keepingCapacity: true)
      return nil
    }
  }
}

extension LogNavigator {
  /// Forks the log after step `n` into a new file; see `LogFork.copy`.
  ///
  /// - Parameter mayCopy: Returns whether a line may be in the fork.
  /// - Returns: The continuation for a recorder, and the state to create a store with.
  package func fork(
    at n: Int, to path: String, provenance: Bool = true,
    where mayCopy: (ArraySlice<UInt8>) -> Bool = { _ in true }
  ) throws -> (continuation: LogContinuation, state: R.State) {
    let state = try state(at: n)
    let copy = try LogFork.copy(
      rotatedLog, steps: n, to: path, provenance: provenance, index, where: mayCopy)
    return (copy, state)
  }
}
