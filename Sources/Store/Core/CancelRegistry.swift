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

  /// In ascending order, so that what is cancelled first does not depend on hashing.
  @inlinable
  func indices(_ key: CancelKey) -> [Int32] {
    switch buckets[key] {
    case nil: []
    case .one(let index): [index]
    case .many(let indices): indices.sorted()
    }
  }

  @inlinable
  mutating func insert<Action>(
    _ index: Int32, registrations: [Effect<Action>.Registration], path: [ScopeKey]
  ) {
    for registration in registrations {
      for depth in 0...registration.key.path.count {
        add(index, to: Self.prefix(registration.key, depth))
      }
    }
    if !path.isEmpty {
      for depth in 1...path.count {
        add(index, to: CancelKey(path: Array(path.prefix(depth)), id: nil))
      }
    }
  }

  @inlinable
  mutating func remove<Action>(
    _ index: Int32, registrations: [Effect<Action>.Registration], path: [ScopeKey]
  ) {
    for registration in registrations {
      for depth in 0...registration.key.path.count {
        subtract(index, from: Self.prefix(registration.key, depth))
      }
    }
    if !path.isEmpty {
      for depth in 1...path.count {
        subtract(index, from: CancelKey(path: Array(path.prefix(depth)), id: nil))
      }
    }
  }

  @inlinable
  static func prefix(_ key: CancelKey, _ depth: Int) -> CancelKey {
    depth == key.path.count ? key : CancelKey(path: Array(key.path.prefix(depth)), id: key.id)
  }

  @inlinable
  mutating func add(_ index: Int32, to key: CancelKey) {
    switch buckets[key] {
    case nil: buckets[key] = .one(index)
    case .one(let other): buckets[key] = .many([other, index])
    case .many(var indices):
      buckets[key] = nil
      indices.insert(index)
      buckets[key] = .many(indices)
    }
  }

  @inlinable
  mutating func subtract(_ index: Int32, from key: CancelKey) {
    switch buckets[key] {
    case .many(var indices):
      buckets[key] = nil
      indices.remove(index)
      if !indices.isEmpty { buckets[key] = .many(indices) }
    case .one(index): buckets[key] = nil
    default: break
    }
  }
}
