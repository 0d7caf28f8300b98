import SwiftBoardJSON
import SwiftBoardStore
import Synchronization

/// Writes every step of a store to a log, from the moment it is attached.
///
/// Put `hooks` on the store whose state was given to the initialiser; no step may pass between the
/// two. A recorder never fails the store: when a line cannot be written, or a value cannot be
/// encoded, it stops, `failure` says where and why, `onFailure` is called once, and what was
/// written before stays a valid log.
///
/// Cost of a step: encoding the action, and the state where a digest is due, in the store's
/// critical section; then, unless the durability is `none`, one system call.
public final class Recorder<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
  @usableFromInline let core: StepRecorder
  @usableFromInline let actions: ValueEncoder<Action>
  @usableFromInline let states: ValueEncoder<State>
  @usableFromInline let endsRecording: (@Sendable (Action) -> Bool)?

  /// Begins a recording in a sink.
  ///
  /// - Parameters:
  ///   - state: The store's state now.
  ///   - rotation: Gives the next file where the options say that the recording rotates; nil: it
  ///     does not.
  ///   - journal: The journal that the generators draw through; nil if the reducer has none.
  ///   - clock: Microseconds from any origin, monotonic; called inside the store's critical
  ///     section.
  ///   - endsRecording: Whether an action is the one that will stop the recording, so that its step
  ///     has a digest whatever `digestEvery` says. Without it, pass the state to `stop`.
  ///   - onFailure: Called once, on the thread that noticed, which may be inside the store's
  ///     critical section: it must be quick and must not call the store.
  public init(
    sink: any LogSink, rotation: (any LogRotation)? = nil, info: RecordingInfo, state: State,
    options: RecordingOptions = .init(), journal: DrawJournal?,
    clock: @escaping @Sendable () -> Int64,
    endsRecording: (@Sendable (Action) -> Bool)? = nil,
    onFailure: @escaping @Sendable (StoreIssue) -> Void = { _ in }
  ) throws(RecordingError) {
    let canonical: [UInt8]
    do {
      canonical = try CanonicalEncoder.encode(state)
    } catch {
      throw .encoding("\(error)")
    }
    if let reason = canonical.withUnsafeBufferPointer({ obstacle(to: $0) }) {
      throw .encoding(reason)
    }
    let digest = Digest(of: canonical)
    let line = StepRecorder.header(info, options, canonical[...], digest)
    let base = options.baseStep
    let writer = try LogWriter(
      sink, header: line, digest: digest, options: options, rotation: rotation
    ) { failure in
      onFailure(
        StoreIssue(
          message: failure.description, location: SourceLocation(), step: failure.step + base))
    }
    core = StepRecorder(writer, info: info, options: options, journal: journal, clock: clock)
    actions = .make()
    states = .make()
    self.endsRecording = endsRecording
  }

  /// Begins a recording in a new file of mode 0600. An existing file is refused. A file that is
  /// removed, renamed or replaced meanwhile ends the recording, which is noticed within 50 ms of
  /// the next step, at `checkFile()` and at `stop`.
  ///
  /// - Parameter onWarning: Called once, as `onFailure` is, when rotation cannot remove a file that
  ///   it should not keep. The recording continues.
  public convenience init(
    path: String, info: RecordingInfo, state: State, options: RecordingOptions = .init(),
    journal: DrawJournal?, clock: @escaping @Sendable () -> Int64,
    endsRecording: (@Sendable (Action) -> Bool)? = nil,
    onFailure: @escaping @Sendable (StoreIssue) -> Void = { _ in },
    onWarning: @escaping @Sendable (StoreIssue) -> Void = { _ in }
  ) throws(RecordingError) {
    if options.rotation != nil, let number = FileRotation.numbers(of: path)?.last {
      throw .exists(path: "\(path).\(number)")
    }
    let sink = try FileSink(creating: path)
    let synchronizes = options.durability == .sync
    let rotation = options.rotation.map {
      FileRotation(
        path: path, keep: $0.keep, synchronizes: synchronizes,
        onKept: Self.kept(onWarning))
    }
    do throws(RecordingError) {
      try self.init(
        sink: sink, rotation: rotation, info: info, state: state, options: options,
        journal: journal, clock: clock,
        endsRecording: endsRecording, onFailure: onFailure)
    } catch {
      sink.remove(path)
      throw error
    }
    // Without it the file's name might not survive what its content survives.
    if synchronizes { try? FileRotation.syncFolder(of: path) }
  }

  /// Goes on with a recording that has no end line, such as a fork. The file must be as it was when
  /// `log` was made.
  ///
  /// Steps are numbered, times counted and digests spaced as in the log; `options.baseStep` is the
  /// store's last step nevertheless, 0 for a new store.
  ///
  /// - Parameter state: The store's state now, which must be the one after the log's last step.
  package init(
    continuing log: LogContinuation, path: String, state: State,
    options: RecordingOptions = .init(), journal: DrawJournal?,
    clock: @escaping @Sendable () -> Int64,
    endsRecording: (@Sendable (Action) -> Bool)? = nil,
    onFailure: @escaping @Sendable (StoreIssue) -> Void = { _ in },
    onWarning: @escaping @Sendable (StoreIssue) -> Void = { _ in }
  ) throws(RecordingError) {
    var options = options
    options.digestEvery = log.header.digestEvery ?? 1
    if let expected = log.digest {
      let found: Digest
      do {
        found = Digest(of: try CanonicalEncoder.encode(state))
      } catch {
        throw .encoding("\(error)")
      }
      guard found == expected else { throw .state(expected: expected, found: found) }
    }
    let segment = LogLink(log.header)?.segment ?? 0
    if options.rotation != nil, let number = FileRotation.numbers(of: path)?.last, number != segment
    {
      throw .exists(path: "\(path).\(number)")
    }
    var end: [UInt8] = []
    log.chain.previous?.append(to: &end)
    end += HashChain.closing + [0x0A]
    let sink = try FileSink(continuing: path, size: log.size, end: end)
    let rotation = options.rotation.map {
      FileRotation(
        path: path, keep: $0.keep, synchronizes: options.durability == .sync,
        existing: segment > 0 ? FileRotation.numbers(of: path) ?? [segment] : [],
        onKept: Self.kept(onWarning)
      )
    }
    let base = options.baseStep
    let writer = LogWriter(
      sink, continuing: log, options: options, rotation: rotation, segment: segment
    ) { failure in
      onFailure(
        StoreIssue(
          message: failure.description, location: SourceLocation(), step: failure.step + base))
    }
    core = StepRecorder(
      writer, info: RecordingInfo(log.header), options: options, journal: journal, clock: clock,
      earlier: (log.step, log.time))
    actions = .make()
    states = .make()
    self.endsRecording = endsRecording
  }

  private static func kept(
    _ onWarning: @escaping @Sendable (StoreIssue) -> Void
  ) -> @Sendable (String, LogIOError) -> Void {
    { path, error in
      onWarning(
        StoreIssue(
          message: "\(path) cannot be removed (\(error)): it is kept, and so are newer files",
          location: SourceLocation(), step: 0))
    }
  }

  /// The taps to put on the store. They keep the recorder alive.
  @inlinable
  public var hooks: StepHooks<State, Action> {
    var willReduce: (@Sendable (Int) -> Void)?
    if let journal = core.journal { willReduce = { _ in journal.beginReduction() } }
    return StepHooks(
      willReduce: willReduce,
      didReduce: { [self] step, state in record(step, state) },
      issue: { [core] issue in core.record(issue) })
  }

  @inlinable
  func record(_ step: borrowing Step<Action>, _ state: borrowing State) {
    let isLast = endsRecording?(step.action) ?? false
    switch core.begin(step.number, isLast: isLast) {
    case .closed: break
    case .taken: record(step, state, core.scratch)
    case .inUse: recordWithin(step, state, isLast: isLast)
    }
  }

  /// A step that comes while another is encoded.
  @inlinable
  @inline(never)
  func recordWithin(_ step: borrowing Step<Action>, _ state: borrowing State, isLast: Bool) {
    let scratch = StepRecorder.makeScratch()
    defer { StepRecorder.free(scratch) }
    core.prepare(scratch, step.number, isLast: isLast)
    record(step, state, scratch)
  }

  @inlinable
  func record(
    _ step: borrowing Step<Action>, _ state: borrowing State,
    _ scratch: UnsafeMutablePointer<StepScratch>
  ) {
    do {
      try actions.encode(step.action, &scratch.pointee.action)
      if scratch.pointee.wantsState { try states.encode(state, &scratch.pointee.state) }
    } catch {
      return core.fail(scratch, error)
    }
    if step.isBare {
      core.end(scratch, step.number)
    } else {
      core.end(scratch, step.number, step.origin, step.effects)
    }
  }

  /// The last step in the recording, from 1, all its files counted; 0 before the first.
  public var step: Int { core.writer.step }

  /// Whether lines are still taken: false after `stop` and after a failure.
  public var isRecording: Bool { core.writer.isOpen }

  /// Why the recording ended by itself; nil while all is well.
  public var failure: RecordingFailure? { core.writer.failure }

  /// Names the state after the last step.
  public func mark(_ name: String) {
    core.writer.add { n, bytes in LogMark(n: n, name: name).appendBody(to: &bytes) }
  }

  /// Ends the recording where its file is not under its name any more; `failure` and `onFailure`
  /// say so. Not to be called inside the store's critical section. Two system calls.
  public func checkFile() {
    core.writer.checkFile(always: true)
  }

  /// Writes what waits. For signals and ends of programs; `.flush` and `.sync` have nothing
  /// waiting.
  public func flush() {
    core.writer.flush()
  }

  /// Ends the recording with its last line and closes the file. Later steps are not recorded; a
  /// second call does nothing. May be called from an observer and from any thread, but not inside
  /// the store's critical section.
  ///
  /// - Parameter state: The state after the last recorded step. Only read where that step has no
  ///   digest because of `digestEvery`; without it such a recording ends without an end line, which
  ///   readers report as cut short.
  public func stop(state: State? = nil) {
    core.writer.stop { try state.map { Digest(of: try CanonicalEncoder.encode($0)) } }
  }
}
