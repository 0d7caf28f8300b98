import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem

/// Reads the lines of a log for a verification that expects them to be correct. Lines are parsed in
/// the read buffer, and values are created only on demand.
///
/// The reader never reports errors. It ends with `unusual` at the first unusual or wrong line, and
/// the slow path then verifies the log and reports errors.
@usableFromInline
final class FastLogReader {
  @usableFromInline
  enum Line {
    /// A step with only an action, to be read with `reader`, and a digest.
    case step(Digest?)
    /// A step with other members.
    case full(LogStep)
    case header(LogHeader)
    case snapshot(LogSnapshot)
    case end
    case unusual
  }

  /// A reader at the action of the last `step`.
  @exclusivity(unchecked) @usableFromInline var reader: CanonicalReader

  private let source: any LogSource
  private let limit: Int
  private let chunk: Int
  @exclusivity(unchecked) private var base: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked) private var capacity: Int
  @exclusivity(unchecked) private var start = 0
  @exclusivity(unchecked) private var end = 0
  @exclusivity(unchecked) private var isAtEnd = false
  @exclusivity(unchecked) private var sum: Digest?
  @exclusivity(unchecked) private var validator = LogValidator()
  private let strict = JSONLimits(duplicateKeys: .refuse, depth: 511)

  init?(
    _ source: any LogSource, limits: LogReader.Limits = .init(),
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) {
    guard let reader = try? CanonicalReader(parsing: "null".utf8, userInfo: userInfo) else {
      return nil
    }
    self.reader = reader
    self.source = source
    limit = limits.line
    chunk = max(1, limits.chunk)
    capacity = 2 * chunk
    base = .allocate(capacity: capacity)
  }

  @usableFromInline
  static func of(
    _ file: LogFile, _ userInfo: [CodingUserInfoKey: any Sendable]
  ) -> FastLogReader? {
    (try? file.source()).flatMap { FastLogReader($0, userInfo: userInfo) }
  }

  deinit { base.deallocate() }

  var warnings: [LogWarning] { validator.ended ? [] : [.cutShort(afterStep: validator.step)] }
  @usableFromInline var step: Int { validator.step }
  @usableFromInline var time: Int64 { validator.time }

  @usableFromInline
  func next() -> Line {
    while true {
      guard let line = nextLine() else {
        return isAtEnd && start == end ? .end : .unusual
      }
      let length = line.count - HashChain.tailLength
      guard length > 0, let first = line.baseAddress else { return .unusual }
      let found = HashChain.sum(
        of: UnsafeBufferPointer(start: UnsafePointer(first), count: length), after: sum)
      guard HashChain.states(found, first + length) else { return .unusual }
      sum = found
      let body = UnsafeBufferPointer(start: UnsafePointer(first), count: length)
      if let bare = StepScanner.bare(body), isRead(body, bare.action) {
        return validator.admitQuickly(bare) ? .step(bare.digest) : .unusual
      }
      guard let typed = try? LogLineParser.parse(Array(line)[...]),
        (try? validator.admit(typed)) != nil
      else { return .unusual }
      switch typed {
      case .header(let header): return .header(header)
      case .step(let step): return .full(step)
      case .snapshot(let snapshot): return .snapshot(snapshot)
      case .mark, .issue, .end: continue
      case .unknown: return .unusual
      }
    }
  }

  /// Returns whether `bytes` are those of the last `step`'s action.
  func isAction(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    reader.withBytes { logged in
      guard logged.count == bytes.count, let a = logged.baseAddress, let b = bytes.baseAddress
      else {
        return false
      }
      return memcmp(a, b, logged.count) == 0
    }
  }

  private func isRead(_ body: UnsafeBufferPointer<UInt8>, _ action: Range<Int>) -> Bool {
    do throws(JSONError) {
      try reader.read(UnsafeBufferPointer(rebasing: body[action]), limits: strict)
      // `StepScanner` does not accept white space around the value.
      return body[action.lowerBound] > 0x20 && body[action.upperBound - 1] > 0x20
    } catch {
      return false
    }
  }

  /// Returns the next line without its line feed, or `nil` at the end and after an error.
  private func nextLine() -> UnsafeMutableBufferPointer<UInt8>? {
    var searched = start
    while true {
      if let feed = FastLogReader.lineFeed(base, searched, end) {
        defer { start = feed + 1 }
        return feed - start <= limit
          ? UnsafeMutableBufferPointer(start: base + start, count: feed - start) : nil
      }
      guard end - start <= limit else { return nil }
      let waiting = end - start
      if start > 0 {
        // The ranges may overlap.
        base.update(from: base + start, count: waiting)
        start = 0
        end = waiting
      }
      if capacity - end < chunk {
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
        larger.update(from: base, count: end)
        base.deallocate()
        base = larger
        capacity *= 2
      }
      searched = end
      let free = UnsafeMutableRawBufferPointer(start: base + end, count: chunk)
      guard let count = try? source.read(into: free) else { return nil }
      isAtEnd = count == 0
      if isAtEnd { return nil }
      end += count
    }
  }

  private static func lineFeed(
    _ base: UnsafeMutablePointer<UInt8>, _ from: Int, _ end: Int
  ) -> Int? {
    position(of: 0x0A, in: UnsafeRawBufferPointer(start: base + from, count: end - from)).map {
      from + $0
    }
  }
}

extension Replayer {
  /// Verifies a correct log in one pass. Returns `nil` for any other log.
  ///
  /// A replay runs nothing before its first pass has decoded every line. Here the run is not
  /// observed, so one pass is enough. If an action does not encode to the same bytes, the slow path
  /// grades the log.
  @inlinable
  func verifyQuickly(
    _ feed: FastLogReader, _ codes: CodecPair<R.State, R.Action>,
    _ progress: ((Int) -> Void)? = nil
  ) -> ReplaySummary? {
    let start = ContinuousClock.now
    guard case .header(let header) = feed.next(), fits(header),
      var state = codes.state(header)
    else { return nil }
    let hasAllIDs = header.hasAllIDs
    var digests = 0
    var counted = 0
    while true {
      let line = feed.next()
      if let progress, feed.step.isMultiple(of: 1000), feed.step > counted {
        counted = feed.step
        progress(counted)
      }
      let expected: Digest?
      switch line {
      case .step(let digest):
        guard let action = codes.action(feed) else { return nil }
        let replayed = step.reduce(action, into: &state, serving: [])
        guard replayed.agrees(with: [], hasAllIDs: hasAllIDs) else { return nil }
        expected = digest
      case .full(let logged):
        guard let action = codes.action(logged) else { return nil }
        let replayed = step.reduce(action, into: &state, serving: logged.draws)
        guard replayed.agrees(with: logged.effects, hasAllIDs: hasAllIDs) else { return nil }
        expected = logged.digest
      case .snapshot(let snapshot):
        guard codes.digest(state) == snapshot.digest else { return nil }
        continue
      case .end:
        return summary(feed, digests, ContinuousClock.now - start)
      case .header, .unusual:
        return nil
      }
      if let expected {
        guard codes.digest(state) == expected else { return nil }
        digests += 1
      }
    }
  }

  @usableFromInline
  func fits(_ header: LogHeader) -> Bool {
    header.schema.isSameKind(as: schema) && header.schema.isSameForm(as: schema)
  }

  @usableFromInline
  func summary(_ feed: FastLogReader, _ digests: Int, _ elapsed: Duration) -> ReplaySummary {
    ReplaySummary(
      steps: feed.step, recordedTime: feed.time, elapsed: elapsed, digests: digests,
      warnings: feed.warnings, grade: .fine)
  }
}

/// Reads and writes the values of a quick verification.
@usableFromInline
struct CodecPair<State: Codable, Action: Codable> {
  @usableFromInline let actions: ValueDecoder<Action>
  @usableFromInline let written: ValueEncoder<Action>
  @usableFromInline let states: ValueEncoder<State>
  @usableFromInline let scratch = Scratch()
  private let userInfo: [CodingUserInfoKey: any Sendable]

  @usableFromInline
  final class Scratch {
    @usableFromInline var value = ValueScratch()
    @usableFromInline var action = ValueScratch()
  }

  @usableFromInline
  init(_ userInfo: [CodingUserInfoKey: any Sendable] = [:]) {
    self.userInfo = userInfo
    actions = .make()
    written = .make()
    states = .make()
  }

  /// Returns the state, or `nil` if it does not encode to the same bytes.
  @usableFromInline
  func state(_ header: LogHeader) -> State? {
    guard
      let state = try? CanonicalDecoder.decode(State.self, from: header.state, userInfo: userInfo),
      digest(state) == header.digest
    else { return nil }
    return state
  }

  /// Returns the action, or `nil` if it does not encode to the same bytes.
  @inlinable
  func action(_ feed: FastLogReader) -> Action? {
    guard let action = try? actions.decode(&feed.reader),
      (try? written.encode(action, &scratch.action)) != nil,
      scratch.action.isAction(of: feed)
    else { return nil }
    return action
  }

  /// Returns the action, or `nil` if it does not encode to the same bytes.
  @usableFromInline
  func action(_ step: LogStep) -> Action? {
    guard
      let action = try? CanonicalDecoder.decode(
        Action.self, from: step.actionBytes, userInfo: userInfo),
      (try? written.encode(action, &scratch.action)) != nil,
      scratch.action.bytes.elementsEqual(step.actionBytes)
    else { return nil }
    return action
  }

  @inlinable
  func digest(_ state: State) -> Digest? {
    guard (try? states.encode(state, &scratch.value)) != nil else { return nil }
    return scratch.value.digest
  }
}

extension ValueScratch {
  /// Returns whether the last encoded value equals the current action of `feed`, byte for byte.
  @usableFromInline
  func isAction(of feed: FastLogReader) -> Bool { feed.isAction(bytes) }
}

/// Decodes values of one type. The way of decoding is chosen once; see `ValueEncoder`.
@usableFromInline
class ValueDecoder<Value: Decodable> {
  static func make() -> ValueDecoder<Value> {
    guard let byHand = Value.self as? any (CanonicalCodable & Decodable).Type else {
      return ValueDecoder()
    }
    return decoder(byHand) as? ValueDecoder<Value> ?? ValueDecoder()
  }

  @usableFromInline
  func decode(_ reader: inout CanonicalReader) throws -> Value {
    try reader.decode(Value.self)
  }
}

private final class HandDecoder<Value: CanonicalCodable & Decodable>: ValueDecoder<Value> {
  override func decode(_ reader: inout CanonicalReader) throws -> Value {
    try Value(canonical: &reader)
  }
}

/// A separate function, so that the existential metatype can be opened.
private func decoder<Value: CanonicalCodable & Decodable>(_: Value.Type) -> AnyObject {
  HandDecoder<Value>()
}
