import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem

/// Where a log without an end line ends: all that a recorder must know to write on.
package struct LogContinuation: Sendable {
  /// The log's first line.
  package let header: LogHeader
  /// Bytes of the log.
  package let size: Int
  /// Its last step.
  package let step: Int
  /// Microseconds from its beginning to that step.
  package let time: Int64
  /// Of the state after that step; nil if the step has none.
  package let digest: Digest?

  let chain: HashChain
  /// The last step and what follows it, when that has no digest.
  let tail: LineTail
}

/// Creates a log that begins with the first steps of another, to be continued differently.
package enum LogFork {
  /// The key of the header that says where a fork comes from.
  static let key = "forked"

  /// Copies the first `n` steps of a log into a new file, with the marks, issues and snapshots
  /// after them.
  ///
  /// Every line keeps its bytes but for its sum, which depends on the lines before it: the header
  /// says under the unknown key `forked` where it comes from (`{"file":…,"step":n,"sum":…}`, the
  /// sum being that of the last line copied, in the old log); a fork of a fork adds `forked2`, and
  /// so on. Without provenance the copy is byte for byte the front of the old log.
  ///
  /// The whole front is read and checked. Memory: one line. The new file has mode 0600; an existing
  /// one is refused, and after an error there is none.
  ///
  /// - Returns: What `Recorder.init(continuing:…)` needs.
  package static func copy(
    _ log: LogFile, steps n: Int, to path: String, provenance: Bool = true
  ) throws(RecordingError) -> LogContinuation {
    let end = try end(of: log, step: n)
    let sink = try FileSink(creating: path)
    var copy = Copy(sink: sink, path: path)
    do throws(RecordingError) {
      try copy.run(log, until: end, provenance: provenance, step: n)
    } catch {
      sink.remove(path)
      throw error
    }
    defer { sink.close() }
    guard let continuation = copy.continuation else {
      // The header was there a moment ago: the file was changed.
      sink.remove(path)
      throw .noStep(n, last: 0)
    }
    return continuation
  }

  /// Copies what a recording that was rotated has of step `n`: the file with that step, up to it.
  ///
  /// The copy begins where that file does and keeps its `rotated` key: as a rotated log,
  /// `RotatedLog(path:)`, its steps have the numbers of the whole recording.
  package static func copy(
    _ rotatedLog: RotatedLog, steps n: Int, to path: String, provenance: Bool = true
  ) throws(RecordingError) -> LogContinuation {
    let segment = rotatedLog.segment(of: n)
    let before = rotatedLog.segments[segment].stepsBefore
    do throws(RecordingError) {
      return try copy(
        rotatedLog.files[segment], steps: n - before, to: path, provenance: provenance)
    } catch {
      switch error {
      case .noStep(_, _, let last):
        throw .noStep(n, first: rotatedLog.firstStep, last: last + before)
      case .unreadable(let reason):
        throw .unreadable(rotatedLog.name(of: segment).map { reason.inFile($0) } ?? reason)
      default: throw error
      }
    }
  }

  /// The end of what belongs to step `n`: where step n + 1 or the end line begins.
  private static func end(of log: LogFile, step n: Int) throws(RecordingError) -> LogPosition {
    var position: LogPosition
    do throws(LogReadError) {
      let reader = try log.reader()
      _ = try reader.header()
      position = reader.position
      lines: while let entry = try reader.nextOfAnyKind() {
        switch entry.line {
        // Before the beginning there is nothing to find; the error says how many steps there are.
        case .step(let step) where n >= 0 && step.n > n: break lines
        case .end: break lines
        default: position = reader.position
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
  /// One pass from an old log to a new one, body by body: what a body says is not looked into.
  private struct Copy {
    private static let batch = 1 << 20

    private let sink: FileSink
    private let path: String
    private var chain = HashChain()
    private var bytes: [UInt8] = []
    private var size = 0
    private var header: LogHeader?
    private var last: (step: Int, time: Int64, digest: Digest?) = (0, 0, nil)
    private var tail = LineTail()

    init(sink: FileSink, path: String) {
      self.sink = sink
      self.path = path
    }

    var continuation: LogContinuation? {
      header.map {
        LogContinuation(
          header: $0, size: size, step: last.step, time: last.time, digest: last.digest,
          chain: chain, tail: tail)
      }
    }

    mutating func run(
      _ log: LogFile, until end: LogPosition, provenance: Bool, step n: Int
    ) throws(RecordingError) {
      var failure: LogIOError?
      do throws(LogReadError) {
        let reader = try log.reader()
        var lines = LineInput(
          try log.source(from: 0), limit: LogReader.Limits().line, chunk: LogReader.Limits().chunk)
        while failure == nil, reader.position.offset < end.offset,
          let entry = try reader.nextOfAnyKind(), case .whole(let line, _) = try lines.next()
        {
          if case .header(var first) = entry.line {
            if provenance { first.extra.append(origin(log, n, end, first)) }
            header = first
          }
          // The reader has found the sum at its end.
          guard let (body, _) = HashChain.split(line) else { break }
          add(body, entry.line, provenance: provenance)
          if bytes.count >= Copy.batch { failure = write() }
        }
      } catch {
        throw .unreadable(error)
      }
      if let failure = failure ?? write() { throw .unwritable(path: path, failure) }
    }

    private mutating func add(_ body: ArraySlice<UInt8>, _ line: LogLine, provenance: Bool) {
      let start = bytes.count
      let before = chain
      bytes.append(contentsOf: body)
      switch line {
      case .header(let old):
        last.digest = old.digest
        if provenance, let added = header?.extra.last { bytes.append([added]) }
      case .step(let step):
        last = (step.n, step.t, step.digest)
        tail.begin(after: step.digest == nil ? before : nil)
      default: break
      }
      bytes.withUnsafeBufferPointer { tail.add(UnsafeBufferPointer(rebasing: $0[start...])) }
      chain.appendChecksum(&bytes, from: start)
    }

    private func origin(
      _ log: LogFile, _ n: Int, _ end: LogPosition, _ header: LogHeader
    ) -> JSON.Member {
      let name = log.path.map { PathComponents($0).name } ?? ""
      let sum = end.sum?.description ?? ""
      // A fork of a fork says both.
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
  /// Forks the log after step `n` into a new file: see `LogFork.copy`.
  ///
  /// - Returns: What a recorder needs to write on, and the state to make a store with.
  package func fork(
    at n: Int, to path: String, provenance: Bool = true
  ) throws -> (continuation: LogContinuation, state: R.State) {
    let state = try state(at: n)
    return (try LogFork.copy(rotatedLog, steps: n, to: path, provenance: provenance), state)
  }
}
