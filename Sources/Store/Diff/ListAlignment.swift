/// The pairs of equal elements of two lists, and the elements that only one of them has.
///
/// Long lists are aligned in nearly linear time. The alignment of short ones is minimal.
package enum ListAlignment {
  /// The positions of an element in both lists. One of them is `nil` if only the other list has
  /// the element.
  package typealias Pair = (first: Int?, second: Int?)

  /// The largest sum of two lengths for which the alignment is minimal. Its time and memory grow
  /// with the square of the sum.
  static var exactLimit: Int { 1_000 }

  /// Returns all positions of both lists, in order. Removed elements precede those that were
  /// inserted at the same place.
  ///
  /// - Complexity: O((n + m) · log (n + m)) on average, with O(n + m) comparisons and hashes of
  ///   elements. If the sum of the lengths, without the common beginning and end, is at most 1 000,
  ///   O((n + m) · d) for d differences.
  package static func pairs<Element: Hashable>(_ a: [Element], _ b: [Element]) -> [Pair] {
    let common = min(a.count, b.count)
    var start = 0
    while start < common, a[start] == b[start] { start += 1 }
    var tail = 0
    while tail < common - start, a[a.count - 1 - tail] == b[b.count - 1 - tail] { tail += 1 }
    let (rangeA, rangeB) = (start..<a.count - tail, start..<b.count - tail)
    let matches =
      rangeA.count + rangeB.count <= exactLimit
      ? minimalMatches(a[rangeA], b[rangeB]) : increasingMatches(a[rangeA], b[rangeB])
    let ends = (0..<tail).map { (rangeA.upperBound + $0, rangeB.upperBound + $0) }
    return filled((0..<start).map { ($0, $0) } + matches + ends, a.count, b.count)
  }

  private typealias Match = (first: Int, second: Int)

  /// Returns the matches with the unmatched positions between them.
  private static func filled(_ matches: [Match], _ countA: Int, _ countB: Int) -> [Pair] {
    var pairs: [Pair] = []
    pairs.reserveCapacity(countA + countB - matches.count)
    var (i, j) = (0, 0)
    for match in matches + [(countA, countB)] {
      pairs += (i..<match.first).map { ($0, nil) }
      pairs += (j..<match.second).map { (nil, $0) }
      if match.first < countA { pairs.append((match.first, match.second)) }
      (i, j) = (match.first + 1, match.second + 1)
    }
    return pairs
  }

  /// Returns the matches of a shortest list of insertions and removals.
  private static func minimalMatches<Element: Hashable>(
    _ a: ArraySlice<Element>, _ b: ArraySlice<Element>
  ) -> [Match] {
    var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
    for change in b.difference(from: a) {
      switch change {
      case .remove(let offset, _, _): removed.insert(a.startIndex + offset)
      case .insert(let offset, _, _): inserted.insert(b.startIndex + offset)
      }
    }
    return Array(
      zip(
        a.indices.filter { !removed.contains($0) }, b.indices.filter { !inserted.contains($0) }))
  }

  /// Returns a longest increasing sequence of matches. The n-th occurrence of an element in one
  /// list matches only the n-th one in the other.
  private static func increasingMatches<Element: Hashable>(
    _ a: ArraySlice<Element>, _ b: ArraySlice<Element>
  ) -> [Match] {
    var positions: [Element: (all: [Int], used: Int)] = [:]
    for j in b.indices { positions[b[j], default: ([], 0)].all.append(j) }
    var candidates: [Match] = []
    for i in a.indices {
      guard let index = positions.index(forKey: a[i]) else { continue }
      let (all, used) = positions.values[index]
      guard used < all.count else { continue }
      positions.values[index].used += 1
      candidates.append((i, all[used]))
    }
    return longestIncreasing(candidates)
  }

  /// Returns the longest subsequence whose second positions increase, as the first ones do.
  private static func longestIncreasing(_ candidates: [Match]) -> [Match] {
    // ends[n] is the candidate with the smallest second position that ends n + 1 matches.
    var ends: [Int] = []
    var previous = [Int?](repeating: nil, count: candidates.count)
    for (index, candidate) in candidates.enumerated() {
      let low = ends.partitioningIndex { candidates[$0].second >= candidate.second }
      previous[index] = low > 0 ? ends[low - 1] : nil
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var matches: [Match] = []
    var next = ends.last
    while let index = next {
      matches.append(candidates[index])
      next = previous[index]
    }
    return matches.reversed()
  }
}
