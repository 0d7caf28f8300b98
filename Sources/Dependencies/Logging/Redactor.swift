import Synchronization

/// Takes secrets out of text before it leaves the program: terminal, log, history, recording, database, export and
/// error text all send their text through `redact`.
///
/// **By value.** What was registered is replaced by `«secret:NAME»`, wherever it stands and also base64 (both
/// alphabets, at any place inside a longer encoded text), percent-encoded and JSON-escaped, in any mixture of cases and
/// of characters escaped or not.
///
/// **By position.** What follows `Authorization:`, `Cookie:`, `Set-Cookie:` or `X-Api-Key:`, the values of keys such as
/// `apikey`, `token` and `password` in queries, forms and JSON, and the user part of a URL become `«redacted»`. A value
/// there that was registered keeps its name. `key` alone counts only in a query or form: `?key=…`.
///
/// **In memory.** A redactor holds no secret: it keeps keyed hashes of the registered values and of their base64 forms,
/// and the lengths. The bytes given to `registerSecret` are not stored. Someone who reads the process's memory can test
/// guesses against the hashes; a long random secret cannot be found from them, a short word can.
///
/// Redacting what was redacted changes nothing. Cost: about a nanosecond a byte, and a second pass of that order for
/// text with `%` or `\` in it once something is registered. Text without a secret is returned as it is, uncopied.
public final class Redactor: Sendable {
  private let table = Mutex<SecretTable?>(nil)

  /// A redactor that knows no value yet and redacts by position only.
  public init() {}

  /// From now on the value is replaced by `«secret:NAME»`. Values under four bytes are not registered: they would blank
  /// innocent text. A value registered again keeps its first name. Cost: about 20 µs and 1 kB a value.
  public func registerSecret(_ value: [UInt8], name: String) {
    let patterns = SecretPattern.all(of: value)
    guard !patterns.isEmpty else { return }
    // Built outside the lock; rebuilt when another registration came between.
    while true {
      let old = table.withLock { $0 }
      guard let new = SecretTable(adding: patterns, name: name, to: old) else { return }
      let done = table.withLock { table in
        guard table === old else { return false }
        table = new
        return true
      }
      if done { return }
    }
  }

  /// Forgets all that was registered.
  public func removeAllSecrets() {
    let old = table.withLock { table in
      defer { table = nil }
      return table
    }
    withExtendedLifetime(old) {}
  }

  /// The text without secrets.
  public func redact(_ text: String) -> String { pass().redact(text) }

  /// The bytes without secrets; they need not be UTF-8.
  public func redact(_ bytes: [UInt8]) -> [UInt8] { pass().redact(bytes) }

  /// The field without secrets: its whole value where its key is one of those whose values are secret.
  public func redact(_ field: LogField) -> LogField { pass().redact(field) }

  /// What is registered now, for several texts that belong together.
  func pass() -> Pass { Pass(table: table.withLock { $0 }) }

  struct Pass {
    fileprivate let table: SecretTable?

    /// Whether the text is short enough and has no secret in it: then it need not be copied.
    func isClean(_ text: String, limit: Int) -> Bool {
      text.utf8.withContiguousStorageIfAvailable { bytes in
        bytes.count <= limit && edits(in: bytes) == nil
      } ?? false
    }

    func isClean(_ fields: [LogField], keyLimit: Int, valueLimit: Int) -> Bool {
      fields.withUnsafeBufferPointer { fields in
        for index in fields.indices {
          guard isClean(fields[index].key, limit: keyLimit),
            isClean(fields[index].value, limit: valueLimit), !SecretKey.isSecret(fields[index].key)
          else { return false }
        }
        return true
      }
    }

    func redact(_ text: String) -> String {
      let found: [RedactionEdit]?? = text.utf8.withContiguousStorageIfAvailable { edits(in: $0) }
      // Only a string of another kind than Swift's own, as a bridged one, is not contiguous.
      guard let edits = found ?? Array(text.utf8).withUnsafeBufferPointer({ self.edits(in: $0) })
      else { return text }
      return String(decoding: Redactor.apply(edits, to: Array(text.utf8)), as: UTF8.self)
    }

    func redact(_ bytes: [UInt8]) -> [UInt8] {
      guard let edits = bytes.withUnsafeBufferPointer({ self.edits(in: $0) }) else { return bytes }
      return Redactor.apply(edits, to: bytes)
    }

    func redact(_ field: LogField) -> LogField {
      let value = redact(field.value)
      guard SecretKey.isSecret(field.key), !value.isEmpty, !RedactionMark.isMark(value) else {
        return LogField(redact(field.key), value)
      }
      return LogField(field.key, RedactionMark.only(in: value) ?? RedactionMark.redacted)
    }

    /// `nil` where nothing is to be done, which is nearly always.
    private func edits(in text: UnsafeBufferPointer<UInt8>) -> [RedactionEdit]? {
      var regions: [PositionScanner.Region] = []
      if TextSigns.nextKeySign(in: text, from: 0) != nil {
        var scanner = PositionScanner(text)
        regions = scanner.regions()
      }
      let matches = table.map { Redactor.matches($0, in: text, TextSigns(text)) } ?? []
      if matches.isEmpty {
        return regions.isEmpty ? nil : regions.map { $0.edit(names: []) }
      }
      return Redactor.merge(matches, regions)
    }
  }

  private static func matches(
    _ table: SecretTable, in text: UnsafeBufferPointer<UInt8>, _ signs: TextSigns
  ) -> [SecretTable.Match] {
    var matches = table.matches(inAllFormsOf: text, signs)
    guard !matches.isEmpty else { return [] }
    let marks = RedactionMark.ranges(in: text)
    if !marks.isEmpty {
      matches.removeAll { match in
        marks.contains {
          $0.lowerBound <= match.range.lowerBound && match.range.upperBound <= $0.upperBound
        }
      }
    }
    return matches
  }

  /// One edit for each run of overlapping matches and regions.
  private static func merge(
    _ matches: [SecretTable.Match], _ regions: [PositionScanner.Region]
  ) -> [RedactionEdit] {
    var pieces: [(region: PositionScanner.Region, name: String?)] =
      matches.map { (PositionScanner.Region(range: $0.range), $0.name) }
      + regions.map { ($0, nil) }
    pieces.sort {
      ($0.region.range.lowerBound, $1.region.range.upperBound)
        < ($1.region.range.lowerBound, $0.region.range.upperBound)
    }
    var edits: [RedactionEdit] = []
    var index = 0
    while index < pieces.count {
      var region = pieces[index].region
      // Every name inside a position's region, or the first and longest of overlapping values.
      var names: [String] = []
      var byPosition = false
      while index < pieces.count,
        pieces[index].region.range.lowerBound < region.range.upperBound
          || pieces[index].region.range == region.range
      {
        let piece = pieces[index]
        region.range =
          region.range.lowerBound..<max(region.range.upperBound, piece.region.range.upperBound)
        if let name = piece.name {
          if !names.contains(name) { names.append(name) }
        } else {
          byPosition = true
          if !piece.region.quote.isEmpty { region.quote = piece.region.quote }
        }
        index += 1
      }
      if !byPosition, names.count > 1 { names.removeLast(names.count - 1) }
      edits.append(region.edit(names: names))
    }
    return edits
  }

  private static func apply(_ edits: [RedactionEdit], to bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 16 * edits.count)
    var position = 0
    for edit in edits {
      result.append(contentsOf: bytes[position..<edit.range.lowerBound])
      result.append(contentsOf: edit.replacement)
      position = edit.range.upperBound
    }
    result.append(contentsOf: bytes[position...])
    return result
  }
}

/// Bytes of a text and what stands in their place.
struct RedactionEdit: Sendable {
  var range: Range<Int>
  var replacement: [UInt8]
}
