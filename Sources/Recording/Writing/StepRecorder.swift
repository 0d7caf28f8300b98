import SwiftBoardJSON
import SwiftBoardStore
import Synchronization

/// The part of a recorder between the store's hooks and the log's lines. It determines what is
/// encoded for a step, and when to rotate. It handles values only as bytes.
@usableFromInline
final class StepRecorder: @unchecked Sendable {
  // Unchecked because of `scratch`, which is used only by the thread that has set `isEncoding`.
  let writer: LogWriter
  private let options: RecordingOptions
  private let info: RecordingInfo
  @usableFromInline let journal: DrawJournal?
  private let clock: @Sendable () -> Int64
  /// The time on the clock at which the recording began.
  private let recordingBegan: Int64
  // Changed only while a step is recorded; the store records one step at a time.
  /// The time on the clock at which the file began.
  private let began: Atomic<Int64>
  /// The store's last step before the file.
  private let base: Atomic<Int>
  /// A pointer, since a class would need reference counting at every step.
  @usableFromInline let scratch = StepRecorder.makeScratch()
  /// Whether no value has been reported yet that the log does not have exactly.
  private let findsRoundedValues = Atomic<Bool>(true)
  private let onWarning: @Sendable (StoreIssue) -> Void
  /// The line that began the recording.
  private let location: SourceLocation
  /// Whether `scratch` is in use. Encoding a value runs user code, which may begin another step.
  private let isEncoding = Atomic<Bool>(false)

  /// - Parameter earlier: The number of steps and the time in microseconds of the continued
  ///   recording.
  init(
    _ writer: LogWriter, info: RecordingInfo, options: RecordingOptions, journal: DrawJournal?,
    clock: @escaping @Sendable () -> Int64, earlier: (steps: Int, time: Int64) = (0, 0),
    location: SourceLocation, onWarning: @escaping @Sendable (StoreIssue) -> Void
  ) {
    self.location = location
    self.onWarning = onWarning
    self.writer = writer
    self.info = info
    self.options = options
    self.journal = journal
    self.clock = clock
    recordingBegan = clock() - earlier.time
    began = Atomic(recordingBegan)
    base = Atomic(options.baseStep - earlier.steps)
  }

  deinit { StepRecorder.free(scratch) }

  @usableFromInline
  static func makeScratch() -> UnsafeMutablePointer<StepScratch> {
    let scratch = UnsafeMutablePointer<StepScratch>.allocate(capacity: 1)
    scratch.initialize(to: StepScratch())
    return scratch
  }

  @usableFromInline
  static func free(_ scratch: UnsafeMutablePointer<StepScratch>) {
    scratch.deinitialize(count: 1)
    scratch.deallocate()
  }

  @usableFromInline
  enum Beginning {
    /// The recording has ended.
    case closed
    /// The recorder's buffers are reserved and prepared for the step.
    case taken
    /// The buffers are in use, and the step needs its own.
    case inUse
  }

  /// Begins a step. The caller encodes its values in a buffer and passes that to `end` or `fail`.
  ///
  /// - Parameter isLast: Whether the step will be the recording's last.
  @usableFromInline
  func begin(_ storeStep: Int, isLast: Bool) -> Beginning {
    guard writer.mayBeOpen else {
      _ = journal?.endReduction()
      return .closed
    }
    if isEncoding.exchange(true, ordering: .acquiring) { return .inUse }
    prepare(scratch, storeStep, isLast: isLast)
    return .taken
  }

  /// Decides what to encode in `scratch`, and ends the journal's reduction, so that encoding adds
  /// no draws.
  ///
  /// - Parameter isLast: Whether the step will be the recording's last.
  @usableFromInline
  @inline(__always)
  func prepare(
    _ scratch: UnsafeMutablePointer<StepScratch>, _ storeStep: Int, isLast: Bool
  ) {
    if let journal, !journal.endedQuietly() {
      scratch.pointee.draws = journal.endReduction()
      scratch.pointee.hasDraws = true
    }
    scratch.pointee.wantsState = isLast || wantsState(storeStep)
    let finds = findsRoundedValues.load(ordering: .relaxed)
    scratch.pointee.action.findsRoundedValues = finds
    // A replay computes the other states itself.
    scratch.pointee.state.findsRoundedValues =
      finds && (options.snapshotEvery != nil || options.rotation != nil)
  }

  @inline(__always)
  private func leave(_ scratch: UnsafeMutablePointer<StepScratch>) {
    if scratch.pointee.hasDraws {
      scratch.pointee.draws = []
      scratch.pointee.hasDraws = false
    }
    if scratch == self.scratch { isEncoding.store(false, ordering: .releasing) }
  }

  private func wantsState(_ storeStep: Int) -> Bool {
    if options.digestEvery == 1 { return true }
    let number = storeStep - base.load(ordering: .relaxed)
    return (number >= options.digestEvery && number.isMultiple(of: options.digestEvery))
      || isSnapshot(number) || writer.isFull
  }

  private func isSnapshot(_ number: Int) -> Bool {
    options.snapshotEvery.map { number.isMultiple(of: $0) } ?? false
  }

  /// Ends the recording because a value could not be encoded.
  @usableFromInline
  func fail(_ scratch: UnsafeMutablePointer<StepScratch>, _ error: any Error) {
    fail(scratch, codingReason(error))
  }

  /// Ends the recording because no reader would take the step.
  private func fail(_ scratch: UnsafeMutablePointer<StepScratch>, _ reason: String) {
    leave(scratch)
    writer.fail(writer.step + 1, nil, reason)
  }

  /// Ends the recording, if it runs, because the store no longer calls the recorder's hooks.
  func hooksWereReplaced() {
    guard writer.isOpen else { return }
    writer.fail(
      writer.step + 1, nil,
      "the store's hooks were replaced, so the recorder receives no more steps: stop it first, or "
        + "set hooks before store.record(to:info:...), which keeps them")
  }

  /// Writes a step without effects that unnamed code sent. Its values are in `scratch`.
  @usableFromInline
  func end(_ scratch: UnsafeMutablePointer<StepScratch>, _ storeStep: Int) {
    write(scratch, storeStep) { line, number, time, digest in
      LogStep.appendBareBody(to: &line, n: number, t: time, action: scratch.pointee.action.bytes)
      if scratch.pointee.hasDraws { LogStep.append(scratch.pointee.draws, to: &line) }
      LogStep.append(digest, to: &line)
    }
  }

  /// Writes a step whose values are in `scratch`.
  @usableFromInline
  func end(
    _ scratch: UnsafeMutablePointer<StepScratch>, _ storeStep: Int, _ origin: StepOrigin,
    _ effects: [EffectDescriptor]
  ) {
    if let reason = obstacle(to: effects) { return fail(scratch, reason) }
    var origin = origin
    if case .effect(let name, let id, let step) = origin {
      guard step < storeStep else {
        return fail(
          scratch,
          "the origin of the action is an effect of step \(step), which is not before it: pass no "
            + "origin of another store")
      }
      // An effect of a step before the file counts as one that was already running at its
      // beginning.
      let inFile = step > options.baseStep ? max(0, step - base.load(ordering: .relaxed)) : 0
      origin = .effect(name: name, id: id, step: inFile)
    }
    write(scratch, storeStep) { line, number, time, digest in
      LogStep.appendBody(
        to: &line, n: number, t: time, origin: origin, draws: scratch.pointee.draws,
        effects: effects.isEmpty ? [] : effects.map { LogEffect($0) }, digest: digest,
        action: scratch.pointee.action.bytes)
    }
  }

  /// - Parameter body: Appends the body of the line.
  @inline(__always)
  private func write(
    _ scratch: UnsafeMutablePointer<StepScratch>, _ storeStep: Int,
    _ body: (_ line: inout ByteBuffer, _ number: Int, _ time: Int64, Digest?) -> Void
  ) {
    defer { leave(scratch) }
    if let reason = obstacle(to: scratch.pointee.action.bytes) {
      return writer.fail(writer.step + 1, nil, reason)
    }
    let digest: Digest? = scratch.pointee.wantsState ? scratch.pointee.state.digest : nil
    // The header of the next file has the state anyway.
    let rotates = digest != nil && writer.isFull
    let base = base.load(ordering: .relaxed)
    let number = storeStep - base
    let now = clock()
    writer.add(number, after: base, at: now - began.load(ordering: .relaxed), digest: digest) {
      line, time in
      body(&line, number, time, digest)
    }
    if let value = scratch.pointee.action.roundedValue { warn(of: value, in: .action, storeStep) }
    if let digest { digested(scratch, digest, storeStep, number, rotates: rotates, now) }
  }

  /// Keeps the state after a step with a digest, writes its snapshot, or rotates the file.
  private func digested(
    _ scratch: UnsafeMutablePointer<StepScratch>, _ digest: Digest, _ storeStep: Int, _ number: Int,
    rotates: Bool, _ now: Int64
  ) {
    if !rotates, writer.wantsState(after: number) { writer.keep(scratch.pointee.state.bytes) }
    guard rotates || isSnapshot(number) else { return }
    if let reason = obstacle(to: scratch.pointee.state.bytes) {
      return writer.fail(writer.step + 1, nil, reason)
    }
    let canonical = Array(scratch.pointee.state.bytes)
    if rotates {
      rotate(storeStep, canonical[...], digest, now)
    } else {
      writer.add { n, line in
        LogSnapshot.appendBody(to: &line, n: n, digest: digest, state: canonical[...])
      }
    }
    if let value = scratch.pointee.state.roundedValue { warn(of: value, in: .state, storeStep) }
  }

  private func rotate(
    _ storeStep: Int, _ state: ArraySlice<UInt8>, _ digest: Digest, _ now: Int64
  ) {
    let time = now - recordingBegan
    let goesOn = writer.rotate(digest: digest) { link in
      StepRecorder.header(info, options, state, digest, after: time, link: link)
    }
    guard goesOn else { return }
    base.store(storeStep, ordering: .relaxed)
    began.store(now, ordering: .relaxed)
  }

  /// Warns once of a value that the log does not have exactly.
  func warn(of value: RoundedValue, in place: RoundedValue.Place, _ storeStep: Int) {
    guard findsRoundedValues.exchange(false, ordering: .relaxed) else { return }
    let issue = StoreIssue(
      message: value.message(in: place), location: location, step: storeStep)
    record(issue)
    onWarning(issue)
  }

  @usableFromInline
  func record(_ issue: StoreIssue) {
    let issue = (
      message: issue.message, file: issue.location.fileID.description, line: issue.location.line
    )
    writer.add { n, bytes in
      LogIssue(n: n, message: issue.message, file: issue.file, line: Int(issue.line))
        .appendBody(to: &bytes)
    }
  }

  /// Returns the body of a file's first line.
  static func header(
    _ info: RecordingInfo, _ options: RecordingOptions, _ state: ArraySlice<UInt8>,
    _ digest: Digest, after time: Int64 = 0, link: LogLink? = nil
  ) -> [UInt8] {
    let header = LogHeader(
      schema: info.schema, created: info.created + time, environment: info.environment,
      locale: info.locale, timeZone: info.timeZone, seed: info.seed, state: .null, digest: digest,
      digestEvery: options.digestEvery > 1 ? options.digestEvery : nil,
      redacted: info.declaredRedactions,
      minor: LogHeader.currentMinor,
      extra: link.map { [JSON.Member(LogLink.key, $0.json)] } ?? [])
    var line: [UInt8] = []
    header.appendBody(to: &line, state: state)
    return line
  }
}
