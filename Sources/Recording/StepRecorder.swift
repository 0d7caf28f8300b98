import SwiftBoardJSON
import SwiftBoardStore
import Synchronization

/// The part of a recorder between the store's hooks and the lines: what a step needs, in which file it goes, and when that is ended.
/// Knows values as bytes only.
@usableFromInline
final class StepRecorder: Sendable {
  private struct File {
    /// When the recording began, and when the file did, by the clock.
    let recordingBegan: Int64
    var began: Int64
    /// Taken out while values are encoded, which runs code of others.
    var rooms: (action: EncodingRoom, state: EncodingRoom)? = (EncodingRoom(), EncodingRoom())
  }

  let writer: LogWriter
  private let options: RecordingOptions
  private let info: RecordingInfo
  private let journal: DrawJournal?
  private let clock: @Sendable () -> Int64
  /// The store's last step before the file; changed only while a step is recorded, which the store does one at a time.
  private let base: Atomic<Int>
  private let file: Mutex<File>

  /// - Parameter earlier: Steps and microseconds of the recording that is continued.
  init(
    _ writer: LogWriter, info: RecordingInfo, options: RecordingOptions, journal: DrawJournal?,
    clock: @escaping @Sendable () -> Int64, earlier: (steps: Int, time: Int64) = (0, 0)
  ) {
    self.writer = writer
    self.info = info
    self.options = options
    self.journal = journal
    self.clock = clock
    let began = clock() - earlier.time
    base = Atomic(options.baseStep - earlier.steps)
    file = Mutex(File(recordingBegan: began, began: began))
  }

  @usableFromInline
  func willReduce() {
    journal?.beginReduction()
  }

  /// Whether `record` is to be given the state of this step.
  @usableFromInline
  func wantsState(_ storeStep: Int) -> Bool {
    if options.digestEvery == 1 { return true }
    let number = storeStep - base.load(ordering: .relaxed)
    return number.isMultiple(of: options.digestEvery) || isSnapshot(number) || writer.isFull
  }

  private func isSnapshot(_ number: Int) -> Bool {
    options.snapshotEvery.map { number.isMultiple(of: $0) } ?? false
  }

  /// Writes one step.
  ///
  /// - Parameters:
  ///   - action: Encodes the action.
  ///   - state: Encodes the state; nil where it is not wanted.
  @usableFromInline
  func record(
    _ storeStep: Int, _ origin: StepOrigin, _ effects: [EffectDescriptor],
    action: (EncodingRoom) throws -> Void, state: ((EncodingRoom) throws -> Void)?
  ) {
    let draws = journal?.endReduction() ?? []
    guard writer.isOpen else { return }
    let base = base.load(ordering: .relaxed)
    let (taken, began) = file.withLock { file in (file.rooms.take(), file.began) }
    let rooms = taken ?? (EncodingRoom(), EncodingRoom())
    let number = storeStep - base
    // The next file's header has the state anyway.
    let rotates = writer.isFull && state != nil
    let isSnapshot = !rotates && isSnapshot(number)
    var digest: Digest?
    do {
      try action(rooms.action)
      if let state {
        try state(rooms.state)
        digest = rooms.state.withBytes { Digest(XXH64.hash(UnsafeRawBufferPointer($0))) }
      }
    } catch {
      return writer.fail(writer.step + 1, nil, "\(error)")
    }
    if let reason = rooms.action.withBytes({ obstacle(to: $0) }) {
      return writer.fail(writer.step + 1, nil, reason)
    }
    let now = clock()
    rooms.action.withBytes { action in
      writer.add(
        LogWriter.EncodedStep(
          number: number, origin: self.origin(origin, base), action: action, draws: draws,
          effects: effects.isEmpty ? [] : effects.map { LogEffect($0) }, digest: digest,
          time: now - began))
    }
    if isSnapshot || rotates, let digest {
      if let reason = rooms.state.withBytes({ obstacle(to: $0) }) {
        return writer.fail(writer.step + 1, nil, reason)
      }
      let canonical = rooms.state.withBytes { Array($0) }
      if rotates {
        rotate(storeStep, canonical[...], digest, now)
      } else {
        writer.add { n, line in
          LogSnapshot.appendBody(to: &line, n: n, digest: digest, state: canonical[...])
        }
      }
    }
    file.withLock { $0.rooms = rooms }
  }

  private func rotate(
    _ storeStep: Int, _ state: ArraySlice<UInt8>, _ digest: Digest, _ now: Int64
  ) {
    let time = now - file.withLock { $0.recordingBegan }
    let goesOn = writer.rotate(digest: digest) { link in
      StepRecorder.header(info, options, state, digest, after: time, link: link)
    }
    guard goesOn else { return }
    base.store(storeStep, ordering: .relaxed)
    file.withLock { $0.began = now }
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

  /// The body of a file's first line.
  static func header(
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

  /// An effect of a step before the file counts as one that ran already when it began.
  private func origin(_ origin: StepOrigin, _ base: Int) -> StepOrigin {
    guard case .effect(let name, let id, let step) = origin else { return origin }
    return .effect(
      name: name, id: id, step: step > options.baseStep ? max(0, step - base) : 0)
  }
}
