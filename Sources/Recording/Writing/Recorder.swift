import SwiftBoardJSON
import SwiftBoardStore

/// Writes every step of a store to a log, from the time it is attached.
///
/// `Store.record` creates a recorder and attaches it to the store, so that no step is lost.
/// Otherwise create it in `Store.setHooks`, which has the state and the number of the last step,
/// and return its `hooks`. A recorder has one store. A step that does not follow the last one ends
/// the recording, since no reader would accept the file. So does `Store.setHooks` with other hooks.
///
/// A recorder never fails the store. If a line cannot be written or a
/// value cannot be encoded, it stops, sets `failure`, and calls `onFailure` once. The lines written
/// before remain a valid log.
///
/// A replay reduces the actions that the log has, which are not always those that were sent. The
/// log has dates in whole microseconds, -0 as 0 and a URL without its base, and a `JSON` value in
/// canonical form: sorted members, and `1.0` as `1`. Of any other value it has what its `Codable`
/// conformance writes. The first date of more than microseconds, -0, or URL with a base is an issue
/// in the log and a call of `onWarning`. Round dates with `roundedToMicroseconds()`, and use the
/// `absoluteURL` of a URL, before they enter an action or the initial state.
///
/// A step costs encoding the action, and the state if a digest is due, in the store's critical
/// section. Then, unless the durability is `none`, it costs one system call. Of the states that it
/// encodes, a recorder keeps up to 512 in at most 16 MiB, so that `navigator` finds any step soon.
public final class Recorder<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
  @usableFromInline let core: StepRecorder
  @usableFromInline let actions: ValueEncoder<Action>
  @usableFromInline let states: ValueEncoder<State>
  @usableFromInline let endsRecording: (@Sendable (Action) -> Bool)?

  /// Begins a recording in a sink.
  ///
  /// - Parameters:
  ///   - state: The current state of the store.
  ///   - rotation: The provider of the next files if the options enable rotation, or `nil` for no
  ///     rotation.
  ///   - journal: The journal that the generators draw through, or `nil` if the reducer has none.
  ///   - clock: Returns monotonic microseconds from any origin. Called inside the store's critical
  ///     section.
  ///   - endsRecording: Returns whether an action will stop the recording. The step of that action
  ///     has a digest regardless of `digestEvery`. Without this parameter, pass the state to
  ///     `stop`.
  ///   - fileID: The file of the location that `onFailure` and `onWarning` report, by default that
  ///     of the call, like `line`.
  ///   - onFailure: Called once, on the thread that detected the failure, possibly inside the
  ///     store's critical section. It must be fast and must not call the store.
  ///   - onWarning: Called once, like `onFailure`, for the first value that the log does not have
  ///     exactly. The recording continues.
  public convenience init(
    sink: any LogSink, rotation: (any LogRotation)? = nil, info: RecordingInfo, state: State,
    options: RecordingOptions = .init(), journal: DrawJournal?,
    clock: @escaping @Sendable () -> Int64,
    endsRecording: (@Sendable (Action) -> Bool)? = nil,
    fileID: StaticString = #fileID, line: UInt32 = #line,
    onFailure: @escaping @Sendable (StoreIssue) -> Void = { _ in },
    onWarning: @escaping @Sendable (StoreIssue) -> Void = { _ in }
  ) throws(RecordingError) {
    try self.init(
      info: info, state: state, options: options, journal: journal, clock: clock,
      endsRecording: endsRecording, location: SourceLocation(fileID: fileID, line: line),
      onFailure: onFailure, onWarning: onWarning
    ) { () throws(RecordingError) in (sink, rotation) }
  }

  /// - Parameter open: Called when the header has been encoded, which takes the longest. A process
  ///   that ends before leaves no empty file.
  private init(
    info: RecordingInfo, state: State, options: RecordingOptions, journal: DrawJournal?,
    clock: @escaping @Sendable () -> Int64,
    endsRecording: (@Sendable (Action) -> Bool)?, location: SourceLocation,
    onFailure: @escaping @Sendable (StoreIssue) -> Void,
    onWarning: @escaping @Sendable (StoreIssue) -> Void,
    open: () throws(RecordingError) -> (sink: any LogSink, rotation: (any LogRotation)?)
  ) throws(RecordingError) {
    let canonical: [UInt8]
    let rounded: RoundedValue?
    do {
      (canonical, rounded) = try CanonicalEncoder.encodeFindingRounding(state)
    } catch {
      throw .encoding(codingReason(error))
    }
    if let reason = canonical.withUnsafeBufferPointer({ obstacle(to: $0) }) {
      throw .encoding(reason)
    }
    let digest = Digest(of: canonical)
    try Self.check(StepRecorder.header(info, options, Array("null".utf8)[...], digest))
    let line = StepRecorder.header(info, options, canonical[...], digest)
    let base = options.baseStep
    let (sink, rotation) = try open()
    let writer = try LogWriter(
      sink, header: line, digest: digest, options: options, rotation: rotation,
      onFailure: Self.issues(onFailure, location, base))
    core = StepRecorder(
      writer, info: info, options: options, journal: journal, clock: clock, location: location,
      onWarning: onWarning)
    actions = .make()
    states = .make()
    self.endsRecording = endsRecording
    if let rounded { core.warn(of: rounded, in: .state, base) }
  }

  /// Begins a recording in a new file of mode 0600. Fails if the file exists.
  ///
  /// If the file is removed, renamed or replaced, the recording ends. This is detected within 50 ms
  /// of the next step, in `checkFile()` and in `stop`.
  ///
  /// - Parameter onWarning: Called like `onFailure`, once if rotation cannot remove a file, and
  ///   once for the first value that the log does not have exactly. The recording continues.
  public convenience init(
    path: String, info: RecordingInfo, state: State, options: RecordingOptions = .init(),
    journal: DrawJournal?, clock: @escaping @Sendable () -> Int64,
    endsRecording: (@Sendable (Action) -> Bool)? = nil,
    fileID: StaticString = #fileID, line: UInt32 = #line,
    onFailure: @escaping @Sendable (StoreIssue) -> Void = { _ in },
    onWarning: @escaping @Sendable (StoreIssue) -> Void = { _ in }
  ) throws(RecordingError) {
    if options.rotation != nil, let obstacle = FileRotation.obstacle(at: path) {
      throw .exists(path: obstacle)
    }
    let location = SourceLocation(fileID: fileID, line: line)
    let synchronizes = options.durability == .sync
    let rotation = options.rotation.map {
      FileRotation(
        path: path, keep: $0.keep, synchronizes: synchronizes,
        onKept: Self.kept(onWarning, location))
    }
    var created: FileSink?
    do throws(RecordingError) {
      try self.init(
        info: info, state: state, options: options, journal: journal, clock: clock,
        endsRecording: endsRecording, location: location, onFailure: onFailure,
        onWarning: onWarning
      ) { () throws(RecordingError) in
        let sink = try FileSink(creating: path)
        created = sink
        return (sink, rotation)
      }
    } catch {
      created?.remove(path)
      throw error
    }
    // Otherwise the file's name might be lost although its content survives.
    if synchronizes { try? FileRotation.syncFolder(of: path) }
  }

  /// Continues a recording that has no end line, such as a fork. The file must not have changed
  /// since `log` was created.
  ///
  /// Step numbers, times and the intervals of digests continue those of the log. `options.baseStep`
  /// is still the last step of the store, 0 for a new store.
  ///
  /// - Parameter state: The current state of the store, which must be the one after the log's last
  ///   step. `nil` if no step follows, so that there is nothing to check.
  package init(
    continuing log: LogContinuation, path: String, state: State?,
    options: RecordingOptions = .init(), journal: DrawJournal?,
    clock: @escaping @Sendable () -> Int64,
    endsRecording: (@Sendable (Action) -> Bool)? = nil,
    fileID: StaticString = #fileID, line: UInt32 = #line,
    onFailure: @escaping @Sendable (StoreIssue) -> Void = { _ in },
    onWarning: @escaping @Sendable (StoreIssue) -> Void = { _ in }
  ) throws(RecordingError) {
    var options = options
    options.digestEvery = log.header.digestEvery ?? 1
    if let expected = log.digest, let state {
      let found: Digest
      do {
        found = Digest(of: try CanonicalEncoder.encode(state))
      } catch {
        throw .encoding(codingReason(error))
      }
      guard found == expected else { throw .state(expected: expected, found: found) }
    }
    let segment = LogLink(log.header)?.segment ?? 0
    var ended = options.rotation.map { _ in FileRotation.numbers(of: path) ?? [] } ?? []
    if let number = ended.last, number != segment { throw .exists(path: "\(path).\(number)") }
    // A fork has its file's number, and none of the files before it.
    if ended.isEmpty, segment > 0 { ended = [segment] }
    var end: [UInt8] = []
    log.chain.previous?.append(to: &end)
    end += HashChain.closing + [0x0A]
    let location = SourceLocation(fileID: fileID, line: line)
    let sink = try FileSink(continuing: path, size: log.size, end: end)
    let rotation = options.rotation.map {
      FileRotation(
        path: path, keep: $0.keep, synchronizes: options.durability == .sync,
        existing: ended, onKept: Self.kept(onWarning, location))
    }
    let writer = LogWriter(
      sink, continuing: log, options: options, rotation: rotation, segment: segment,
      onFailure: Self.issues(onFailure, location, options.baseStep))
    core = StepRecorder(
      writer, info: RecordingInfo(log.header), options: options, journal: journal, clock: clock,
      earlier: (log.step, log.time), location: location, onWarning: onWarning)
    actions = .make()
    states = .make()
    self.endsRecording = endsRecording
  }

  /// Checks that readers accept a header, which is given without its state.
  private static func check(_ header: [UInt8]) throws(RecordingError) {
    var line = header
    var chain = HashChain()
    chain.appendChecksum(&line, from: 0)
    do throws(LogReadError) {
      _ = try LogLineParser.parse(line.dropLast()[...])
    } catch {
      guard case .damage(let damage) = error else { throw .header(error.description) }
      throw .header("\(damage.message) (expected \(damage.expected), found \(damage.found))")
    }
  }

  private static func issues(
    _ onFailure: @escaping @Sendable (StoreIssue) -> Void, _ location: SourceLocation, _ base: Int
  ) -> @Sendable (RecordingFailure) -> Void {
    { failure in
      onFailure(
        StoreIssue(
          message: failure.description, location: location, step: failure.step + base))
    }
  }

  private static func kept(
    _ onWarning: @escaping @Sendable (StoreIssue) -> Void, _ location: SourceLocation
  ) -> @Sendable (String, LogIOError) -> Void {
    { path, error in
      onWarning(
        StoreIssue(
          message: "\(path) cannot be removed (\(error)): it is kept, and so are newer files",
          location: location, step: 0))
    }
  }

  /// The hooks to install on the store. They keep the recorder alive.
  @inlinable
  public var hooks: StepHooks<State, Action> {
    var willReduce: (@Sendable (Int) -> Void)?
    if let journal = core.journal { willReduce = { _ in journal.beginReduction() } }
    var hooks = StepHooks<State, Action>(
      willReduce: willReduce,
      didReduce: { [self] step, state in record(step, state) },
      issue: { [core] issue in core.record(issue) })
    hooks.attachment = RecorderAttachment(recorder: self, others: nil)
    return hooks
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

  /// Records a step that occurs while another one is encoded.
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

  /// The number of the last step in the recording, from 1 and across all files, or 0 before the
  /// first.
  public var step: Int { core.writer.step }

  /// Whether the recorder writes lines. It is `false` after `stop` and after a failure.
  public var isRecording: Bool { core.writer.isOpen }

  /// The failure that ended the recording, or `nil` if there was none.
  public var failure: RecordingFailure? { core.writer.failure }

  /// Names the state after the last step.
  public func mark(_ name: String) {
    core.writer.add(mark: name) { n, bytes in LogMark(n: n, name: name).appendBody(to: &bytes) }
  }

  /// The marks of the recording, with step numbers of the whole: at most 10 000, and none of files
  /// that rotation has removed.
  package var marks: [LogMark] { core.writer.written.index.marks }

  /// Ends the recording if its file was removed, renamed or replaced. This sets `failure` and calls
  /// `onFailure`. Must not be called inside the store's critical section. Costs two system calls.
  public func checkFile() {
    core.writer.checkFile(always: true)
  }

  /// Writes buffered lines. Call this when the program receives a signal or exits. With `.flush`
  /// and `.sync`, no lines are buffered.
  public func flush() {
    core.writer.flush()
  }

  /// Ends the recording with an end line and closes the file. Later steps are not recorded. A
  /// second call does nothing. May be called from an observer and from any thread, but not inside
  /// the store's critical section.
  ///
  /// - Parameter state: The state after the last recorded step. Only used if that step has no
  ///   digest because of `digestEvery`. In that case, without a state, the recording has no end
  ///   line, and readers report it as cut short.
  public func stop(state: State? = nil) {
    core.writer.stop { try state.map { Digest(of: try CanonicalEncoder.encode($0)) } }
  }
}
