extension JSONCondition {
  /// A comparison that is false, with the value that was found.
  package struct Unmet: Sendable, Hashable {
    /// The path of the comparison.
    package var path: JSONPath
    /// The value at the path, or `nil` if there is none.
    package var found: JSON?
  }

  /// Returns the comparisons that are false for a value, each path once, in the order of the text.
  package func unmet(in value: JSON) -> [Unmet] {
    var seen: Set<JSONPath> = []
    return alternatives.joined().compactMap { comparison in
      guard !comparison.holds(for: value), seen.insert(comparison.path).inserted else { return nil }
      return Unmet(path: comparison.path, found: value.value(at: comparison.path))
    }
  }
}
