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
  private let info: RecordingInfo
  private let clock: @Sendable () -> Int64
  private let endsRecording: @Sendable (Action) -> Bool
  private let file: Mutex<File>

  private struct File {
    /// The store's last step before the file.
    var base: Int
    /// When the recording began, and when the file did, by the clock.
    let recordingBegan: Int64
    var began: Int64
    /// Room for an action and a state, reused from step to step.
    var scratch: [UInt8] = []
  }

  /// Begins a recording in a sink.
  ///
  /// - Parameters:
  ///   - state: The store's state now.
  ///   - rotation: Gives the next file where the options say that the recording rotates; nil: it does not.
  ///   - journal: The journal that the generators draw through; nil where the reducer has none.
  ///   - clock: Microseconds from any origin, monotonic; called inside the store's critical section.
  ///   - endsRecording: Whether an action is the one that will stop the recording, so that its step has a digest whatever
  ///     `digestEvery` says. Without it, pass the state to `stop`.
  ///   - onFailure: Called once, on the thread that noticed, which may be inside the store's critical section: it must be
  ///     quick and must not call the store.
  public init(
    sink: any LogSink, rotation: (any LogRotation)? = nil, info: RecordingInfo, state: State,
    options: RecordingOptions = .init(), journal: DrawJournal?,
    clock: @escaping @Sendable () -> Int64,
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
    let digest = Digest(of: canonical)
    let line = Recorder.header(info, options, canonical[...], digest)

    let base = options.baseStep
    writer = try LogWriter(
      sink, header: line, digest: digest, options: options, rotation: rotation
    ) { failure in
      onFailure(
        StoreIssue(
          message: failure.description, location: SourceLocation(), step: failure.step + base))
    }
    self.options = options
    self.journal = journal
    self.clock = clock
    self.info = info
    let now = clock()
    file = Mutex(File(base: base, recordingBegan: now, began: now))
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
      if options.rotation != nil, let number = FileName.numbers(of: path)?.last {
        throw .exists(path: "\(path).\(number)")
      }
      sink = try FileSink(creating: path)
    } catch {
      throw .file(error)
    }
    let synchronizes = options.durability == .sync
    let rotation = options.rotation.map {
      FileRotation(path: path, keep: $0.keep, synchronizes: synchronizes)
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
    if synchronizes { try? FileCalls.system.synchronizeFolder(FileName(path).folder) }
  }

  /// Goes on with a recording that has no end line, such as a fork. The file must be as it was when `log` was made.
  ///
  /// Steps are numbered, times counted and digests spaced as in the log; `options.baseStep` is the store's last step all the same, 0
  /// for a new store.
  ///
  /// - Parameter state: The store's state now, which must be the one after the log's last step.
  public init(
    continuing log: LogContinuation, path: String, state: State,
    options: RecordingOptions = .init(), journal: DrawJournal?,
    clock: @escaping @Sendable () -> Int64,
    endsRecording: @escaping @Sendable (Action) -> Bool = { _ in false },
    onFailure: @escaping @Sendable (StoreIssue) -> Void = { _ in }
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
    let part = LogLink(log.header)?.part ?? 0
    let sink: FileSink
    do throws(FileSink.OpenError) {
      if options.rotation != nil, let number = FileName.numbers(of: path)?.last, number != part {
        throw .exists(path: "\(path).\(number)")
      }
      var end: [UInt8] = []
      log.chain.previous?.append(to: &end)
      end += SumChain.closing + [0x0A]
      sink = try FileSink(continuing: path, size: log.size, end: end)
    } catch {
      throw .file(error)
    }
    let rotation = options.rotation.map {
      FileRotation(
        path: path, keep: $0.keep, synchronizes: options.durability == .sync,
        existing: part > 0 ? FileName.numbers(of: path) ?? [part] : [])
    }
    let base = options.baseStep
    writer = LogWriter(
      sink, continuing: log, options: options, rotation: rotation, part: part
    ) { failure in
      onFailure(
        StoreIssue(
          message: failure.description, location: SourceLocation(), step: failure.step + base))
    }
    self.options = options
    self.journal = journal
    self.clock = clock
    info = RecordingInfo(log.header)
    let began = clock() - log.time
    file = Mutex(File(base: base - log.step, recordingBegan: began, began: began))
    self.endsRecording = endsRecording
  }

  private static func header(
    _ info: RecordingInfo, _ options: RecordingOptions, _ state: ArraySlice<UInt8>,
    _ digest: Digest, after time: Int64 = 0, link: LogLink? = nil
  ) -> [UInt8] {
    let header = LogHeader(
      schema: info.schema, created: info.created + time, environment: info.environment,
      locale: info.locale, timeZone: info.timeZone, seed: info.seed, state: .null, digest: digest,
      digestEvery: options.digestEvery > 1 ? options.digestEvery : nil, redacted: info.redacted,
      extra: link.map { [JSON.Member(LogLink.key, $0.json)] } ?? [])
    var line: [UInt8] = []
    header.appendBody(to: &line, state: state)
    return line
  }

  /// The taps to put on the store. They keep the recorder alive.
  public var hooks: StepHooks<State, Action> {
    StepHooks(
      willReduce: { [journal] _ in journal?.beginReduction() },
      didReduce: { [self] step, state in record(step, state) },
      issue: { [self] issue in record(issue) })
  }

  /// The last step in the recording, from 1, all its files counted; 0 before the first.
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
    var bytes: [UInt8] = []
    let (base, began) = file.withLock { file in
      swap(&bytes, &file.scratch)
      return (file.base, file.began)
    }
    defer { file.withLock { swap(&bytes, &$0.scratch) } }
    bytes.removeAll(keepingCapacity: true)
    let number = step.number - base
    let end: Int
    var digest: Digest?
    var (isSnapshot, isLast) = (false, false)
    do {
      // User code runs here, under no lock of ours.
      try CanonicalEncoder.encode(step.action, into: &bytes)
      end = bytes.count
      isLast = writer.isFull(adding: end + 100)
      isSnapshot =
        !isLast && options.snapshotEvery.map { number.isMultiple(of: $0) } ?? false
      if isSnapshot || isLast || number.isMultiple(of: options.digestEvery)
        || endsRecording(step.action)
      {
        try CanonicalEncoder.encode(copy state, into: &bytes)
        digest = Digest(of: bytes[end...])
      }
    } catch {
      return writer.fail(writer.step + 1, nil, "\(error)")
    }
    if let reason = obstacle(to: bytes[..<end]) {
      return writer.fail(writer.step + 1, nil, reason)
    }
    let now = clock()
    writer.add(
      LogWriter.EncodedStep(
        number: number, origin: origin(step.origin, base), action: bytes[..<end], draws: draws,
        effects: step.effects.isEmpty ? [] : step.effects.map(LogEffect.init), digest: digest,
        time: now - began))
    guard isSnapshot || isLast, let digest else { return }
    let canonical = bytes[end...]
    if let reason = obstacle(to: canonical) {
      return writer.fail(writer.step + 1, nil, reason)
    }
    guard isLast else {
      return writer.add { n, line in
        LogSnapshot.appendBody(to: &line, n: n, digest: digest, state: canonical)
      }
    }
    let time = now - file.withLock { $0.recordingBegan }
    let goesOn = writer.rotate(digest: digest) { link in
      Recorder.header(info, options, canonical, digest, after: time, link: link)
    }
    guard goesOn else { return }
    file.withLock { file in
      file.base = step.number
      file.began = now
    }
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

  /// An effect of a step before the file counts as one that ran already when it began.
  private func origin(_ origin: StepOrigin, _ base: Int) -> StepOrigin {
    guard case .effect(let name, let id, let step) = origin else { return origin }
    return .effect(
      name: name, id: id, step: step > options.baseStep ? max(0, step - base) : 0)
  }
}
