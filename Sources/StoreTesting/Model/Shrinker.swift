/// Shrinks a failing list of elements to a short one that still fails. First removes ranges, from
/// half of the list to single elements, then replaces elements by smaller ones, and finally tries
/// every part of the remaining list if it is short. Deterministic.
struct Shrinker<Element> {
  /// Tries a list. Returns its elements up to the failure, or `nil` if it does not fail.
  let attempt: ([Element]) -> [Element]?
  /// Returns the replacements for an element, the best first.
  let smaller: (Element) -> [Element]
  /// The length up to which every part of a list is tried: 2 × 1023 attempts.
  static var exhaustiveLength: Int { 10 }
  /// The number of remaining attempts.
  private(set) var budget: Int

  init(
    budget: Int, smaller: @escaping (Element) -> [Element],
    attempt: @escaping ([Element]) -> [Element]?
  ) {
    self.budget = budget
    self.smaller = smaller
    self.attempt = attempt
  }

  /// Shrinks a failing list.
  ///
  /// - Parameter failing: A list that fails.
  /// - Returns: A list that fails, from which no single element can be removed, unless the budget
  ///   was used up before.
  mutating func shrink(_ failing: [Element]) -> [Element] {
    var list = drop(from: failing, size: failing.count / 2)
    while budget > 0, let next = replace(in: list) ?? part(of: list) {
      list = drop(from: next, size: 1)
    }
    return list
  }

  private mutating func fails(_ list: [Element]) -> [Element]? {
    guard budget > 0 else { return nil }
    budget -= 1
    return attempt(list)
  }

  /// Removes ranges of `size` and fewer elements as long as the list still fails.
  private mutating func drop(from failing: [Element], size: Int) -> [Element] {
    var list = failing
    var size = max(1, size)
    while true {
      var hasDropped = false
      var end = list.count
      while end > 0, budget > 0 {
        let start = max(0, end - size)
        var shorter = list
        shorter.removeSubrange(start..<end)
        if let next = fails(shorter) {
          list = next
          hasDropped = true
        }
        end = min(start, list.count)
      }
      if size > 1 {
        size /= 2
      } else if !hasDropped || budget == 0 {
        return list
      }
    }
  }

  /// Replaces elements by smaller ones as long as the list still fails. Returns `nil` if no element
  /// could be replaced.
  private mutating func replace(in failing: [Element]) -> [Element]? {
    var list = failing
    var hasReplaced = false
    var index = 0
    while index < list.count {
      var isReplaced = false
      for candidate in smaller(list[index]) where !isReplaced {
        var next = list
        next[index] = candidate
        if let shorter = fails(next) {
          list = shorter
          isReplaced = true
        }
      }
      hasReplaced = hasReplaced || isReplaced
      if !isReplaced { index += 1 }
    }
    return hasReplaced ? list : nil
  }

  /// Returns a failing part of a short list that removing single elements did not find. Tries parts
  /// unchanged, and with the smallest replacements of all elements, since removing elements often
  /// requires smaller ones.
  private mutating func part(of failing: [Element]) -> [Element]? {
    guard failing.count <= Self.exhaustiveLength else { return nil }
    let smallest = failing.map { smaller($0).first }
    let lists =
      smallest.contains { $0 != nil }
      ? [zip(smallest, failing).map { $0 ?? $1 }, failing] : [failing]
    // Shorter parts first.
    let parts = (0..<(1 << failing.count) - 1)
      .sorted { ($0.nonzeroBitCount, $0) < ($1.nonzeroBitCount, $1) }
    for part in parts {
      for list in lists {
        let chosen = list.indices.filter { part >> $0 & 1 == 1 }.map { list[$0] }
        if let found = fails(chosen) { return found }
      }
    }
    return nil
  }
}
