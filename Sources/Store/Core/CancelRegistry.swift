/// Finds entries by id and place. An entry is kept under its own place and every place around it, so that a parent finds a
/// child's effects and never the reverse.
///
/// Tokens of effects that have ended are not taken out one by one, which would cost a look-up for each of their keys: they are passed over
/// when they are found, and swept out when others come and they are more than those that live.
///
/// A hash table of its own: the keys lie in the order in which they came, and beside them a table of their hashes. So it grows
/// without hashing, comparing or moving a key, and a look-up compares no key but the one that it finds.
///
/// - Complexity: inserting O(depth of the place), removing O(1) amortised, looking up O(number found).
@usableFromInline
struct CancelRegistry: Sendable {
  @usableFromInline
  enum Bucket: Sendable {
    case one(EffectToken)
    case many([EffectToken])
  }

  @usableFromInline
  struct Record: Sendable {
    @usableFromInline let key: CancelKey
    @usableFromInline let hash: UInt32
    @usableFromInline var bucket: Bucket
  }

  /// Half of a hash, and where the key lies that has it.
  @usableFromInline
  struct Slot: Sendable {
    @usableFromInline let hash: UInt32
    /// -1: nowhere; the slot is free.
    @usableFromInline let record: Int32

    static var free: Slot { Slot(hash: 0, record: -1) }
  }

  /// Searched from a hash's place onwards to the first that is free. As many as a power of two, or none.
  @usableFromInline var slots: [Slot] = []
  @usableFromInline var records: [Record] = []
  /// How many effects have come since the last sweep, and those that it left.
  @usableFromInline var stored = 0
  /// How many effects ids still find.
  @usableFromInline var live: Int32 = 0
  /// How many tokens the buckets hold, those of ended effects included.
  @usableFromInline var tokens: Int32 = 0
  /// How many tokens the last sweep left.
  @usableFromInline var swept: Int32 = 0

  @inlinable
  init() {}

  @usableFromInline
  mutating func insert(_ token: EffectToken, _ traits: EffectTraits, _ entries: EntryBlocks) {
    // Effects in deep places have many keys: beside shallow ones that live they would be few and yet fill the table.
    if tokens > 64, Int(live) * 2 < stored || Int(tokens) > Int(swept) * 4 + 64 { sweep(entries) }
    live += 1
    stored += 1
    if let first = traits.registrations.first {
      add(token, first.key, entries)
      for registration in traits.registrations.rest { add(token, registration.key, entries) }
    }
    if !traits.outlives, !traits.path.isEmpty {
      var hasher = Hasher()
      for depth in traits.path.indices {
        hasher.combine(traits.path[depth].identity)
        add(token, nil, traits.path, depth + 1, CancelKey.hash(nil, hasher), entries)
      }
    }
  }

  /// What bears the key, ended effects included.
  @usableFromInline
  func bucket(_ key: CancelKey) -> Bucket? {
    guard !slots.isEmpty else { return nil }
    let record = slots[place(key.id, key.path, key.path.count, key.hash)].record
    return record < 0 ? nil : records[Int(record)].bucket
  }

  @usableFromInline
  mutating func removeAll() {
    tokens = 0
    stored = 0
    swept = 0
    slots = []
    records = []
  }

  /// Under the key's own place and those around it.
  private mutating func add(_ token: EffectToken, _ key: CancelKey, _ entries: EntryBlocks) {
    add(token, key.id, key.path, 0, CancelKey.hash(key.id), entries)
    guard !key.path.isEmpty else { return }
    var hasher = Hasher()
    for depth in key.path.indices {
      hasher.combine(key.path[depth].identity)
      add(token, key.id, key.path, depth + 1, CancelKey.hash(key.id, hasher), entries)
    }
  }

  private mutating func add(
    _ token: EffectToken, _ id: CancelID?, _ path: [ScopeKey], _ depth: Int, _ hash: UInt32,
    _ entries: EntryBlocks
  ) {
    if records.count * 4 >= slots.count * 3 { grow() }
    let place = place(id, path, depth, hash)
    let record = Int(slots[place].record)
    guard record < 0 else {
      tokens += records[record].bucket.add(token, entries) ? 1 : 0
      return
    }
    slots[place] = Slot(hash: hash, record: Int32(records.count))
    let key = CancelKey(path: depth == path.count ? path : Array(path.prefix(depth)), id: id)
    records.append(Record(key: key, hash: hash, bucket: .one(token)))
    tokens += 1
  }

  /// The slot of the key, else the free one where it belongs.
  private func place(
    _ id: CancelID?, _ path: [ScopeKey], _ depth: Int, _ hash: UInt32
  ) -> Int {
    let mask = slots.count - 1
    var place = Int(hash) & mask
    while true {
      let slot = slots[place]
      if slot.record < 0 { return place }
      if slot.hash == hash, records[Int(slot.record)].key.equals(id, path, depth) { return place }
      place = (place + 1) & mask
    }
  }

  private mutating func grow() {
    let before = slots
    slots = Array(repeating: .free, count: max(16, before.count * 2))
    for slot in before where slot.record >= 0 { put(slot) }
    // As many as the slots allow: they grow together.
    records.reserveCapacity(slots.count * 3 / 4)
  }

  /// A key that is not there yet.
  private mutating func put(_ slot: Slot) {
    let mask = slots.count - 1
    var place = Int(slot.hash) & mask
    while slots[place].record >= 0 { place = (place + 1) & mask }
    slots[place] = slot
  }

  /// Keeps the tokens of effects that ids still find, and forgets keys that have none.
  private mutating func sweep(_ entries: EntryBlocks) {
    stored = Int(live)
    tokens = 0
    var kept = 0
    for index in records.indices {
      let count = records[index].bucket.sweep(entries)
      guard count > 0 else { continue }
      tokens += Int32(count)
      records.swapAt(index, kept)
      kept += 1
    }
    swept = tokens
    records.removeLast(records.count - kept)
    var count = max(16, slots.count)
    while count > 16, kept * 4 < count { count /= 2 }
    if count < slots.count {
      // A copy of its own size: an array never gives memory back.
      var fitting: [Record] = []
      fitting.reserveCapacity(count * 3 / 4)
      fitting += records
      records = fitting
    }
    slots = Array(repeating: .free, count: count)
    for index in records.indices { put(Slot(hash: records[index].hash, record: Int32(index))) }
  }
}

extension CancelRegistry.Bucket {
  /// Whether it is one more: the place of one that has ended is taken.
  fileprivate mutating func add(_ token: EffectToken, _ entries: EntryBlocks) -> Bool {
    switch self {
    case .one(let other):
      guard other.isRegistered(in: entries) else {
        self = .one(token)
        return false
      }
      self = .many([other, token])
    case .many(var tokens):
      self = .one(.none)
      tokens.append(token)
      self = .many(tokens)
    }
    return true
  }

  /// Gives the number of those that stay.
  fileprivate mutating func sweep(_ entries: EntryBlocks) -> Int {
    switch self {
    case .one(let token):
      return token.isRegistered(in: entries) ? 1 : 0
    case .many(let tokens):
      let live = tokens.filter { $0.isRegistered(in: entries) }
      self = live.count == 1 ? .one(live[0]) : .many(live)
      return live.count
    }
  }
}

extension EffectToken {
  /// Whether ids find the entry.
  @inlinable
  func isRegistered(in entries: EntryBlocks) -> Bool {
    guard index >= 0 else { return false }
    let entry = entries.entry(index)
    return entry.pointee.generation == generation && entry.pointee.flags.contains(.registered)
  }
}

extension CancelKey {
  /// Of the key as the registry has it: made with the seed of the process, so that nobody can choose ids that meet.
  fileprivate var hash: UInt32 {
    guard !path.isEmpty else { return Self.hash(id) }
    var hasher = Hasher()
    for scope in path { hasher.combine(scope.identity) }
    return Self.hash(id, hasher)
  }

  /// Without a place.
  fileprivate static func hash(_ id: CancelID?) -> UInt32 {
    UInt32(truncatingIfNeeded: id?.seededHash ?? 0)
  }

  /// With a place, which the hasher has taken in.
  fileprivate static func hash(_ id: CancelID?, _ place: Hasher) -> UInt32 {
    var hasher = place
    hasher.combine(id)
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }

  /// Whether it is the key of `id` in the first `depth` scopes of `path`.
  fileprivate func equals(_ id: CancelID?, _ path: [ScopeKey], _ depth: Int) -> Bool {
    guard self.path.count == depth, self.id == id else { return false }
    for index in 0..<depth where self.path[index] != path[index] { return false }
    return true
  }
}

extension CancelID {
  /// Quicker than what a hasher makes of it: a number takes a third of the time.
  fileprivate var seededHash: Int {
    switch value {
    case .number(let number): number.hashValue
    case .text(let text): text.hashValue
    // Hashed once more: the type may have made it as it liked.
    case .other(let box): box.hash.hashValue
    }
  }
}
