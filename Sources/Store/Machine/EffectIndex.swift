/// An index of effects by their ids and by the places of the composition at which they were
/// returned.
///
/// The places form a tree, like the composition. A cancellation affects its own place and the
/// places inside it, never a sibling (R6).
///
/// - Complexity: O(depth of the place) to insert and to remove. O(number of places inside and of
///   effects found) to look up.
@usableFromInline
struct EffectIndex: Sendable {
  /// A place that has effects, or has places inside it that have effects.
  @usableFromInline
  struct Place: Sendable {
    /// The effects returned here, by each of their ids. Under `nil` are those that end with the
    /// child.
    var effects: [CancelID?: Effects] = [:]
    @usableFromInline var inner: [ChildKey: Place] = [:]
    /// Whether one of the operators with this key composes a child that may be absent.
    var mayBeAbsent = false
    /// The number of places directly inside whose child may be absent.
    var countThatMayBeAbsent = 0
    /// The places directly inside that contain ones whose child may be absent.
    @usableFromInline var deep: Set<ChildKey> = []
    /// The ids of the list whose elements are the places inside: a `ListIDs`, from the time when
    /// each of these places had its element.
    @usableFromInline var completeIDs: (any AnyObject & Sendable)?

    var isEmpty: Bool { effects.isEmpty && inner.isEmpty }

    /// Whether a search for absent children may find one inside.
    @usableFromInline var searchesInside: Bool { countThatMayBeAbsent > 0 || !deep.isEmpty }
  }

  /// A set that allocates nothing for one element, which is the usual number. Stored sets are not
  /// empty.
  enum Effects: Sendable {
    case none
    case one(EffectID)
    case many(Set<EffectID>)
  }

  @usableFromInline var root = Place()

  mutating func insert(_ effect: EffectID, keys: [CancelKey]) {
    for key in keys {
      root.change(at: key.place[...]) { $0.effects[key.id, default: .none].insert(effect) }
    }
  }

  mutating func remove(_ effect: EffectID, keys: [CancelKey]) {
    for key in keys {
      root.change(at: key.place[...]) { place in
        guard let index = place.effects.index(forKey: key.id) else { return }
        if case .one(effect) = place.effects.values[index] {
          place.effects.remove(at: index)
        } else {
          place.effects.values[index].remove(effect)
        }
      }
    }
  }

  /// Returns the effects that have the key's id at its place or inside it, in the order in which
  /// they were returned. Without an id, returns all effects of that place and inside it.
  func effects(_ key: CancelKey) -> [EffectID] {
    var found: [EffectID] = []
    root.find(key.id, at: key.place[...], &found)
    return found.count < 2 ? found : found.sorted { $1.isAfter($0) }
  }
}

extension EffectIndex.Place {
  /// Adds the effects of a place inside this one, and of the places inside it.
  ///
  /// - Parameter relative: The place, seen from this one.
  func find(_ id: CancelID?, at relative: ArraySlice<ChildKey>, _ found: inout [EffectID]) {
    if let child = relative.first {
      inner[child]?.find(id, at: relative.dropFirst(), &found)
      return
    }
    effects[id]?.add(to: &found)
    for place in inner.values { place.find(id, at: [], &found) }
  }

  /// Changes a place inside this one. Creates it if it is missing, and removes it if it becomes
  /// empty.
  ///
  /// - Parameter relative: The place, seen from this one.
  mutating func change(at relative: ArraySlice<ChildKey>, _ change: (inout Self) -> Void) {
    guard let child = relative.first else { return change(&self) }
    let result = inner[child, default: Self()].changeInside(
      relative.dropFirst(), child.mayBeAbsent, change)
    countThatMayBeAbsent += result.count
    switch result.isDeep {
    case true?: deep.insert(child)
    case false?: deep.remove(child)
    case nil: break
    }
    if result.isEmpty { inner[child] = nil }
  }

  /// Changes a place inside this one, or this one.
  ///
  /// - Parameter relative: The place, seen from this one.
  /// - Returns: Whether this place is empty after the change, by how much it changes the number of
  ///   places that may be absent, and whether a search looks inside, or `nil` if that has not
  ///   changed.
  private mutating func changeInside(
    _ relative: ArraySlice<ChildKey>, _ mayBeAbsent: Bool, _ change: (inout Self) -> Void
  ) -> (isEmpty: Bool, count: Int, isDeep: Bool?) {
    let before = (counts: self.mayBeAbsent, isDeep: searchesInside)
    self.mayBeAbsent = self.mayBeAbsent || mayBeAbsent
    self.change(at: relative, change)
    let counts = self.mayBeAbsent && !isEmpty
    return (
      isEmpty, (counts ? 1 : 0) - (before.counts ? 1 : 0),
      before.isDeep == searchesInside ? nil : searchesInside
    )
  }
}

extension EffectGraph {
  /// Whether effects run of children that may be absent.
  @usableFromInline
  var hasChildrenToSearch: Bool { index.root.searchesInside }

  /// Applies the result of a search for children: cancels the effects of absent children, in the
  /// order in which they were returned.
  @usableFromInline
  mutating func conclude(
    absent: [ChildSearch.ReversedPlace], present: [ChildSearch.ReversedPlace],
    complete: [ChildSearch.CompleteList]
  ) {
    for (place, ids) in complete {
      index.root.change(at: place.reversed()[...]) { $0.completeIDs = ids }
    }
    let gone = Set(absent).subtracting(present)
    cancel(all: gone.map { CancelKey(place: $0.reversed(), id: nil) })
  }
}

extension EffectIndex.Effects {
  mutating func insert(_ effect: EffectID) {
    switch self {
    case .none:
      self = .one(effect)
    case .one(let other):
      if other != effect { self = .many([other, effect]) }
    case .many(var effects):
      // Removed during the change, so that the set is changed in place.
      self = .none
      effects.insert(effect)
      self = .many(effects)
    }
  }

  mutating func remove(_ effect: EffectID) {
    switch self {
    case .none:
      break
    case .one(let other):
      if other == effect { self = .none }
    case .many(var effects):
      self = .none
      effects.remove(effect)
      self = effects.count == 1 ? .one(effects[effects.startIndex]) : .many(effects)
    }
  }

  func add(to found: inout [EffectID]) {
    switch self {
    case .none: break
    case .one(let effect): found.append(effect)
    case .many(let effects): found += effects
    }
  }
}
