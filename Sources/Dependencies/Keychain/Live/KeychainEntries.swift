import CSodium
import SwiftBoardJSON
import SwiftBoardSystem

/// The decrypted entries: a guarded region with the padded plaintext, and the location of each
/// entry in it. It is immutable, so a change creates a new region. Keys are bytes: canonically
/// equivalent strings are different keys.
struct KeychainEntries: Sendable {
  /// The padded plaintext.
  let region: GuardedBytes
  /// The entries in the byte order of their keys.
  private let index: [Entry]
  /// The offset after the last entry.
  private let end: Int
  /// The positions in `index` by the hashes of keys, so that a lookup opens only the pages of one
  /// entry. Created by the first lookup. The hashes are seeded in each process.
  private let positions = Shared<[Int: Int]?>(nil)

  /// The offsets of an entry in the plaintext. It starts two bytes before its key.
  private struct Entry: Sendable {
    var key: UInt32
    var keyLength: UInt32
    var value: UInt32
    var valueLength: UInt32

    var keyRange: Range<Int> { Int(key)..<Int(key + keyLength) }
    var valueRange: Range<Int> { Int(value)..<Int(value + valueLength) }
    var whole: Range<Int> { Int(key) - 2..<Int(value + valueLength) }
  }

  var count: Int { index.count }

  /// Creates an empty set of entries.
  init() throws(KeychainError) {
    try self.init(
      padded: try GuardedBytes(count: KeychainFormat.blockSize) { buffer throws(KeychainError) in
        buffer[4] = 0x80
      })
  }

  /// Parses a padded plaintext. Throws `.malformedPayload` if no writer can have created it.
  init(padded region: GuardedBytes) throws(KeychainError) {
    self.region = region
    (index, end) = try region.withBytes { bytes throws(KeychainError) in
      var end = 0
      guard bytes.count % KeychainFormat.blockSize == 0,
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
        sodium_unpad(&end, start, bytes.count, KeychainFormat.blockSize) == 0
      else { throw .malformed(.payload, "its padding is wrong") }
      return (try Self.parse(UnsafeRawBufferPointer(rebasing: bytes[..<end])), end)
    }
  }

  private static func parse(_ bytes: UnsafeRawBufferPointer) throws(KeychainError) -> [Entry] {
    guard bytes.count >= 4 else {
      throw .malformed(.payload, "it is too short to count its entries")
    }
    let count: UInt32 = bytes.integer(at: 0)
    var index: [Entry] = []
    var offset = 4
    for _ in 0..<count {
      guard bytes.count - offset >= 2 else {
        throw .malformed(.payload, "it ends inside its entries")
      }
      let keyLength = Int(bytes.integer(at: offset, as: UInt16.self))
      let key = offset + 2
      guard 1...KeychainFormat.maximumKeyLength ~= keyLength else {
        throw .malformed(.payload, "a key has \(keyLength) bytes")
      }
      guard bytes.count - key >= keyLength + 4 else {
        throw .malformed(.payload, "it ends inside its entries")
      }
      let valueLength = Int(bytes.integer(at: key + keyLength, as: UInt32.self))
      let value = key + keyLength + 4
      guard valueLength <= KeychainFormat.maximumValueLength else {
        throw .malformed(.payload, "a value has \(valueLength) bytes")
      }
      guard bytes.count - value >= valueLength else {
        throw .malformed(.payload, "it ends inside its entries")
      }
      let entry = Entry(
        key: UInt32(key), keyLength: UInt32(keyLength), value: UInt32(value),
        valueLength: UInt32(valueLength))
      let keyBytes = UnsafeRawBufferPointer(rebasing: bytes[entry.keyRange])
      guard isValidUTF8(keyBytes) else { throw .malformed(.payload, "a key is not UTF-8") }
      if let last = index.last {
        let lastKey = UnsafeRawBufferPointer(rebasing: bytes[last.keyRange])
        guard order(lastKey, keyBytes) < 0 else {
          throw .malformed(.payload, "its keys are not in order")
        }
      }
      index.append(entry)
      offset = value + valueLength
    }
    guard offset == bytes.count else { throw .malformed(.payload, "something follows its entries") }
    return index
  }

  /// Returns a copy of a key's value, or `nil` if the key is absent. O(1), and O(entries) for the
  /// first key.
  func value(of key: String) throws(KeychainError) -> Data? {
    let key = Array(key.utf8)
    guard let position = try positionsByHash()[key.withUnsafeBytes(Self.hash)] else { return nil }
    let entry = index[position]
    let (value, isFound) = try region.withBytes(in: entry.whole) { bytes -> (Data?, Bool) in
      // The lengths precede the key and the value.
      guard bytes[2..<2 + Int(entry.keyLength)].elementsEqual(key) else { return (nil, false) }
      return (Data(bytes[(bytes.count - Int(entry.valueLength))...]), true)
    }
    if isFound { return value }
    // Another key has the same hash.
    return try region.withBytes { bytes throws(KeychainError) in
      guard case .at(let position) = lookup(key, in: bytes) else { return nil }
      return Data(bytes[index[position].valueRange])
    }
  }

  private func positionsByHash() throws(KeychainError) -> [Int: Int] {
    if let known = positions.value.withLock({ $0 }) { return known }
    let new = try region.withBytes { bytes throws(KeychainError) in
      var new: [Int: Int] = Dictionary(minimumCapacity: index.count)
      for (position, entry) in index.enumerated() {
        new[Self.hash(UnsafeRawBufferPointer(rebasing: bytes[entry.keyRange]))] = position
      }
      return new
    }
    positions.value.withLock { $0 = new }
    return new
  }

  private static func hash(_ key: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: key)
    return hasher.finalize()
  }

  /// Returns all keys in byte order.
  func keys() throws(KeychainError) -> [String] {
    try region.withBytes { bytes throws(KeychainError) in
      index.map { String(decoding: bytes[$0.keyRange], as: UTF8.self) }
    }
  }

  /// Calls `body` with every key and value in the byte order of the keys. Does not copy the values.
  func forEach(
    _ body: (_ key: String, _ value: UnsafeRawBufferPointer) -> Void
  ) throws(KeychainError) {
    try region.withBytes { bytes throws(KeychainError) in
      for entry in index {
        body(
          String(decoding: bytes[entry.keyRange], as: UTF8.self),
          UnsafeRawBufferPointer(rebasing: bytes[entry.valueRange]))
      }
    }
  }

  /// Returns the entries with a new or replaced value.
  func setting(_ key: String, to value: Data) throws(KeychainError) -> KeychainEntries {
    let key = Array(key.utf8)
    return try region.withBytes { bytes throws(KeychainError) in
      let (removed, insertion): (Range<Int>?, Int)
      switch lookup(key, in: bytes) {
      case .at(let position):
        (removed, insertion) = (index[position].whole, index[position].whole.lowerBound)
      case .before(let position):
        (removed, insertion) = (nil, start(of: position))
      }
      return try value.bytes.withUnsafeBytes { (value) throws(KeychainError) in
        try rebuilt(from: bytes, removing: removed, inserting: (insertion, key, value))
      }
    }
  }

  /// Returns the entries without `key`, or `nil` if it is absent.
  func removing(_ key: String) throws(KeychainError) -> KeychainEntries? {
    try region.withBytes { bytes throws(KeychainError) in
      guard case .at(let position) = lookup(Array(key.utf8), in: bytes) else { return nil }
      return try rebuilt(from: bytes, removing: index[position].whole, inserting: nil)
    }
  }

  /// Returns the entries with `key` renamed to `newKey`, or `nil` if both are the same bytes.
  /// Throws `.missingKey` and `.duplicateKey`.
  func renaming(_ key: String, to newKey: String) throws(KeychainError) -> KeychainEntries? {
    let newBytes = Array(newKey.utf8)
    return try region.withBytes { bytes throws(KeychainError) in
      guard case .at(let position) = lookup(Array(key.utf8), in: bytes) else {
        throw .missingKey
      }
      guard !newBytes.elementsEqual(key.utf8) else { return nil }
      guard case .before(let target) = lookup(newBytes, in: bytes) else { throw .duplicateKey }
      let entry = index[position]
      return try rebuilt(
        from: bytes, removing: entry.whole,
        inserting: (
          start(of: target), newBytes, UnsafeRawBufferPointer(rebasing: bytes[entry.valueRange])
        ))
    }
  }

  /// Returns the entries merged with those of `other`, and the numbers of the import. The entries
  /// are `nil` if nothing changes. Throws `.duplicateKey` if names exist and `existing` is
  /// `refuse`. O(bytes of both).
  func merging(
    _ other: KeychainEntries, _ existing: ImportDuplicates
  ) throws(KeychainError) -> (entries: KeychainEntries?, report: KeychainImport) {
    try region.withBytes { mine throws(KeychainError) in
      try other.region.withBytes { theirs throws(KeychainError) in
        var report = KeychainImport(added: 0, replaced: 0, kept: 0)
        var parts: [UnsafeRawBufferPointer] = []
        var (left, right) = (0, 0)
        func part(_ bytes: UnsafeRawBufferPointer, _ entry: Entry) -> UnsafeRawBufferPointer {
          UnsafeRawBufferPointer(rebasing: bytes[entry.whole])
        }
        while left < index.count || right < other.index.count {
          let order: Int
          if left == index.count {
            order = 1
          } else if right == other.index.count {
            order = -1
          } else {
            order = Self.order(
              UnsafeRawBufferPointer(rebasing: mine[index[left].keyRange]),
              UnsafeRawBufferPointer(rebasing: theirs[other.index[right].keyRange]))
          }
          if order < 0 {
            parts.append(part(mine, index[left]))
          } else if order > 0 {
            parts.append(part(theirs, other.index[right]))
            report.added += 1
          } else if existing == .replace {
            parts.append(part(theirs, other.index[right]))
            report.replaced += 1
          } else {
            parts.append(part(mine, index[left]))
            report.kept += 1
          }
          if order <= 0 { left += 1 }
          if order >= 0 { right += 1 }
        }
        if existing == .refuse, report.kept > 0 {
          throw .namesTaken(report.kept)
        }
        guard report.added + report.replaced > 0 else { return (nil, report) }
        return (try Self.joined(parts), report)
      }
    }
  }

  /// Joins encoded entries in order.
  private static func joined(
    _ parts: [UnsafeRawBufferPointer]
  ) throws(KeychainError) -> KeychainEntries {
    let used = parts.reduce(4) { $0 + $1.count }
    let size = try paddedSize(used)
    return try KeychainEntries(
      padded: try GuardedBytes(count: size) { output throws(KeychainError) in
        var writer = Writer(output: output)
        writer.write(UInt32(parts.count))
        for part in parts { writer.write(part) }
        output[used] = 0x80
      })
  }

  private static func paddedSize(_ used: Int) throws(KeychainError) -> Int {
    let block = KeychainFormat.blockSize
    let size = (used / block + 1) * block
    guard size <= KeychainFormat.largestFile else {
      throw KeychainError(
        .limitExceeded,
        message:
          "the entries would need \(size) bytes, more than a keychain may have. Delete entries first."
      )
    }
    return size
  }

  /// Returns whether both have the same plaintext.
  func isIdentical(to other: KeychainEntries) -> Bool { region == other.region }

  private enum Lookup {
    case at(Int)
    case before(Int)
  }

  private func lookup(_ key: [UInt8], in bytes: UnsafeRawBufferPointer) -> Lookup {
    key.withUnsafeBytes { key in
      var (low, high) = (0, index.count)
      while low < high {
        let middle = (low + high) / 2
        let order = Self.order(UnsafeRawBufferPointer(rebasing: bytes[index[middle].keyRange]), key)
        if order == 0 { return .at(middle) }
        if order < 0 { low = middle + 1 } else { high = middle }
      }
      return .before(low)
    }
  }

  private func start(of position: Int) -> Int {
    position < index.count ? index[position].whole.lowerBound : end
  }

  /// Returns changed entries. Entries are contiguous, so a change copies at most three ranges of
  /// the old plaintext.
  private func rebuilt(
    from old: UnsafeRawBufferPointer, removing removed: Range<Int>?,
    inserting new: (offset: Int, key: [UInt8], value: UnsafeRawBufferPointer)?
  ) throws(KeychainError) -> KeychainEntries {
    let gone = removed ?? end..<end
    let added = new.map { 2 + $0.key.count + 4 + $0.value.count } ?? 0
    let used = end - gone.count + added
    let size = try Self.paddedSize(used)
    let count = index.count - (removed == nil ? 0 : 1) + (new == nil ? 0 : 1)
    let region = try GuardedBytes(count: size) { output throws(KeychainError) in
      var writer = Writer(output: output)
      writer.write(UInt32(count))
      let split = new?.offset ?? end
      writer.write(old, 4..<split, without: gone)
      if let new {
        writer.write(UInt16(new.key.count))
        new.key.withUnsafeBytes { writer.write($0) }
        writer.write(UInt32(new.value.count))
        writer.write(new.value)
      }
      writer.write(old, split..<end, without: gone)
      output[used] = 0x80
    }
    return try KeychainEntries(padded: region)
  }

  private struct Writer {
    let output: UnsafeMutableRawBufferPointer
    var offset = 0

    mutating func write(_ bytes: UnsafeRawBufferPointer) {
      UnsafeMutableRawBufferPointer(rebasing: output[offset..<(offset + bytes.count)]).copyMemory(
        from: bytes)
      offset += bytes.count
    }

    mutating func write(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { write($0) }
    }

    mutating func write(
      _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, without gone: Range<Int>
    ) {
      let before = range.clamped(to: 0..<gone.lowerBound)
      let after = range.clamped(to: gone.upperBound..<max(gone.upperBound, bytes.count))
      if !before.isEmpty { write(UnsafeRawBufferPointer(rebasing: bytes[before])) }
      if !after.isEmpty { write(UnsafeRawBufferPointer(rebasing: bytes[after])) }
    }
  }

  /// Compares unsigned bytes. A prefix comes first.
  static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let common = min(left.count, right.count)
    if common > 0, let first = left.baseAddress, let second = right.baseAddress {
      let result = memcmp(first, second, common)
      if result != 0 { return Int(result) }
    }
    return left.count - right.count
  }

  /// Validates UTF-8 in place: a `String` would leave a copy of a key in memory that cannot be
  /// zeroed.
  static func isValidUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.withMemoryRebound(to: UInt8.self) { $0.validUTF8Prefix == $0.count }
  }
}
