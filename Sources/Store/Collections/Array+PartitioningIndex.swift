extension Array {
  /// Returns the index of the first element for which the closure returns `true`, or `count`.
  ///
  /// - Parameter isBehind: Must return `true` for all elements behind such an element, too.
  /// - Complexity: O(log count).
  func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
