import SwiftBoardJSON
import SwiftBoardStore
import Synchronization

/// Writes every step of a store to a log, from the moment it is attached.
///
/// Put `hooks` on the store whose state was given to the initialiser; no step may pass between the two. A recorder never fails
/// the store: when a line cannot be written, or a value cannot be encoded, it stops, `failure` says where and why,
/// `onFailure` is called once, and what was written before stays a valid log.
///
/// Cost of a step: encoding the action, and the state where a digest is due, in the store's critical section; then, unless the
/// durability is `none`, one system call.
public final class Recorder<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
  private let writer: LogWriter
  private let options: RecordingOptions
  private let journal: DrawJournal?
  private let began: Int64
  private let clock: @Sendable () -> Int64
  private let endsRecording: @Sendable (Action) -> Bool
  /// Room for an action and a state, reused from step to step.
  private let scratch = Mutex<[UInt8]>([])

  /// Begins a recording in a sink.
  ///
  /// - Parameters:
  ///   - state: The store's state now.
  ///   - journal: The journal that the generators draw through; nil where the reducer has none.
  ///   - clock: Microseconds from any origin, monotonic; called inside the store's critical section.
  ///   - endsRecording: Whether an action is the one that will stop the recording, so that its step has a digest whatever
  ///     `digestEvery` says. Without it, pass the state to `stop`.
  ///   - onFailure: Called once, on the thread that noticed, which may be inside the store's critical section: it must be
  ///     quick and must not call the store.
  public init(
    sink: any LogSink, info: RecordingInfo, state: State, options: RecordingOptions = .init(),
    journal: DrawJournal?, clock: @escaping @Sendable () -> Int64,
    endsRecording: @escaping @Sendable (Action) -> Bool = { _ in false },
    onFailure: @escaping @Sendable (StoreIssue) -> Void = { _ in }
  ) throws(RecordingError) {
    let canonical: [UInt8]
    do {
      canonical = try CanonicalEncoder.encode(state)
    } catch {
      throw .encoding("\(error)")
    }
    if let reason = obstacle(to: canonical[...]) { throw .encoding(reason) }
    let header = LogHeader(
      schema: info.schema, created: info.created, environment: info.environment,
      locale: info.locale, timeZone: info.timeZone, seed: info.seed, state: .null,
      digest: Digest(of: canonical),
      digestEvery: options.digestEvery > 1 ? options.digestEvery : nil, redacted: info.redacted)
    var line: [UInt8] = []
    header.appendBody(to: &line, state: canonical[...])

    let base = options.baseStep
    writer = try LogWriter(sink, header: line, digest: header.digest, options: options) { failure in
      onFailure(
        StoreIssue(
          message: failure.description, location: SourceLocation(), step: failure.step + base))
    }
    self.options = options
    self.journal = journal
    self.clock = clock
    self.began = clock()
    self.endsRecording = endsRecording
  }

  /// Begins a recording in a new file of mode 0600. An existing file is refused.
  public convenience init(
    path: String, info: RecordingInfo, state: State, options: RecordingOptions = .init(),
    journal: DrawJournal?, clock: @escaping @Sendable () -> Int64,
    endsRecording: @escaping @Sendable (Action) -> Bool = { _ in false },
    onFailure: @escaping @Sendable (StoreIssue) -> Void = { _ in }
  ) throws(RecordingError) {
    let sink: FileSink
    do throws(FileSink.OpenError) {
      sink = try FileSink(creating: path)
    } catch {
      throw .file(error)
    }
    do throws(RecordingError) {
      try self.init(
        sink: sink, info: info, state: state, options: options, journal: journal, clock: clock,
        endsRecording: endsRecording, onFailure: onFailure)
    } catch {
      sink.remove(path)
      throw error
    }
  }

  /// The taps to put on the store. They keep the recorder alive.
  public var hooks: StepHooks<State, Action> {
    StepHooks(
      willReduce: { [journal] _ in journal?.beginReduction() },
      didReduce: { [self] step, state in record(step, state) },
      issue: { [self] issue in record(issue) })
  }

  /// The last step in the recording, from 1; 0 before the first.
  public var step: Int { writer.step }

  /// Whether lines are still taken: false after `stop` and after a failure.
  public var isRecording: Bool { writer.isOpen }

  /// Why the recording ended by itself; nil while all is well.
  public var failure: RecordingFailure? { writer.failure }

  /// Names the state after the last step.
  public func mark(_ name: String) {
    writer.add { n, bytes in LogMark(n: n, name: name).appendBody(to: &bytes) }
  }

  /// Writes what waits. For signals and ends of programs; `.flush` and `.sync` have nothing waiting.
  public func flush() {
    writer.flush()
  }

  /// Ends the recording with its last line and closes the file. Later steps are not recorded; a second call does nothing. May
  /// be called from an observer and from any thread, but not inside the store's critical section.
  ///
  /// - Parameter state: The state after the last recorded step. Only read where that step has no digest because of
  ///   `digestEvery`; without it such a recording ends without an end line, which readers report as cut short.
  public func stop(state: State? = nil) {
    writer.stop { try state.map { Digest(of: try CanonicalEncoder.encode($0)) } }
  }

  private func record(_ step: Step<Action>, _ state: borrowing State) {
    let draws = journal?.endReduction() ?? []
    guard writer.isOpen else { return }
    let number = step.number - options.baseStep
    let isSnapshot = options.snapshotEvery.map { number.isMultiple(of: $0) } ?? false
    let needsDigest =
      isSnapshot || number.isMultiple(of: options.digestEvery) || endsRecording(step.action)
    var bytes: [UInt8] = []
    scratch.withLock { swap(&bytes, &$0) }
    bytes.removeAll(keepingCapacity: true)
    let end: Int
    var digest: Digest?
    do {
      // User code runs here, under no lock of ours.
      try CanonicalEncoder.encode(step.action, into: &bytes)
      end = bytes.count
      if needsDigest {
        try CanonicalEncoder.encode(copy state, into: &bytes)
        digest = Digest(of: bytes[end...])
      }
    } catch {
      return writer.fail(number, nil, "\(error)")
    }
    if let reason = obstacle(to: bytes[..<end]) { return writer.fail(number, nil, reason) }
    writer.add(
      LogWriter.EncodedStep(
        number: number, origin: origin(step.origin), action: bytes[..<end], draws: draws,
        effects: step.effects.isEmpty ? [] : step.effects.map(LogEffect.init), digest: digest,
        time: clock() - began))
    if isSnapshot, let digest {
      let canonical = bytes[end...]
      if let reason = obstacle(to: canonical) { return writer.fail(number + 1, nil, reason) }
      writer.add { n, line in
        LogSnapshot.appendBody(to: &line, n: n, digest: digest, state: canonical)
      }
    }
    scratch.withLock { swap(&bytes, &$0) }
  }

  private func record(_ issue: StoreIssue) {
    let issue = (
      message: issue.message, file: issue.location.fileID.description, line: issue.location.line
    )
    writer.add { n, bytes in
      LogIssue(n: n, message: issue.message, file: issue.file, line: Int(issue.line))
        .appendBody(to: &bytes)
    }
  }

  private func origin(_ origin: StepOrigin) -> StepOrigin {
    guard case .effect(let name, let id, let step) = origin else { return origin }
    return .effect(name: name, id: id, step: max(0, step - options.baseStep))
  }
}
