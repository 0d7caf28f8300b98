/// Reads a log line by line. Checks everything that does not need the program's types: sums, form,
/// order, bounds and the digests of states.
///
/// Memory does not grow with the log: one line (at most 64 MiB) and one chunk. Any input gives
/// lines, followed by either the end or one error. A reader must not be used by several threads at
/// once.
public final class LogReader {
  /// The limits of a log. Tests set lower ones.
  public struct Limits: Sendable {
    static let formatLine = 64 << 20

    /// The maximum size of a line without its line feed, in bytes.
    public var line = Limits.formatLine
    /// The number of bytes to read from the source at once.
    public var chunk = 256 << 10

    /// Creates the limits of the format.
    public init() {}
  }

  /// A line and its position.
  public struct Entry: Sendable {
    /// The number of the line, from 1.
    public let number: Int
    /// The offset of the line, in bytes from 0.
    public let offset: Int
    /// The content of the line.
    public let line: LogLine
  }

  /// The maximum number of unknown kinds that `warnings` names. Further ones are counted.
  private static let namedUnknownKinds = 20

  private let limits: Limits
  private var input: LineInput
  private var chain = HashChain()
  private var validator = LogValidator()
  private var number = 0
  private var failure: LogReadError?
  private var finished = false
  private var unknown: [LogWarning] = []
  private var unknownCount = 0
  private var closing: [LogWarning] = []

  /// Creates a reader at the beginning of `source`. Nothing is read before the first line is
  /// requested.
  public init(_ source: any LogSource, limits: Limits = Limits()) {
    self.limits = limits
    input = LineInput(source, limit: limits.line, chunk: limits.chunk)
  }

  /// Creates a reader that continues from `position`, where `source` must begin. Earlier lines are
  /// neither read nor checked again.
  package convenience init(
    _ source: any LogSource, at position: LogPosition, limits: Limits = Limits()
  ) {
    self.init(source, limits: limits)
    input = LineInput(
      source, limit: limits.line, chunk: limits.chunk, offset: position.offset)
    chain = position.chain
    validator = position.validator
    number = position.line
  }

  /// The position of the next line.
  package var position: LogPosition {
    LogPosition(offset: input.offset, line: number, chain: chain, validator: validator)
  }

  /// The warnings so far. They are complete once `next` has returned `nil`.
  public var warnings: [LogWarning] {
    let more = unknownCount - unknown.count
    return unknown + (more > 0 ? [.more(more)] : []) + closing
  }

  /// Returns the next line of a known kind, or `nil` at the end. The first line is the header.
  /// After an error, throws the same error again.
  public func next() throws(LogReadError) -> Entry? {
    while let entry = try nextOfAnyKind() {
      guard case .unknown = entry.line else { return entry }
    }
    return nil
  }

  /// Returns the next line, including lines of unknown kinds.
  func nextOfAnyKind() throws(LogReadError) -> Entry? {
    if let failure { throw failure }
    if finished { return nil }
    do throws(LogReadError) {
      guard let entry = try read() else {
        finished = true
        return nil
      }
      if case .unknown(let kind, _) = entry.line {
        unknownCount += 1
        if unknown.count < LogReader.namedUnknownKinds {
          unknown.append(.unknownKind(kind, line: entry.number))
        }
      }
      return entry
    } catch {
      failure = error
      throw error
    }
  }

  /// Reads the header of the log, which is always its first line.
  public func header() throws(LogReadError) -> LogHeader {
    guard case .header(let header)? = try next()?.line else {
      throw .damage(
        LogDamage(
          line: 1, offset: 0, expected: "a header", content: "none",
          message: "the log has no header"))
    }
    return header
  }

  private func read() throws(LogReadError) -> Entry? {
    switch try input.next() {
    case .end:
      guard number > 0 else {
        throw damage(
          0, "the log is empty", expected: "a header", found: "no bytes")
      }
      if !validator.ended { closing.append(.cutShort(afterStep: validator.step)) }
      return nil
    case .torn(let offset):
      number += 1
      guard number > 1 else {
        throw damage(
          offset, "the log has no whole header: its first line has no line feed",
          expected: "a line feed", found: "the end of the file")
      }
      closing.append(.tornTail(offset: offset))
      if !validator.ended { closing.append(.cutShort(afterStep: validator.step)) }
      return nil
    case .tooLong(let offset):
      number += 1
      throw damage(
        offset, "the line is too long", expected: "at most \(limits.line) bytes", found: "more")
    case .whole(let line, let offset):
      number += 1
      return try check(line, offset)
    }
  }

  private func check(_ line: ArraySlice<UInt8>, _ offset: Int) throws(LogReadError) -> Entry {
    guard let (body, stated) = HashChain.split(line) else {
      throw damage(
        offset, "the line does not end with its sum", expected: #","sum":"xxh64:..."} at its end"#,
        found: .endOfLine(Array(line)))
    }
    let sum = HashChain.sum(of: body, after: chain.previous)
    guard sum == stated else {
      let bad = Array(line)
      let following: ArraySlice<UInt8>? =
        if case .whole(let next, _)? = try? input.next() { next } else { nil }
      throw .damage(
        LogDiagnosis(
          previous: chain.previous, step: validator.step, number: number, offset: offset,
          line: bad[...],
          following: following
        ).damage(computed: sum, stated: stated))
    }
    chain.advance(to: sum)
    do throws(LogReadError) {
      let typed = try LogLineParser.parse(line)
      try validator.admit(typed)
      return Entry(number: number, offset: offset, line: typed)
    } catch {
      throw error.at(line: number, offset: offset)
    }
  }

  private func damage(
    _ offset: Int, _ message: String, expected: String, found: FoundContent
  ) -> LogReadError {
    .damage(
      LogDamage(
        line: max(number, 1), offset: offset, expected: expected, content: found, message: message))
  }
}
