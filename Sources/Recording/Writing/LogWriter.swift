import Dispatch
import SwiftBoardStore
import Synchronization

/// The part of a recorder that is independent of the program's types. It numbers lines, adds their
/// sums, schedules writes, and ends the recording.
final class LogWriter: Sendable {
  /// The number of buffered bytes at which, under `.none`, another thread writes them. It is small
  /// enough that they are still in the cache.
  private static let waitingLimit = 1 << 18
  /// The number of buffered bytes at which the reducing thread writes them itself.
  private static let hardLimit = 1 << 19
  private static let flushInterval = DispatchTimeInterval.milliseconds(40)

  private struct Core: ~Copyable {
    var lines = WriteBuffer()
    var chain: HashChain
    /// The last step in the file.
    var step = 0
    /// The number of steps, and of ended files, before the file.
    var stepsBefore = 0
    var segment = 0
    /// The sizes of the file and of its header, in bytes.
    var size: Int
    var header: Int
    /// The number of lines in the file.
    var lineCount = 1
    var time: Int64 = 0
    /// The digest of the state after `step`, or `nil` if that step has none.
    var digest: Digest?
    var open = true
    /// The failure that ended the recording, and the last step in it.
    var failed: (failure: RecordingFailure, kept: Int)?
    /// The last step, if it has no digest, and the lines after it. `stop` completes them.
    var tail = UndigestedTail()
    /// Whether a delayed write of the buffered lines is scheduled.
    var isFlushPlanned = false
    /// Whether a write of the buffered lines is about to begin.
    var isFlushDue = false
    /// The offset in `lines` at which the tail continues, or `nil` without a tail. The tail is
    /// copied only when `lines` are written.
    var tailStart: Int?
    var index: WrittenIndex

    /// Swaps the lines with the empty buffer of `output`.
    mutating func give(to output: inout LogOutput) {
      if let start = tailStart {
        tail.add(lines: lines.bytes.bytes(from: start))
        tailStart = 0
      }
      swap(&lines, &output.lines)
      isFlushDue = false
    }

    /// Adds the line whose body `build` appends, unless readers would reject it.
    ///
    /// - Returns: The reason if the line was not added.
    @inline(__always)
    mutating func append(_ build: (inout ByteBuffer) -> Void) -> String? {
      let start = lines.bytes.count
      if start == 0 { lines.before = stepsBefore + step }
      build(&lines.bytes)
      if let reason = obstacle(toBody: lines.bytes.count - start) {
        lines.bytes.removeAll(from: start)
        return reason
      }
      chain.appendChecksum(&lines.bytes, from: start)
      size += lines.bytes.count - start
      lineCount &+= 1
      return nil
    }
  }

  // The lock of `output` is taken before that of `core`, so that adding lines never waits for the
  // disk.
  private let output: Mutex<LogOutput>
  private let core: Lock<Core>
  /// A hint that mirrors `Core.open`, so that callers can skip unnecessary work.
  private let seemsOpen = Atomic<Bool>(true)
  private let durability: RecordingOptions.Durability
  private let digestEvery: Int
  private var keepsTail: Bool { digestEvery > 1 }
  /// The first step of the file whose state is to be kept.
  private let nextKept: Atomic<Int>
  private let rotation: (any LogRotation)?
  private let sizeLimit: Int?
  private let onFailure: @Sendable (RecordingFailure) -> Void
  private let queue = DispatchQueue(label: "swiftboard.recorder", qos: .utility)

  /// Begins a log. `header` is the body of the first line and `digest` that of its state.
  init(
    _ sink: any LogSink, header: [UInt8], digest: Digest, options: RecordingOptions,
    rotation: (any LogRotation)?,
    onFailure: @escaping @Sendable (RecordingFailure) -> Void
  ) throws(RecordingError) {
    if let reason = obstacle(toBody: header.count) {
      sink.close()
      throw .encoding(reason)
    }
    var chain = HashChain()
    var first = LogOutput(sink, synchronizes: options.durability == .sync)
    first.lines.bytes.append(header)
    chain.appendChecksum(&first.lines.bytes, from: 0)
    let size = first.lines.bytes.count
    if let failure = first.write() {
      first.close()
      throw .io(failure.error)
    }
    output = Mutex(first)
    var index = WrittenIndex()
    index.keep = options.rotation?.keep
    nextKept = Atomic(index.snapshots.nextState)
    core = Lock(Core(chain: chain, size: size, header: size, digest: digest, index: index))
    self.rotation = rotation
    sizeLimit = rotation == nil ? nil : options.rotation?.size
    durability = options.durability
    digestEvery = options.digestEvery
    self.onFailure = onFailure
  }

  /// Continues a log.
  ///
  /// - Parameter segment: The number of the last ended file of a rotated recording.
  init(
    _ sink: any LogSink, continuing log: LogContinuation, options: RecordingOptions,
    rotation: (any LogRotation)?, segment: Int,
    onFailure: @escaping @Sendable (RecordingFailure) -> Void
  ) {
    output = Mutex(LogOutput(sink, synchronizes: options.durability == .sync, size: log.size))
    durability = options.durability
    digestEvery = options.digestEvery
    let stepsBefore = LogLink(log.header)?.steps ?? 0
    var index = log.index
    index.keep = options.rotation?.keep
    nextKept = Atomic(index.snapshots.nextState - stepsBefore)
    core = Lock(
      Core(
        chain: log.chain, step: log.step, stepsBefore: stepsBefore,
        segment: segment, size: log.size, header: 0, lineCount: log.lines, time: log.time,
        digest: log.digest, tail: log.tail,
        tailStart: options.digestEvery > 1 && log.tail.before != nil ? 0 : nil, index: index))
    self.rotation = rotation
    sizeLimit = rotation == nil ? nil : options.rotation?.size
    self.onFailure = onFailure
  }

  deinit { _ = flushed() }

  /// The number of the last step in the recording, across all files. After a failure, that of the
  /// last step that was not lost.
  var step: Int { core.withLock { $0.failed?.kept ?? $0.stepsBefore + $0.step } }
  var isOpen: Bool { core.withLock { $0.open } }
  var failure: RecordingFailure? { core.withLock { $0.failed?.failure } }

  /// `isOpen`, read without a lock. `true` may be outdated.
  var mayBeOpen: Bool { seemsOpen.load(ordering: .relaxed) }

  /// Adds a step.
  ///
  /// - Parameters:
  ///   - number: The number of the step in the file, from 1. A number that does not follow the last
  ///     one ends the recording, since no reader would accept the file.
  ///   - base: The store's last step before the file, for the message.
  ///   - time: The time since the beginning, in microseconds.
  ///   - body: Appends the body of the line, with the given time, which is never before that of the
  ///     previous step.
  @inline(__always)
  func add(
    _ number: Int, after base: Int, at time: Int64, digest: Digest?,
    _ body: (inout ByteBuffer, Int64) -> Void
  ) {
    let next = core.withLock { core -> Next in
      guard core.open else { return .nothing }
      guard number == core.step + 1 else {
        return .fail(core.stepsBefore + core.step, LogWriter.gap(core.step + base, number + base))
      }
      if keepsTail {
        core.tail.begin(after: digest == nil ? core.chain : nil)
        core.tailStart = digest == nil ? core.lines.bytes.count : nil
      }
      core.time = max(core.time, time)
      let time = core.time
      if let reason = core.append({ body(&$0, time) }) {
        core.tailStart = nil
        return .fail(core.stepsBefore + core.step, reason)
      }
      core.step = number
      core.digest = digest
      return plan(&core)
    }
    take(next)
  }

  /// Returns why the store's step `found` cannot be recorded after its step `last`.
  @inline(never)
  private static func gap(_ last: Int, _ found: Int) -> String {
    "step \(found) of the store follows step \(last): the recorder was attached late, missed a step, "
      + "or has two stores; attach it with store.record(to:info:...), or create it in setHooks with "
      + "that state and step as state and options.baseStep, and for one store"
  }

  /// Adds a line that is not a step. `body` receives the number of the last step.
  ///
  /// - Parameter mark: The name of the mark that the line is, if it is one.
  func add(mark: String? = nil, _ body: (_ n: Int, inout [UInt8]) -> Void) {
    let next = core.withLock { core -> Next in
      guard core.open else { return .nothing }
      var line: [UInt8] = []
      body(core.step, &line)
      if let reason = core.append({ $0.append(line) }) {
        return .fail(core.stepsBefore + core.step, reason)
      }
      if let mark { core.index.add(LogMark(n: core.stepsBefore + core.step, name: mark)) }
      return plan(&core)
    }
    take(next)
  }

  /// Returns whether to `keep` the state after a step of the file. Costs a comparison.
  @inline(__always)
  func wantsState(after number: Int) -> Bool { number >= nextKept.load(ordering: .relaxed) }

  /// Keeps the canonical state after the last step, which has a digest, for visits.
  func keep(_ state: UnsafeBufferPointer<UInt8>) {
    let state = Array(state)
    core.withLock { core in
      guard core.open, let digest = core.digest else { return }
      let position = LogPosition(
        offset: core.size, line: core.lineCount, chain: core.chain,
        validator: LogValidator(
          step: core.step, time: core.time, digest: digest, digestEvery: digestEvery))
      core.index.add(
        .init(
          step: core.stepsBefore + core.step,
          position: RotatedLogPosition(segment: core.segment, inFile: position), state: state))
      nextKept.store(core.index.snapshots.nextState - core.stepsBefore, ordering: .relaxed)
    }
  }

  /// The index of the recording, its last step, and the numbers of files and of steps before the
  /// newest file.
  var written: (index: WrittenIndex, step: Int, segment: Int, stepsBefore: Int) {
    core.withLock { core in
      (
        core.index, core.failed?.kept ?? core.stepsBefore + core.step, core.segment,
        core.stepsBefore
      )
    }
  }

  /// The action to take for the buffered lines.
  private enum Next: Sendable {
    case nothing, flush, handOver, plan
    /// A line cannot be written. The number is that of the step before it.
    case fail(Int, String)
  }

  @inline(__always)
  private func plan(_ core: inout Core) -> Next {
    if durability != .none || core.lines.bytes.count > LogWriter.hardLimit { return .flush }
    if core.lines.bytes.count > LogWriter.waitingLimit, !core.isFlushDue {
      core.isFlushDue = true
      return .handOver
    }
    if core.isFlushPlanned { return .nothing }
    core.isFlushPlanned = true
    return .plan
  }

  @inline(__always)
  private func take(_ next: Next) {
    switch next {
    case .nothing: break
    case .flush: flush()
    case .handOver: handOver()
    case .plan: planFlush()
    case .fail(let last, let reason): fail(last + 1, nil, reason)
    }
  }

  @inline(never)
  private func handOver() {
    queue.async { [weak self] in self?.flush() }
  }

  @inline(never)
  private func planFlush() {
    queue.asyncAfter(deadline: .now() + LogWriter.flushInterval) { [weak self] in
      guard let self else { return }
      core.withLock { $0.isFlushPlanned = false }
      flush()
    }
  }

  /// Whether the file is to be ended after the next step.
  @inline(__always)
  var isFull: Bool {
    guard let sizeLimit else { return false }
    return isOver(sizeLimit)
  }

  @inline(never)
  private func isOver(_ sizeLimit: Int) -> Bool {
    core.withLock { core in core.open && core.size >= max(sizeLimit, 2 * core.header) }
  }

  /// Ends the file after a step with a digest and begins the next one.
  ///
  /// - Parameter header: Returns the body of the next file's first line.
  /// - Returns: Whether the recording continues.
  func rotate(digest: Digest, header: (LogLink) -> [UInt8]) -> Bool {
    guard let rotation else { return true }
    var failure: LogOutput.Failure?
    var obstacle: (step: Int, reason: String)?
    let goesOn: Bool = output.withLock { output in
      // Under both locks, so that no line is added between the two files.
      core.withLock { core in
        guard core.open else { return false }
        let steps = core.stepsBefore + core.step
        let (ended, start) = (core.chain, core.lines.bytes.count)
        let end = LogEnd(n: core.step, digest: digest).body
        let refused = core.append { $0.append(end) }
        guard refused == nil, let sum = core.chain.previous else { return false }
        var line = header(LogLink(segment: core.segment + 1, steps: steps, sum: sum))
        var chain = HashChain()
        if let reason = SwiftBoardRecording.obstacle(toBody: line.count) {
          obstacle = (steps + 1, reason)
        } else {
          chain.appendChecksum(&line, from: 0)
          failure = output.prepare(rotation, header: line, step: steps + 1)
        }
        guard failure == nil, obstacle == nil else {
          // There is no next file, so this one has not ended.
          core.lines.bytes.removeAll(from: start)
          core.chain = ended
          return false
        }
        core.give(to: &output)
        failure = output.write()
        guard failure == nil else {
          output.abandon(rotation)
          return false
        }
        failure = output.rotate(rotation, size: line.count, step: steps + 1)
        guard failure == nil else { return false }
        core.chain = chain
        core.segment += 1
        core.stepsBefore = steps
        core.step = 0
        core.time = 0
        core.digest = digest
        core.size = line.count
        core.header = line.count
        core.lineCount = 1
        core.index.begin(file: core.segment, after: steps)
        nextKept.store(core.index.snapshots.nextState - steps, ordering: .relaxed)
        core.tail.begin(after: nil)
        core.tailStart = nil
        return true
      }
    }
    if let failure { fail(failure) }
    if let obstacle { fail(obstacle.step, nil, obstacle.reason) }
    return goesOn
  }

  func flush() {
    if let failure = flushed() { return fail(failure) }
    checkFile(always: false)
  }

  /// Ends the recording if its file was removed, renamed or replaced.
  func checkFile(always: Bool) {
    guard let path = output.withLock({ $0.missingName(always: always) }) else { return }
    lose(path)
  }

  private func lose(_ path: String) {
    fail(step + 1, nil, "\(path) was removed, renamed or replaced", isFileLost: true)
  }

  private func flushed() -> LogOutput.Failure? {
    output.withLock { output in
      core.withLock { $0.give(to: &output) }
      return output.write()
    }
  }

  /// Writes the end line and closes the file. `digest` returns the digest of the last state. It is
  /// called only if the last step has none.
  func stop(digest: () throws -> Digest?) {
    let isFirst = core.withLock { core in
      defer { core.open = false }
      return core.open
    }
    guard isFirst else { return }
    seemsOpen.store(false, ordering: .relaxed)
    defer { output.withLock { $0.close() } }
    if let path = output.withLock({ $0.missingName(always: true) }) { return lose(path) }
    if let failure = flushed() { return fail(failure) }

    // Nothing changes from here on.
    let (step, last, known, tail) = core.withLock { core in
      (core.step, core.stepsBefore + core.step, core.digest, core.tail)
    }
    if let known {
      core.withLock { core in
        _ = core.append { $0.append(LogEnd(n: step, digest: known).body) }
      }
      return flush()
    }
    do {
      guard let digest = try digest(), let before = tail.before else { return }
      var bodies = tail.bodies
      let old = LogWriter.checksummed(bodies, after: before)
      bodies[0].append(digest)
      if let reason = obstacle(toBody: bodies[0].count) { return fail(last + 1, nil, reason) }
      bodies.append(LogEnd(n: step, digest: digest).body)
      let new = LogWriter.checksummed(bodies, after: before)
      if let failure = output.withLock({ $0.replaceTail(old, with: new, step: last) }) {
        fail(failure)
      }
    } catch {
      fail(last, nil, codingReason(error), kept: last)
    }
  }

  private func fail(_ failure: LogOutput.Failure) {
    fail(failure.step, failure.error, kept: failure.kept)
  }

  /// Ends the recording without an end line. `step` is the first step that is not in the file.
  ///
  /// - Parameter kept: The last step that is in the file, if that is not the one before `step`.
  func fail(
    _ step: Int, _ error: LogIOError?, _ reason: String? = nil, kept: Int? = nil,
    isFileLost: Bool = false
  ) {
    var failure = RecordingFailure(
      step: step, io: error, reason: reason ?? error?.description ?? "unknown",
      isFileLost: isFileLost || error == .changed)
    seemsOpen.store(false, ordering: .relaxed)
    let isFirst = core.withLock { core in
      core.open = false
      guard core.failed == nil else { return false }
      core.failed = (failure, kept ?? step - 1)
      return true
    }
    guard isFirst else { return }
    // Lines added before an encoding error are still valid. After an I/O error this writes nothing.
    if let lost = flushed() {
      failure = RecordingFailure(
        step: lost.step, io: lost.error, reason: lost.error.description,
        isFileLost: lost.error == .changed)
      core.withLock { $0.failed = (failure, lost.kept) }
    }
    output.withLock { $0.close() }
    onFailure(failure)
  }

  private static func checksummed(_ bodies: [[UInt8]], after before: HashChain) -> [UInt8] {
    var (bytes, chain): ([UInt8], HashChain) = ([], before)
    for body in bodies {
      let start = bytes.count
      bytes.append(contentsOf: body)
      chain.appendChecksum(&bytes, from: start)
    }
    return bytes
  }
}
