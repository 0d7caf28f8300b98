import CSodium
import SwiftBoardJSON
import SwiftBoardSystem

/// The hashed forms of the registered values. It is immutable, so a registration creates a new
/// table.
///
/// A search looks up the hash of the four bytes at each position in a bit set. This takes about a
/// nanosecond and excludes most positions, regardless of the number of patterns. Otherwise, it
/// compares the hash of as many bytes as the pattern has. That hash has a new key in each process,
/// so the probability of a false match is 2⁻⁶¹ times the number of bytes.
final class SecretTable: Sendable {
  /// Forms by their first bytes.
  private struct Index {
    struct Entry {
      var form: SecretBatch.Form
      var name: Int
    }

    private(set) var filter: [UInt64] = Array(repeating: 0, count: 1024)
    /// Those with the same length are next to each other.
    private(set) var buckets: [UInt16: [Entry]] = [:]
    private(set) var longest = 0

    /// Adds a form. Returns false if it is there already.
    mutating func add(_ form: SecretBatch.Form, name: Int) -> Bool {
      let known = buckets[form.slot]?.contains {
        $0.form.hash == form.hash && $0.form.length == form.length
      }
      guard known != true else { return false }
      let entry = Entry(form: form, name: name)
      let place = buckets[form.slot]?.firstIndex { $0.form.length > form.length }
      if let place {
        buckets[form.slot]?.insert(entry, at: place)
      } else {
        buckets[form.slot, default: []].append(entry)
      }
      longest = max(longest, form.length)
      filter[Int(form.slot >> 6)] |= 1 << UInt64(form.slot & 63)
      return true
    }

    /// Returns the value whose form it is.
    func name(of form: SecretBatch.Form) -> Int? {
      buckets[form.slot]?.first { $0.form.hash == form.hash && $0.form.length == form.length }?.name
    }
  }

  private let names: [String]
  /// For each value, whether a secret has it still, as far as that is known.
  private let areStored: [Bool]
  /// The UTF-8 of all marks that this table and earlier ones have put into texts.
  private let marks: Set<[UInt8]>
  private let key: SecretHashKey
  private let forms: Index
  /// The forms in lower case, as far as they differ. A separate index, so that they do not slow the
  /// search of data down.
  private let lowercaseForms: Index
  /// Whether values contain spaces, which may be `+` in forms.
  private let hasSpaces: Bool
  /// Whether values are numbers, which a document may write with an exponent.
  private let hasNumbers: Bool

  /// Creates a table with the values of a batch added, or returns `nil` if nothing changes.
  ///
  /// - Parameter isComplete: Whether the batch has all secrets that there are. A value of which the
  ///   secret is gone then gets the name of another secret with the same value, if there is one.
  init?(adding batch: SecretBatch, to old: SecretTable?, isComplete: Bool = false) {
    guard !batch.values.isEmpty || isComplete && old != nil else { return nil }
    var names = old?.names ?? []
    var forms = old?.forms ?? Index()
    var lowercaseForms = old?.lowercaseForms ?? Index()
    let count = names.count
    for value in batch.values {
      var isNew = false
      for form in value.forms where forms.add(form, name: names.count) { isNew = true }
      for form in value.lowercaseForms where lowercaseForms.add(form, name: names.count) {
        isNew = true
      }
      if isNew { names.append(value.name) }
    }
    var areStored = (old?.areStored ?? []) + [Bool](repeating: true, count: names.count - count)
    if isComplete {
      var stored: [Int: String] = [:]
      for value in batch.values {
        // A form can be that of another value, of which this one is an encoding.
        let indexes = value.forms.lazy.compactMap(forms.name)
        guard
          let index = indexes.first(where: { names[$0].hasSameBytes(as: value.name) })
            ?? indexes.first
        else { continue }
        if stored[index] == nil || names[index].hasSameBytes(as: value.name) {
          stored[index] = value.name
        }
      }
      for index in names.indices {
        names[index] = stored[index] ?? names[index]
        areStored[index] = stored[index] != nil
      }
    }
    let isSame = names.elementsEqual(old?.names ?? []) { $0.hasSameBytes(as: $1) }
    guard !isSame || areStored != old?.areStored else { return nil }
    self.names = names
    self.areStored = areStored
    marks = Self.marks(of: isComplete ? names[...] : names[count...], and: old)
    self.forms = forms
    self.lowercaseForms = lowercaseForms
    key = batch.key
    hasSpaces = (old?.hasSpaces ?? false) || batch.hasSpaces
    hasNumbers = (old?.hasNumbers ?? false) || batch.hasNumbers
  }

  /// Creates a table with the same values, some of them renamed.
  init(renaming name: String, to newName: String, in old: SecretTable) {
    names = old.names.map { $0.hasSameBytes(as: name) ? newName : $0 }
    areStored = old.areStored
    marks = Self.marks(of: [newName], and: old)
    forms = old.forms
    lowercaseForms = old.lowercaseForms
    key = old.key
    hasSpaces = old.hasSpaces
    hasNumbers = old.hasNumbers
  }

  var count: Int { names.count }

  func knows(_ name: String) -> Bool { names.contains { $0.hasSameBytes(as: name) } }

  func hasStored(_ name: String) -> Bool {
    zip(names, areStored).contains { $1 && $0.hasSameBytes(as: name) }
  }

  /// Returns whether a mark is one that a redactor with this table may have put into a text. Others
  /// can write text that looks like a mark.
  func makes(_ mark: some Collection<UInt8>) -> Bool {
    marks.contains(Array(mark)) || mark.elementsEqual(RedactionMark.redacted.utf8)
  }

  private static func marks(
    of names: some Sequence<String>, and old: SecretTable?
  ) -> Set<[UInt8]> {
    (old?.marks ?? []).union(names.map { Array(RedactionMark.named($0).utf8) })
  }

  /// Finds registered values, unencoded and in every encoding.
  ///
  /// A mark that the redactor may have made contains a name, and no value. Text that only looks
  /// like a mark is searched like any other.
  ///
  /// - Parameter inLowercase: Whether to find forms in lower case too.
  func matches(
    inAllFormsOf text: UnsafeBufferPointer<UInt8>, _ markers: EncodingMarkers, inLowercase: Bool
  ) -> [SecretMatch] {
    var matches = SecretMatches()
    var names: OwnMarkNames?
    func collect(_ search: ((Range<Int>, _ name: Int) -> Void) -> Void) {
      var found = SecretMatches()
      search { range, name in
        let known = names ?? OwnMarkNames(in: text, of: self)
        names = known
        guard !known.contain(range) else { return }
        found.append(SecretMatch(range, name: self.names[name]))
      }
      matches.merge(found)
    }
    func search(_ text: UnsafeBufferPointer<UInt8>, range: (Range<Int>) -> Range<Int> = { $0 }) {
      collect { found in self.search(text, forms) { found(range($0), $1) } }
      if hasNumbers {
        collect { found in
          for number in ExponentNumber.all(in: text) {
            number.digits.withUnsafeBufferPointer { digits in
              self.search(digits, forms) { found(range(number.range), $1) }
            }
          }
        }
      }
      guard inLowercase else { return }
      collect { found in self.search(text, lowercaseForms) { found(range($0), $1) } }
    }
    search(text)
    let hasPercent = markers.contains(.percent)
    let hasEscape = markers.contains(.backslash)
    func searchJoined(_ view: DecodedText) {
      guard let joined = view.wrappedLinesJoined() else { return }
      joined.bytes.withUnsafeBufferPointer { search($0, range: joined.original) }
    }
    if DecodedText.hasWrappedLines(text) { searchJoined(DecodedText(text)) }
    guard hasPercent || hasEscape || (hasSpaces && markers.contains(.plus)) else {
      return matches.all
    }
    // Encodings can be nested, such as in the query of an address in a JSON string. A view is
    // searched in all its encodings before the next one is decoded, so that few are in memory.
    func searchEncodings(of view: DecodedText, nesting: Int) {
      searchDecoded(view.percentDecoded(plusIsSpace: false), nesting)
      searchDecoded(view.jsonUnescaped(), nesting)
      if hasSpaces { searchDecoded(view.percentDecoded(plusIsSpace: true), nesting) }
    }
    func searchDecoded(_ view: DecodedText?, _ nesting: Int) {
      guard let view else { return }
      view.bytes.withUnsafeBufferPointer { search($0, range: view.original) }
      searchJoined(view)
      if nesting > 1 { searchEncodings(of: view, nesting: nesting - 1) }
    }
    searchEncodings(of: DecodedText(text), nesting: 3)
    return matches.all
  }

  /// The names in the marks of a text that the redactor may have put there.
  private struct OwnMarkNames {
    private let ranges: [Range<Int>]

    init(in text: UnsafeBufferPointer<UInt8>, of table: SecretTable) {
      ranges = RedactionMark.ranges(in: text).filter { table.makes(text[$0]) }
        .map(RedactionMark.content)
    }

    /// Returns whether a range is in a name. O(log of the number of marks).
    func contain(_ range: Range<Int>) -> Bool {
      var candidates = ranges[...]
      while !candidates.isEmpty {
        let middle = (candidates.startIndex + candidates.endIndex) / 2
        let name = candidates[middle]
        if name.upperBound < range.upperBound {
          candidates = candidates[(middle + 1)...]
        } else if name.lowerBound > range.lowerBound {
          candidates = candidates[..<middle]
        } else {
          return true
        }
      }
      return false
    }
  }

  /// Calls `found` with the forms in a text, in the order of their first characters. Linear in the
  /// text: a position takes constant time for each length of the forms that may start there.
  private func search(
    _ text: UnsafeBufferPointer<UInt8>, _ index: Index,
    found: (Range<Int>, _ name: Int) -> Void
  ) {
    guard text.count >= 4, !index.buckets.isEmpty else { return }
    var hashes = PartHashes(of: text, longest: min(index.longest, text.count), key)
    index.filter.withUnsafeBufferPointer { filter in
      for start in 0...(text.count - 4) {
        let slot = Self.slot(text, at: start, key)
        guard filter[Int(slot >> 6)] & (1 << UInt64(slot & 63)) != 0,
          let entries = index.buckets[slot]
        else { continue }
        var (length, hash) = (0, 0)
        for entry in entries where start + entry.form.length <= text.count {
          let form = entry.form
          if length != form.length {
            length = form.length
            hash = hashes.hash(from: start, count: length, factor: form.factor)
          }
          guard hash == form.hash else { continue }
          var range = start..<(start + form.length)
          if form.coversLeft, start > 0, SecretPattern.isBase64(text[start - 1]) {
            range = (start - 1)..<range.upperBound
          }
          if form.coversRight, range.upperBound < text.count,
            SecretPattern.isBase64(text[range.upperBound])
          {
            range = range.lowerBound..<(range.upperBound + 1)
          }
          found(range, entry.name)
        }
      }
    }
  }

  /// Returns sixteen bits of four bytes, which are too few to reveal much about the secret.
  fileprivate static func slot(
    _ text: UnsafeBufferPointer<UInt8>, at index: Int, _ key: SecretHashKey
  ) -> UInt16 {
    let word = UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: index, as: UInt32.self)
    let mixed = (word ^ (word >> 15)) &* key.multiplier
    return UInt16(truncatingIfNeeded: mixed >> 16)
  }
}

/// The values to register, as hashes. The values themselves can be released at once.
struct SecretBatch: Sendable {
  /// One form of a value.
  struct Form: Sendable {
    var slot: UInt16
    var length: Int
    var hash: Int
    var factor: UInt64
    var coversLeft: Bool
    var coversRight: Bool
  }

  let key: SecretHashKey
  private(set) var values: [(name: String, forms: [Form], lowercaseForms: [Form])] = []
  private(set) var hasSpaces = false
  private(set) var hasNumbers = false

  /// - Parameter key: The redactor's key.
  init(key: SecretHashKey) {
    self.key = key
  }

  /// Adds all forms of a value. Adds nothing for a value under six bytes.
  mutating func add(_ value: UnsafeRawBufferPointer, name: String) {
    var forms: [Form] = []
    var lowercaseForms: [Form] = []
    SecretPattern.forEach(of: value) { bytes, coversLeft, coversRight in
      func form(_ bytes: UnsafeBufferPointer<UInt8>) -> Form {
        Form(
          slot: SecretTable.slot(bytes, at: 0, key), length: bytes.count,
          hash: PartHashes.hash(bytes, key), factor: PartHashes.factor(count: bytes.count, key),
          coversLeft: coversLeft, coversRight: coversRight)
      }
      forms.append(form(bytes))
      SecretPattern.withLowercase(of: bytes) { lowercaseForms.append(form($0)) }
      hasSpaces = hasSpaces || position(of: 0x20, in: UnsafeRawBufferPointer(bytes)) != nil
    }
    guard !forms.isEmpty else { return }
    values.append((name, forms, lowercaseForms))
    hasNumbers = hasNumbers || value.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2e }
  }
}

/// The forms of a secret to search for. Percent-encoding and JSON escapes are not among them,
/// because the text is decoded instead.
enum SecretPattern {
  private static let shortest = Redactor.shortestValue
  private static let longest = 4096

  typealias Body = (
    _ bytes: UnsafeBufferPointer<UInt8>, _ coversLeft: Bool, _ coversRight: Bool
  ) -> Void

  /// Calls `body` with each form, or not at all for a value under six bytes. `coversLeft` and
  /// `coversRight` tell whether the character before or after the form contains a few bits of the
  /// secret and must be replaced too.
  ///
  /// The bytes are only valid during the call. Their memory is erased afterwards.
  static func forEach(of value: UnsafeRawBufferPointer, _ body: Body) {
    let value = value.bindMemory(to: UInt8.self)
    forEachForm(of: value, body)
    // A file with a secret often ends in a newline that is not part of it, and HTTP removes blanks
    // around the value of a header.
    let isBlank = { (byte: UInt8) in [0x09, 0x0A, 0x0D, 0x20].contains(byte) }
    let start = value.firstIndex { !isBlank($0) } ?? 0
    let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    for part in Set([start..<value.count, 0..<end, start..<end]) where part.count < value.count {
      forEachForm(of: UnsafeBufferPointer(rebasing: value[part]), body)
    }
    // If a whole JSON document is base64-encoded, the value is JSON-escaped inside it.
    withErasedBytes(capacity: 6 * value.count) { escaped in
      for byte in value {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): escaped += [UInt8(ascii: "\\"), byte]
        default: escaped.append(byte)
        }
      }
      if escaped.count > value.count {
        escaped.withUnsafeBufferPointer { forEachForm(of: $0, body) }
      }
    }
    // Text that was read as UTF-8 has U+FFFD where a value is not UTF-8.
    guard value.count(where: { $0 < 0x80 }) >= 4 else { return }
    withErasedBytes(capacity: 3 * value.count) { repaired in
      let isInvalid = transcode(
        value.makeIterator(), from: UTF8.self, to: UTF8.self, stoppingOnError: false,
        into: { repaired.append($0) })
      if isInvalid { repaired.withUnsafeBufferPointer { forEachForm(of: $0, body) } }
    }
  }

  private static func forEachForm(of value: UnsafeBufferPointer<UInt8>, _ body: Body) {
    guard value.count >= shortest else { return }
    // Long values are searched in pieces, so that the search stays linear.
    for start in stride(from: 0, to: value.count, by: longest) {
      let first = value.count > longest ? min(start, value.count - longest) : 0
      let piece = UnsafeBufferPointer(
        rebasing: value[first..<min(first + longest, value.count)])
      body(piece, false, false)
      withErasedBytes(capacity: 2 * piece.count) { form in
        for digits in [lowercaseDigits, uppercaseDigits] {
          form.removeAll(keepingCapacity: true)
          for byte in piece {
            form.append(digits[Int(byte >> 4)])
            form.append(digits[Int(byte & 15)])
          }
          form.withUnsafeBufferPointer { body($0, false, false) }
        }
        for skipped in 0..<3 {
          for alphabet in [standard, urlSafe] {
            form.removeAll(keepingCapacity: true)
            let bits = appendBase64(of: piece, after: skipped, alphabet, to: &form)
            form.withUnsafeBufferPointer { body($0, skipped != 0, bits % 6 != 0) }
          }
        }
      }
    }
  }

  /// Calls `body` with a form in lower case, as in the name of a host, if that differs from it. The
  /// mapping is that of `String.lowercased()`, without a string that would keep the bytes.
  static func withLowercase(
    of form: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    withErasedBytes(capacity: 3 * form.count) { lowercase in
      if form.allSatisfy({ $0 < 0x80 }) {
        // All forms but the value itself. A scalar's mapping is a string, and takes its time.
        for byte in form { lowercase.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) }
      } else {
        _ = transcode(
          form.makeIterator(), from: UTF8.self, to: UTF32.self, stoppingOnError: false
        ) { lowercase += (Unicode.Scalar($0) ?? "\u{FFFD}").properties.lowercaseMapping.utf8 }
      }
      guard lowercase.count >= shortest, !lowercase.elementsEqual(form) else { return }
      lowercase.withUnsafeBufferPointer(body)
    }
  }

  /// Calls `body` with an array that does not move within its capacity, and erases its memory
  /// afterwards.
  private static func withErasedBytes(capacity: Int, _ body: (inout [UInt8]) -> Void) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(capacity)
    body(&bytes)
    bytes.withUnsafeMutableBytes { sodium_memzero($0.baseAddress, $0.count) }
    // Forms of several lengths were created in it.
    bytes.append(contentsOf: repeatElement(0, count: bytes.capacity - bytes.count))
  }

  private static let lowercaseDigits = Array("0123456789abcdef".utf8)
  private static let uppercaseDigits = Array("0123456789ABCDEF".utf8)
  private static let standard = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlSafe = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Appends the base64 characters that depend only on the value, if it starts `skipped` bytes
  /// after the start of a group.
  ///
  /// - Returns: The number of bits of the skipped bytes and the value.
  private static func appendBase64(
    of value: UnsafeBufferPointer<UInt8>, after skipped: Int, _ alphabet: [UInt8],
    to characters: inout [UInt8]
  ) -> Int {
    let bits = 8 * (skipped + value.count)
    let first = (8 * skipped + 5) / 6
    for index in first..<(bits / 6) {
      let (byte, bit) = (6 * index / 8 - skipped, 6 * index % 8)
      // Six bits from `bit` on, the last of which may be in the next byte.
      let word = Int(value[byte]) << 8 | (bit > 2 ? Int(value[byte + 1]) : 0)
      characters.append(alphabet[word >> (10 - bit) & 63])
    }
    return bits
  }

  static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F, 0x2D, 0x5F: true
    default: false
    }
  }
}
