/// Finds entries by id and place. An entry is kept under its own place and every place around it, so that a parent finds a
/// child's effects and never the reverse.
///
/// - Complexity: inserting and removing O(depth of the place), looking up O(number found).
@usableFromInline
struct CancelRegistry: Sendable {
  @usableFromInline
  enum Bucket: Sendable {
    case one(Int32)
    case many(Set<Int32>)
  }

  @usableFromInline var buckets: [CancelKey: Bucket] = [:]

  @inlinable
  init() {}

  @inlinable
  func bucket(_ key: CancelKey) -> Bucket? { buckets[key] }

  @inlinable
  mutating func insert(_ index: Int32, _ traits: EffectTraits) {
    for registration in traits.registrations {
      add(index, to: registration.key)
      for depth in registration.key.path.indices {
        add(index, to: Self.prefix(registration.key, depth))
      }
    }
    if !traits.outlives {
      for depth in traits.path.indices {
        add(index, to: CancelKey(path: Array(traits.path.prefix(depth + 1)), id: nil))
      }
    }
  }

  @inlinable
  mutating func remove(_ index: Int32, _ traits: EffectTraits) {
    for registration in traits.registrations {
      subtract(index, from: registration.key)
      for depth in registration.key.path.indices {
        subtract(index, from: Self.prefix(registration.key, depth))
      }
    }
    if !traits.outlives {
      for depth in traits.path.indices {
        subtract(index, from: CancelKey(path: Array(traits.path.prefix(depth + 1)), id: nil))
      }
    }
  }

  @inlinable
  static func prefix(_ key: CancelKey, _ depth: Int) -> CancelKey {
    CancelKey(path: Array(key.path.prefix(depth)), id: key.id)
  }

  @inlinable
  mutating func add(_ index: Int32, to key: CancelKey) {
    guard let place = buckets.index(forKey: key) else {
      buckets[key] = .one(index)
      return
    }
    buckets.values[place].insert(index)
  }

  @inlinable
  mutating func subtract(_ index: Int32, from key: CancelKey) {
    guard let place = buckets.index(forKey: key) else { return }
    if buckets.values[place].remove(index) { buckets.remove(at: place) }
  }
}

extension CancelRegistry.Bucket {
  @inlinable
  mutating func insert(_ index: Int32) {
    switch self {
    case .one(let other):
      if other != index { self = .many([other, index]) }
    case .many(var indices):
      self = .one(-1)
      indices.insert(index)
      self = .many(indices)
    }
  }

  /// Whether nothing is left.
  @inlinable
  mutating func remove(_ index: Int32) -> Bool {
    switch self {
    case .one(let other): return other == index
    case .many(var indices):
      self = .one(-1)
      indices.remove(index)
      self = .many(indices)
      return indices.isEmpty
    }
  }
}
