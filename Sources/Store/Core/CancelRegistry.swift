/// Finds entries by id and place. An entry is kept under its own place and every place around it, so that a parent finds a
/// child's effects and never the reverse.
///
/// Tokens of effects that have ended are not taken out one by one, which would cost a look-up for each of their keys: they are passed over
/// when they are found, and swept out when others come and they are more than those that live.
///
/// - Complexity: inserting O(depth of the place), removing O(1) amortised, looking up O(number found).
@usableFromInline
struct CancelRegistry: Sendable {
  @usableFromInline
  enum Bucket: Sendable {
    case one(EffectToken)
    case many([EffectToken])
  }

  @usableFromInline var buckets: [CancelKey: Bucket] = [:]
  /// Tokens in the buckets, ended ones included.
  @usableFromInline var stored = 0
  /// Those of effects that ids still find.
  @usableFromInline var live = 0

  @inlinable
  var isDueForSweep: Bool { stored > 64 && live * 2 < stored }

  @inlinable
  init() {}

  @inlinable
  mutating func insert(_ token: EffectToken, _ traits: EffectTraits) {
    live += traits.keyCount
    traits.registrations.forEach { registration in
      let key = registration.key
      add(token, to: key)
      for depth in key.path.indices {
        add(token, to: CancelKey(path: Array(key.path.prefix(depth)), id: key.id))
      }
    }
    if !traits.outlives {
      for depth in traits.path.indices {
        add(token, to: CancelKey(path: Array(traits.path.prefix(depth + 1)), id: nil))
      }
    }
  }

  @inlinable
  mutating func add(_ token: EffectToken, to key: CancelKey) {
    stored += 1
    Self.add(token, to: &buckets[key, default: .one(.none)])
  }

  @inlinable
  static func add(_ token: EffectToken, to bucket: inout Bucket) {
    switch bucket {
    case .one(.none): bucket = .one(token)
    case .one(let other): bucket = .many([other, token])
    case .many(var tokens):
      bucket = .one(.none)
      tokens.append(token)
      bucket = .many(tokens)
    }
  }

  @inlinable
  mutating func removeAll() {
    stored = 0
    buckets = [:]
  }

  /// Keeps the tokens that `isLive` tells, and forgets keys that have none.
  @inlinable
  mutating func sweep(_ isLive: (EffectToken) -> Bool) {
    stored = 0
    buckets = buckets.compactMapValues { bucket in
      switch bucket {
      case .one(let token):
        guard isLive(token) else { return nil }
        stored += 1
        return bucket
      case .many(let tokens):
        let live = tokens.filter(isLive)
        stored += live.count
        return live.isEmpty ? nil : live.count == 1 ? .one(live[0]) : .many(live)
      }
    }
  }
}
