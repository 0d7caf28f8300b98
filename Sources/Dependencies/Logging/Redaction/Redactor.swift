import SwiftBoardJSON
import Synchronization

/// Removes secrets from texts that leave the program or become part of a state.
///
/// **By value.** `mask` replaces registered values by `«secret:NAME»` wherever they occur:
/// unencoded, in base64 (both alphabets, at any offset, with or without padding), in hexadecimal in
/// either case, percent-encoded, and JSON-escaped. It is for data and changes nothing else of a
/// text.
///
/// **By position.** `redact` also replaces the values of secret headers and secret query items, and
/// the user part of addresses, by `«redacted»`. It is for log lines, errors and the screen, which
/// mention addresses and headers. Names of hosts are in lower case there, so `redact` also finds
/// registered values in lower case.
///
/// **In memory.** A redactor stores no secret. It stores keyed hashes of the registered values and
/// of their forms, and the lengths. An attacker who can read the process's memory can test guesses
/// against the hashes. A long random secret cannot be found this way, but a short word can.
///
/// Masking is idempotent. Cost: about a nanosecond per byte, and a second pass of similar cost for
/// text with `%` or `\` once a value is registered; twice as much where values in lower case are
/// searched for. Text without a secret is returned without a copy.
public final class Redactor: Sendable {
  /// The minimum length of registered values. Shorter values would redact unrelated text.
  package static let shortestValue = 6

  private let table = Mutex<SecretTable?>(nil)
  private let key = SecretHashKey()
  private let locks = Atomic(0)

  /// Creates a redactor without values, which redacts by position only.
  public init() {}

  /// Registers a value, to be replaced by `«secret:NAME»`. Values under six bytes are not
  /// registered, as they would redact unrelated text. A value that is registered again keeps its
  /// first name. Costs about 40 µs and 2 kB per value.
  public func registerSecret(_ value: [UInt8], name: String) {
    value.withUnsafeBytes { value in
      var batch = batch()
      batch.add(value, name: name)
      register(batch)
    }
  }

  /// Creates an empty batch for `register(_:)`.
  func batch() -> SecretBatch { SecretBatch(key: key) }

  /// Registers many values at once.
  ///
  /// - Parameter isComplete: Whether they are those of all secrets that there are.
  func register(_ batch: SecretBatch, isComplete: Bool = false) {
    change { SecretTable(adding: batch, to: $0, isComplete: isComplete) }
  }

  /// Replaces the name in the marks of values registered under `name`.
  public func renameSecret(_ name: String, to newName: String) {
    change { $0.map { SecretTable(renaming: name, to: newName, in: $0) } }
  }

  /// Whether a value is registered.
  package var hasSecrets: Bool { table.withLock { $0 != nil } }

  /// The number of registered values. It grows with each new one.
  package var count: Int { table.withLock { $0?.count ?? 0 } }

  /// The number of times that the keychain was locked. After that, no text that was only kept in
  /// memory may show a value any more.
  package var lockCount: Int { locks.load(ordering: .relaxed) }

  /// Counts that the keychain was locked. Its values stay registered.
  func noteLock() { locks.add(1, ordering: .relaxed) }

  /// Returns whether a value is registered under the name. O(number of values).
  package func knows(_ name: String) -> Bool { table.withLock { $0?.knows(name) ?? false } }

  /// Returns whether a secret of the name is there, as far as that is known. The values of a
  /// removed secret stay registered. O(number of values).
  package func hasStored(_ name: String) -> Bool {
    table.withLock { $0?.hasStored(name) ?? false }
  }

  /// - Parameter next: Returns the next table, or `nil` if nothing changes.
  private func change(_ next: (SecretTable?) -> SecretTable?) {
    // The table is built outside the lock, and again if another registration was made in between.
    while true {
      let old = table.withLock { $0 }
      guard let new = next(old) else { return }
      let done = table.withLock { table in
        guard table === old else { return false }
        table = new
        return true
      }
      if done { return }
    }
  }

  // MARK: By value

  /// Replaces known secrets in a text by marks. In a JSON document, a number that contains one
  /// becomes a string.
  ///
  /// - Parameter isJSON: Whether the text is a JSON document, even if it is neither an object nor
  ///   an array.
  package func mask(_ text: String, isJSON: Bool = false) -> Masked<String> {
    pass().mask(text, isJSON: isJSON)
  }

  /// Replaces known secrets in an address or a host by marks, also those that are in lower case
  /// there.
  package func mask(address: String) -> Masked<String> {
    pass().mask(address, inLowercase: true)
  }

  /// Replaces known secrets in bytes by marks. The bytes need not be UTF-8.
  package func mask(_ bytes: [UInt8]) -> Masked<[UInt8]> { pass().mask(bytes) }

  // MARK: By value and by position

  /// Returns the text without secrets.
  public func redact(_ text: String) -> String { pass().redact(text) }

  /// Returns the field without secrets. If its key is a secret key, the whole value is redacted.
  public func redact(_ field: LogField) -> LogField { pass().redact(field) }

  /// Returns the value of a response's header without secrets. The value of a secret header is
  /// redacted as a whole, whatever else is in it. Unlike `redact`, it leaves values in lower case
  /// alone, since a header is data.
  package func mask(_ value: String, ofHeader name: String) -> Masked<String> {
    pass().mask(value, ofHeader: name)
  }

  /// Removes values that are secret because of their position, but no known secrets. It is for
  /// texts that already contain marks. O(length).
  package static func redactPositions(_ text: String) -> String {
    Pass(table: nil).redact(text)
  }

  /// Returns a pass with the current values, for several related texts.
  func pass() -> Pass { Pass(table: table.withLock { $0 }) }

  struct Pass {
    fileprivate let table: SecretTable?

    func mask(_ text: String, isJSON: Bool = false, inLowercase: Bool = false) -> Masked<String> {
      var text = text
      let edits = text.withUTF8 {
        self.edits(in: $0, byPosition: false, inLowercase: inLowercase)
      }
      guard !edits.isEmpty else { return Masked(text) }
      let names = edits.compactMap(\.name)
      return Masked(
        String(decoding: Redactor.masked(text, edits, isJSON), as: UTF8.self), names: names)
    }

    func mask(_ bytes: [UInt8]) -> Masked<[UInt8]> {
      let edits = bytes.withUnsafeBufferPointer {
        self.edits(in: $0, byPosition: false, inLowercase: false)
      }
      guard !edits.isEmpty else { return Masked(bytes) }
      return Masked(Redactor.apply(edits, to: bytes), names: edits.compactMap(\.name))
    }

    /// Returns whether the text is short enough and contains no secret, so that it need not be
    /// copied.
    func isClean(_ text: String, limit: Int) -> Bool {
      text.utf8.withContiguousStorageIfAvailable { bytes in
        bytes.count <= limit && edits(in: bytes, byPosition: true, inLowercase: true).isEmpty
      } ?? false
    }

    func isClean(_ fields: [LogField], keyLimit: Int, valueLimit: Int) -> Bool {
      fields.withUnsafeBufferPointer { fields in
        for index in fields.indices {
          guard isClean(fields[index].key, limit: keyLimit),
            isClean(fields[index].value, limit: valueLimit),
            !SecretNames.isCredential(fields[index].key)
          else { return false }
        }
        return true
      }
    }

    func mask(_ value: String, ofHeader name: String) -> Masked<String> {
      let names = mask(value).names
      guard SecretNames.isHeader(name) else {
        return Masked(redact(value, inLowercase: false), names: names)
      }
      // As in `merge`, the mark names the secret in it if there is only one.
      guard let first = names.first, names.allSatisfy({ $0.hasSameBytes(as: first) }) else {
        return Masked(RedactionMark.redacted, names: names)
      }
      return Masked(RedactionMark.named(first), names: names)
    }

    func redact(_ text: String, inLowercase: Bool = true) -> String {
      var text = text
      let edits = text.withUTF8 { self.edits(in: $0, byPosition: true, inLowercase: inLowercase) }
      guard !edits.isEmpty else { return text }
      return String(decoding: Redactor.apply(edits, to: Array(text.utf8)), as: UTF8.self)
    }

    func redact(_ field: LogField) -> LogField {
      let value = redact(field.value)
      guard SecretNames.isCredential(field.key), !value.isEmpty, !isOwnMark(value) else {
        return LogField(redact(field.key), value)
      }
      if case .secret(let name) = RedactionMark.first(in: value), table?.knows(name) == true {
        return LogField(field.key, RedactionMark.named(name))
      }
      return LogField(field.key, RedactionMark.redacted)
    }

    /// Returns whether a text is a mark that the redactor may have made.
    private func isOwnMark(_ text: String) -> Bool {
      text == RedactionMark.redacted || table?.makes(Array(text.utf8)) == true
    }

    /// Returns the edits in order, without overlaps. There are almost always none.
    private func edits(
      in text: UnsafeBufferPointer<UInt8>, byPosition: Bool, inLowercase: Bool
    ) -> [RedactionEdit] {
      var ranges: [Range<Int>] = []
      if byPosition, EncodingMarkers.nextKeySign(in: text, from: 0) != nil {
        var scanner = PositionScanner(text)
        ranges = scanner.ranges()
      }
      let matches =
        table?.matches(
          inAllFormsOf: text, EncodingMarkers(text), inLowercase: inLowercase) ?? []
      if matches.isEmpty, ranges.isEmpty { return [] }
      return Redactor.merge(matches, ranges)
    }
  }

  /// Merges overlapping matches and positions into one edit each.
  private static func merge(
    _ matches: [SecretMatch], _ positions: [Range<Int>]
  ) -> [RedactionEdit] {
    var pieces: [(range: Range<Int>, match: SecretMatch?)] =
      matches.map { ($0.range, $0) } + positions.map { ($0, nil) }
    pieces.sort {
      ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
    }
    var edits: [RedactionEdit] = []
    var index = 0
    while index < pieces.count {
      var range = pieces[index].range
      // A position has the name of the secrets in it if they have one.
      var name: String?
      var hasOtherNames = false
      var byPosition = false
      while index < pieces.count,
        pieces[index].range.lowerBound < range.upperBound || pieces[index].range == range
      {
        let piece = pieces[index]
        range = range.lowerBound..<max(range.upperBound, piece.range.upperBound)
        if let match = piece.match {
          hasOtherNames =
            hasOtherNames || match.hasOtherNames || name?.hasSameBytes(as: match.name) == false
          name = name ?? match.name
        } else {
          byPosition = true
        }
        index += 1
      }
      if byPosition, hasOtherNames { name = nil }
      let mark = name.map(RedactionMark.named) ?? RedactionMark.redacted
      edits.append(RedactionEdit(range: range, replacement: Array(mark.utf8), name: name))
    }
    return edits
  }

  /// Applies the edits. In a JSON document, a number with a mark becomes a string.
  private static func masked(_ text: String, _ edits: [RedactionEdit], _ isJSON: Bool) -> [UInt8] {
    let bytes = Array(text.utf8)
    let document = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let first = document.first { $0 > 0x20 }
    guard isJSON || first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      (try? JSON(parsing: Array(document))) != nil
    else { return apply(edits, to: bytes) }
    var edits = edits
    var isInString = false
    var position = 0
    var next = 0
    while next < edits.count, position < bytes.count {
      let byte = bytes[position]
      if isInString {
        if byte == UInt8(ascii: "\\") { position += 1 }
        if byte == UInt8(ascii: "\"") { isInString = false }
        position += 1
      } else if byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) {
        let end = bytes[position...].firstIndex { !isPartOfNumber($0) } ?? bytes.count
        let inside = edits[next...].prefix { $0.range.upperBound <= end }
        if let first = inside.indices.first, let last = inside.indices.last {
          // The edits also replace the rest of the number.
          let quote = [UInt8(ascii: "\"")]
          edits[first].replacement =
            quote + bytes[position..<edits[first].range.lowerBound] + edits[first].replacement
          edits[first].range = position..<edits[first].range.upperBound
          edits[last].replacement += bytes[edits[last].range.upperBound..<end] + quote
          edits[last].range = edits[last].range.lowerBound..<end
        }
        position = end
      } else {
        isInString = byte == UInt8(ascii: "\"")
        position += 1
      }
      while next < edits.count, edits[next].range.upperBound <= position { next += 1 }
    }
    return apply(edits, to: bytes)
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"),
      UInt8(ascii: "E"):
      true
    default: false
    }
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

/// The replacement of a range of bytes.
struct RedactionEdit: Sendable {
  var range: Range<Int>
  var replacement: [UInt8]
  /// The name of the known secret that was replaced, if any.
  var name: String?
}
