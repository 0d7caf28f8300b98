extension Array {
  /// Returns the index of the first element that satisfies `predicate`, or the number of elements
  /// if none does. All elements after the first one that does must satisfy it too.
  ///
  /// - Complexity: O(log n).
  @inlinable
  package func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
