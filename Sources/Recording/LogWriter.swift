import Dispatch
import SwiftBoardStore
import Synchronization

/// The part of a recorder that knows no type of the program: lines with their numbers and sums, when they are written, and how a
/// recording ends.
final class LogWriter: Sendable {
  /// A step whose action and state are encoded already.
  struct EncodedStep {
    /// In the file, from 1.
    let number: Int
    let origin: StepOrigin
    let action: UnsafeBufferPointer<UInt8>
    let draws: [LoggedDraw]
    let effects: [LogEffect]
    let digest: Digest?
    /// Microseconds since the beginning.
    let time: Int64
  }

  /// Bytes that may wait under `.none` before the reducing thread writes them itself.
  private static let waitingLimit = 1 << 20
  private static let flushInterval = DispatchTimeInterval.milliseconds(40)

  private struct Core {
    var chain: SumChain
    /// The last step in the file.
    var step = 0
    /// Steps and numbered files before the file.
    var stepsBefore = 0
    var part = 0
    /// Bytes of the file, of its header, and how many it may have.
    var size: Int
    var header: Int
    var time: Int64 = 0
    /// Of the state after `step`; nil where that step has none.
    var digest: Digest?
    var open = true
    var failure: RecordingFailure?
    /// A last step without a digest, and what stands behind it: what `stop` completes.
    var tail = LineTail()
  }

  private let core: Mutex<Core>
  private let output: LogOutput
  private let durability: RecordingOptions.Durability
  private let keepsTail: Bool
  private let rotation: (any LogRotation)?
  private let sizeLimit: Int?
  private let onFailure: @Sendable (RecordingFailure) -> Void
  private let queue = DispatchQueue(label: "swiftboard.recorder", qos: .utility)

  /// `header` is the first line's body and `digest` its state's.
  init(
    _ sink: any LogSink, header: [UInt8], digest: Digest, options: RecordingOptions,
    rotation: (any LogRotation)?,
    onFailure: @escaping @Sendable (RecordingFailure) -> Void
  ) throws(RecordingError) {
    var chain = SumChain()
    output = LogOutput(sink, synchronizes: options.durability == .sync)
    let first = output.append(step: 0) { bytes in
      bytes.append(header)
      chain.seal(&bytes, from: 0)
    }
    core = Mutex(Core(chain: chain, size: first.bytes, header: first.bytes, digest: digest))
    self.rotation = rotation
    sizeLimit = rotation == nil ? nil : options.rotation?.size
    durability = options.durability
    keepsTail = options.digestEvery > 1
    self.onFailure = onFailure
    if let failure = output.flush() {
      output.close()
      throw .io(failure.error)
    }
  }

  /// Writes on where a log ended.
  ///
  /// - Parameter part: The number of the last ended file of a rotated recording.
  init(
    _ sink: any LogSink, continuing log: LogContinuation, options: RecordingOptions,
    rotation: (any LogRotation)?, part: Int,
    onFailure: @escaping @Sendable (RecordingFailure) -> Void
  ) {
    output = LogOutput(sink, synchronizes: options.durability == .sync, size: log.size)
    core = Mutex(
      Core(
        chain: log.chain, step: log.step, stepsBefore: LogLink(log.header)?.steps ?? 0,
        part: part, size: log.size, header: 0, time: log.time, digest: log.digest, tail: log.tail))
    durability = options.durability
    keepsTail = options.digestEvery > 1
    self.rotation = rotation
    sizeLimit = rotation == nil ? nil : options.rotation?.size
    self.onFailure = onFailure
  }

  deinit { _ = output.flush() }

  /// The last step in the recording, all files counted.
  var step: Int { core.withLock { $0.stepsBefore + $0.step } }
  var isOpen: Bool { core.withLock { $0.open } }
  var failure: RecordingFailure? { core.withLock { $0.failure } }

  func add(_ step: EncodedStep) {
    let waiting: LogOutput.Waiting? = core.withLock { core in
      guard core.open else { return nil }
      core.time = max(core.time, step.time)
      core.step = step.number
      core.digest = step.digest
      if keepsTail { core.tail.begin(after: step.digest == nil ? core.chain : nil) }
      // Within the lock, so that lines of several threads stand in the order of their sums.
      return output.append(step: core.stepsBefore + step.number) { bytes in
        let start = bytes.count
        defer { core.size += bytes.count - start }
        LogStep.appendBody(
          to: &bytes, n: step.number, t: core.time, origin: step.origin, draws: step.draws,
          effects: step.effects, digest: step.digest, action: step.action)
        if keepsTail { core.tail.add(bytes.bytes(from: start)) }
        core.chain.seal(&bytes, from: start)
      }
    }
    if let waiting { write(waiting) }
  }

  /// Adds a line that is no step; `body` gets the number of the last one.
  func add(_ body: (_ n: Int, inout [UInt8]) -> Void) {
    let waiting: LogOutput.Waiting? = core.withLock { core in
      guard core.open else { return nil }
      return output.append(step: core.stepsBefore + core.step) { bytes in
        let start = bytes.count
        defer { core.size += bytes.count - start }
        var line: [UInt8] = []
        body(core.step, &line)
        bytes.append(line)
        if keepsTail { core.tail.add(bytes.bytes(from: start)) }
        core.chain.seal(&bytes, from: start)
      }
    }
    if let waiting { write(waiting) }
  }

  private func write(_ waiting: LogOutput.Waiting) {
    if durability != .none || waiting.bytes > LogWriter.waitingLimit {
      flush()
    } else if waiting.isFirst {
      queue.asyncAfter(deadline: .now() + LogWriter.flushInterval) { [weak self] in self?.flush() }
    }
  }

  /// Whether the file is to be ended behind the next step.
  var isFull: Bool {
    guard let sizeLimit else { return false }
    return core.withLock { core in core.open && core.size >= max(sizeLimit, 2 * core.header) }
  }

  /// Ends the file behind a step with a digest and begins the next one.
  ///
  /// - Parameter header: Gives the body of its first line.
  /// - Returns: Whether the recording goes on.
  func rotate(digest: Digest, header: (LogLink) -> [UInt8]) -> Bool {
    guard let rotation else { return true }
    var failure: LogOutput.Failure?
    let goesOn: Bool = core.withLock { core in
      guard core.open else { return false }
      let steps = core.stepsBefore + core.step
      _ = output.append(step: steps) { bytes in
        let start = bytes.count
        bytes.append(LogEnd(n: core.step, digest: digest).body)
        core.chain.seal(&bytes, from: start)
      }
      guard let sum = core.chain.previous else { return false }
      var line = header(LogLink(part: core.part + 1, steps: steps, sum: sum))
      var chain = SumChain()
      chain.seal(&line, from: 0)
      // Within the lock: no line may fall between the two files.
      failure = output.rotate(rotation, header: line, step: steps + 1)
      guard failure == nil else { return false }
      core.chain = chain
      core.part += 1
      core.stepsBefore = steps
      core.step = 0
      core.time = 0
      core.digest = digest
      core.size = line.count
      core.header = line.count
      core.tail.begin(after: nil)
      return true
    }
    if let failure { fail(failure.step, failure.error) }
    return goesOn
  }

  func flush() {
    if let failure = output.flush() { fail(failure.step, failure.error) }
  }

  /// Writes the end line and closes. `digest` gives the last state's digest; it is asked only where the last step has none.
  func stop(digest: () throws -> Digest?) {
    let ending: Core? = core.withLock { core in
      guard core.open else { return nil }
      core.open = false
      return core
    }
    guard let ending else { return }
    defer { output.close() }
    if let failure = output.flush() { return fail(failure.step, failure.error) }

    let last = ending.stepsBefore + ending.step
    if let digest = ending.digest {
      var chain = ending.chain
      _ = output.append(step: last) { bytes in
        let start = bytes.count
        bytes.append(LogEnd(n: ending.step, digest: digest).body)
        chain.seal(&bytes, from: start)
      }
      return flush()
    }
    do {
      guard let digest = try digest(), let before = ending.tail.before else { return }
      var bodies = ending.tail.bodies
      let old = LogWriter.sealed(bodies, after: before)
      bodies[0].append(digest)
      bodies.append(LogEnd(n: ending.step, digest: digest).body)
      let new = LogWriter.sealed(bodies, after: before)
      if let failure = output.replaceTail(old, with: new, step: last) {
        fail(failure.step, failure.error)
      }
    } catch {
      fail(last, nil, "\(error)")
    }
  }

  /// Ends the recording where it is. `step` is the first that is not in the file.
  func fail(_ step: Int, _ error: LogIOError?, _ reason: String? = nil) {
    let failure = RecordingFailure(
      step: step, io: error, reason: reason ?? error?.description ?? "unknown")
    let isFirst = core.withLock { core in
      core.open = false
      guard core.failure == nil else { return false }
      core.failure = failure
      return true
    }
    guard isFirst else { return }
    // What was collected before an encoding error is still good; after an I/O error this writes nothing.
    _ = output.flush()
    output.close()
    onFailure(failure)
  }

  private static func sealed(_ bodies: [[UInt8]], after before: SumChain) -> [UInt8] {
    var (bytes, chain): ([UInt8], SumChain) = ([], before)
    for body in bodies {
      let start = bytes.count
      bytes.append(contentsOf: body)
      chain.seal(&bytes, from: start)
    }
    return bytes
  }
}
