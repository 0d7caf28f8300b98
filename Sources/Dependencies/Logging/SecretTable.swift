/// The hashed forms of what was registered. Immutable: a registration makes a new one.
///
/// A text is searched by the hash of the four bytes at each place: a bit set tells in about a nanosecond that no pattern
/// begins there, whatever their number. Where one may, the hash of as many bytes as the pattern is long decides; it is the
/// standard library's, keyed anew in each process, so that a false match has a chance of 2⁻⁶⁴.
final class SecretTable: Sendable {
  struct Match {
    var range: Range<Int>
    var name: String
  }

  private struct Entry {
    var length: Int
    var hash: Int
    var name: Int
    var coversLeft: Bool
    var coversRight: Bool
  }

  private let names: [String]
  private let multiplier: UInt32
  private let filter: [UInt64]
  private let buckets: [UInt16: [Entry]]
  /// A `+` may stand for a space in forms.
  private let hasSpaces: Bool

  /// `nil` when all patterns are there already.
  init?(adding patterns: [SecretPattern], name: String, to old: SecretTable?) {
    var buckets = old?.buckets ?? [:]
    var filter = old?.filter ?? Array(repeating: 0, count: 1024)
    let multiplier = old?.multiplier ?? (UInt32.random(in: 0...UInt32.max) | 1)
    let index = old?.names.count ?? 0
    var added = false
    var hasSpaces = old?.hasSpaces ?? false
    for pattern in patterns {
      pattern.bytes.withUnsafeBufferPointer { bytes in
        let slot = Self.slot(bytes, at: 0, multiplier)
        let entry = Entry(
          length: bytes.count, hash: Self.hash(bytes, from: 0, count: bytes.count), name: index,
          coversLeft: pattern.coversLeft, coversRight: pattern.coversRight)
        let known = buckets[slot]?.contains { $0.hash == entry.hash && $0.length == entry.length }
        guard known != true else { return }
        buckets[slot, default: []].append(entry)
        filter[Int(slot >> 6)] |= 1 << UInt64(slot & 63)
        hasSpaces = hasSpaces || bytes.contains(0x20)
        added = true
      }
    }
    guard added else { return nil }
    self.names = (old?.names ?? []) + [name]
    self.buckets = buckets
    self.filter = filter
    self.multiplier = multiplier
    self.hasSpaces = hasSpaces
  }

  /// Where registered values stand, as they are and in every encoding. Unordered; ranges may overlap.
  func matches(inAllFormsOf text: UnsafeBufferPointer<UInt8>, _ signs: TextSigns) -> [Match] {
    var matches: [Match] = []
    search(text) { matches.append(Match(range: $0, name: names[$1])) }
    let hasPercent = signs.contains(.percent)
    let hasEscape = signs.contains(.backslash)
    guard hasPercent || hasEscape || (hasSpaces && signs.contains(.plus)) else { return matches }
    func searchView(_ view: DecodedText?) {
      guard let view else { return }
      view.bytes.withUnsafeBufferPointer { bytes in
        search(bytes) { matches.append(Match(range: view.original($0), name: names[$1])) }
      }
    }
    func searchPercent(_ base: DecodedText) {
      searchView(base.percentDecoded(plusIsSpace: false))
      if hasSpaces { searchView(base.percentDecoded(plusIsSpace: true)) }
    }
    let plain = DecodedText(text)
    searchPercent(plain)
    guard hasEscape, let once = plain.jsonUnescaped() else { return matches }
    searchView(once)
    if hasPercent { searchPercent(once) }
    // JSON inside a JSON string, as in a body that an error text quotes.
    searchView(once.jsonUnescaped())
    return matches
  }

  private func search(
    _ text: UnsafeBufferPointer<UInt8>, found: (Range<Int>, _ name: Int) -> Void
  ) {
    guard text.count >= 4 else { return }
    filter.withUnsafeBufferPointer { filter in
      for start in 0...(text.count - 4) {
        let slot = Self.slot(text, at: start, multiplier)
        guard filter[Int(slot >> 6)] & (1 << UInt64(slot & 63)) != 0,
          let entries = buckets[slot]
        else { continue }
        for entry in entries where start + entry.length <= text.count {
          guard Self.hash(text, from: start, count: entry.length) == entry.hash else { continue }
          var range = start..<(start + entry.length)
          if entry.coversLeft, start > 0, SecretPattern.isBase64(text[start - 1]) {
            range = (start - 1)..<range.upperBound
          }
          if entry.coversRight, range.upperBound < text.count,
            SecretPattern.isBase64(text[range.upperBound])
          {
            range = range.lowerBound..<(range.upperBound + 1)
          }
          found(range, entry.name)
        }
      }
    }
  }

  /// Sixteen bits of four bytes: so few that they tell next to nothing of the secret.
  private static func slot(
    _ text: UnsafeBufferPointer<UInt8>, at index: Int, _ multiplier: UInt32
  ) -> UInt16 {
    let word = UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: index, as: UInt32.self)
    let mixed = (word ^ (word >> 15)) &* multiplier
    return UInt16(truncatingIfNeeded: mixed >> 16)
  }

  private static func hash(_ text: UnsafeBufferPointer<UInt8>, from start: Int, count: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(
      bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[start..<(start + count)])
    )
    return hasher.finalize()
  }
}

/// One form of a secret to look for. Percent-encoding and JSON escapes are no forms: the text is decoded instead.
struct SecretPattern {
  var bytes: [UInt8]
  /// The character before or after the pattern holds a few bits of the secret and goes with it.
  var coversLeft = false
  var coversRight = false

  private static let longest = 4096

  /// Empty for values under four bytes.
  static func all(of value: [UInt8]) -> [SecretPattern] {
    var values = [value]
    // A file with a secret often ends in a newline that is not sent.
    let trimmed = value.prefix(
      (value.lastIndex { $0 != 0x0A && $0 != 0x0D && $0 != 0x20 }).map { $0 + 1 } ?? 0)
    if trimmed.count < value.count { values.append(Array(trimmed)) }
    // Text that was read as UTF-8 has U+FFFD where a value is not UTF-8.
    let repaired = Array(String(decoding: value, as: UTF8.self).utf8)
    if repaired != value, value.filter({ $0 < 0x80 }).count >= 4 { values.append(repaired) }
    return values.filter { $0.count >= 4 }.flatMap(pieces).flatMap { piece in
      [SecretPattern(bytes: piece)]
        + (0..<3).flatMap { skipped in
          [base64(piece, after: skipped, standard), base64(piece, after: skipped, urlSafe)]
        }
    }
  }

  /// Long values are looked for in pieces, so that the search stays linear.
  private static func pieces(of value: [UInt8]) -> [[UInt8]] {
    guard value.count > longest else { return [value] }
    return stride(from: 0, to: value.count, by: longest).map { start in
      Array(value[min(start, value.count - longest)..<min(start + longest, value.count)])
    }
  }

  private static let standard = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlSafe = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The characters that depend on the value alone when it stands `skipped` bytes after a group's begin.
  private static func base64(_ value: [UInt8], after skipped: Int, _ alphabet: [UInt8])
    -> SecretPattern
  {
    let bits = 8 * (skipped + value.count)
    var characters: [UInt8] = []
    let first = (8 * skipped + 5) / 6
    for index in first..<(bits / 6) {
      var sextet = 0
      for bit in (6 * index)..<(6 * index + 6) {
        let byte = Int(value[bit / 8 - skipped])
        sextet = sextet << 1 | (byte >> (7 - bit % 8)) & 1
      }
      characters.append(alphabet[sextet])
    }
    return SecretPattern(
      bytes: characters, coversLeft: skipped != 0, coversRight: bits % 6 != 0)
  }

  static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F, 0x2D, 0x5F: true
    default: false
    }
  }
}
