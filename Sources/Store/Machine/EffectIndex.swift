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
    /// The ids of the list whose elements are the places inside: a `ListIDs`, from the last search
    /// for absent elements.
    @usableFromInline var ids: (any AnyObject & Sendable)?
    /// The places directly inside that had no element then, or were created since.
    @usableFromInline var unsure: [ChildKey] = []

    var isEmpty: Bool { effects.isEmpty && inner.isEmpty }

    /// Whether a search for absent children may find one inside.
    @usableFromInline var searchesInside: Bool { countThatMayBeAbsent > 0 || !deep.isEmpty }
  }

  /// A set of effects. One of them is stored apart, because there is usually one, and a set would
  /// allocate for it.
  struct Effects: Sendable {
    var first = EffectID.none
    var others: Set<EffectID> = []

    var isEmpty: Bool { first == .none && others.isEmpty }

    /// Inserts an effect that is new, or was the last to be inserted.
    mutating func insert(_ effect: EffectID) {
      if first == .none { first = effect } else if first != effect { others.insert(effect) }
    }

    mutating func remove(_ effect: EffectID) {
      if first == effect { first = .none } else { others.remove(effect) }
    }
  }

  @usableFromInline var root = Place()

  mutating func insert(_ effect: EffectID, keys: [CancelKey]) {
    for key in keys {
      root.change(at: key.place[...]) { $0.effects[key.id, default: Effects()].insert(effect) }
    }
  }

  mutating func remove(_ effect: EffectID, keys: [CancelKey]) {
    for key in keys {
      root.change(at: key.place[...]) { place in
        guard let index = place.effects.index(forKey: key.id) else { return }
        place.effects.values[index].remove(effect)
        if place.effects.values[index].isEmpty { place.effects.remove(at: index) }
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
    if let effects = effects[id] {
      if effects.first != .none { found.append(effects.first) }
      found += effects.others
    }
    for place in inner.values { place.find(id, at: [], &found) }
  }

  /// Changes a place inside this one. Creates it if it is missing, and removes it if it becomes
  /// empty.
  ///
  /// - Parameter relative: The place, seen from this one.
  mutating func change(at relative: ArraySlice<ChildKey>, _ change: (inout Self) -> Void) {
    guard let child = relative.first else { return change(&self) }
    let wasCount = inner.count
    let isEmpty = inner[child, default: Self()].changeInside(
      child, relative.dropFirst(), &countThatMayBeAbsent, &deep, change)
    if ids != nil, inner.count > wasCount { unsure.append(child) }
    if isEmpty { inner[child] = nil }
  }

  /// Changes this place or a place inside it.
  ///
  /// - Parameters:
  ///   - key: The key of this place.
  ///   - relative: The place to change, seen from this one.
  ///   - siblingsThatMayBeAbsent: The number that the place around this one keeps.
  ///   - deepSiblings: The keys that the place around this one keeps.
  /// - Returns: Whether this place is empty after the change.
  private mutating func changeInside(
    _ key: ChildKey, _ relative: ArraySlice<ChildKey>, _ siblingsThatMayBeAbsent: inout Int,
    _ deepSiblings: inout Set<ChildKey>, _ change: (inout Self) -> Void
  ) -> Bool {
    let wasDeep = searchesInside
    if mayBeAbsent, !isEmpty { siblingsThatMayBeAbsent -= 1 }
    mayBeAbsent = mayBeAbsent || key.mayBeAbsent
    self.change(at: relative, change)
    if mayBeAbsent, !isEmpty { siblingsThatMayBeAbsent += 1 }
    if searchesInside, !wasDeep { deepSiblings.insert(key) }
    if wasDeep, !searchesInside { deepSiblings.remove(key) }
    return isEmpty
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
    lists: [ChildSearch.VisitedList]
  ) {
    for (place, ids, absent) in lists {
      index.root.change(at: place.reversed()[...]) { ($0.ids, $0.unsure) = (ids, absent) }
    }
    let gone = Set(absent).subtracting(present)
    cancel(all: gone.map { CancelKey(place: $0.reversed(), id: nil) })
  }
}
