/// Returns the difference of two values as lines. Lines that only the first value has begin with
/// `-`, and lines that only the second has begin with `+`. Of the common lines, only those needed
/// to locate a difference are included.
///
/// An object inside itself is shown by its type and the number of objects up to it, such as
/// `Node (1 up)`. In a graph that reaches objects on more than 1 000 further paths, an object is
/// shown in full at the first place, and elsewhere as `Node (object 7)`; the objects are numbered
/// in the order in which they are reached.
///
/// - Parameter limit: The maximum number of lines, or `nil` for no limit. If there are more, a last
///   line says how many are left out.
/// - Returns: The lines, or `nil` if the mirrors of the values do not differ.
/// - Complexity: O(size of both values), with reflection, 32 levels deep. Lists of different
///   lengths, or with different names, and sets and dictionaries are O(n log n) for n elements.
///   An object counts wherever it is reached, but not inside itself. Beyond 1 000 repetitions, each
///   object counts once. Intended for tests and for messages, not for every step.
public func differenceText<Value>(
  of first: Value, and second: Value, limit: Int? = nil
) -> String? {
  ValueDiff.text(ValueTree(first), ValueTree(second), limit: limit)
}

/// The same as `differenceText`, including parts that mirrors omit; see `PartlyMirrored`.
package func completeDifferenceText<Value>(
  of first: Value, and second: Value, limit: Int? = nil
) -> String? {
  ValueDiff.text(
    ValueTree(first, isComplete: true), ValueTree(second, isComplete: true), limit: limit)
}

struct ValueDiff {
  private var lines: LimitedLines

  static func text(_ a: ValueTree, _ b: ValueTree, limit: Int?) -> String? {
    guard a != b else { return nil }
    var diff = ValueDiff(lines: LimitedLines(limit: limit ?? .max))
    diff.compare(a, b, label: nil, indent: 0, isLast: true)
    return diff.lines.text
  }

  mutating func compare(
    _ a: ValueTree, _ b: ValueTree, label: String?, indent: Int, isLast: Bool
  ) {
    // A value's own description is shorter than its parts. It is used if it distinguishes the two.
    let saysSo = a.text != nil && b.text != nil && a.text != b.text
    guard a.shape == b.shape, a.name == b.name, a.shape != .leaf, !saysSo else {
      write("-", a, label: label, indent: indent, isLast: isLast)
      write("+", b, label: label, indent: indent, isLast: isLast)
      return
    }
    line(" ", indent, prefix(label) + a.opening)
    switch a.shape {
    case .leaf: break
    case .parts: pairs(zip(a.parts, b.parts).map { ($0, $1) }, indent + 1)
    case .list: pairs(aligned(a.parts, b.parts), indent + 1)
    // Both are sorted. Entries are paired by key, and set elements by text.
    case .unordered: pairs(paired(a.parts, b.parts) { $0.key ?? $0.tree.oneLine }, indent + 1)
    }
    line(" ", indent, a.closing + (isLast ? "" : ","))
  }

  private typealias Pair = (ValueTree.Part?, ValueTree.Part?)

  private mutating func pairs(_ pairs: [Pair], _ indent: Int) {
    var unchanged = 0
    func note() -> String? {
      defer { unchanged = 0 }
      return unchanged > 0 ? "… (\(unchanged) unchanged)" : nil
    }
    for (index, pair) in pairs.enumerated() {
      let isLast = index == pairs.count - 1
      if pair.0?.tree == pair.1?.tree {
        unchanged += 1
        continue
      }
      if let note = note() { line(" ", indent, note) }
      switch pair {
      case (let a?, let b?):
        compare(a.tree, b.tree, label: a.label, indent: indent, isLast: isLast)
      case (let a?, nil): write("-", a.tree, label: a.label, indent: indent, isLast: isLast)
      case (nil, let b?): write("+", b.tree, label: b.label, indent: indent, isLast: isLast)
      case (nil, nil): break
      }
    }
    if let note = note() { line(" ", indent, note) }
  }

  /// Returns pairs of elements: by name if they have names, by position if both lists have the same
  /// length, and otherwise by insertions and removals.
  private func aligned(_ a: [ValueTree.Part], _ b: [ValueTree.Part]) -> [Pair] {
    let areNamed = (a + b).allSatisfy { $0.label != nil }
    let isInPlace = areNamed ? a.map(\.label) == b.map(\.label) : a.count == b.count
    if isInPlace { return zip(a, b).map { ($0, $1) } }
    return areNamed ? paired(a, b, by: \.label) : paired(a, b, by: \.tree)
  }

  /// Returns pairs of parts with equal names, in order.
  private func paired<Name: Hashable>(
    _ a: [ValueTree.Part], _ b: [ValueTree.Part], by name: (ValueTree.Part) -> Name
  ) -> [Pair] {
    ListAlignment.pairs(a.map(name), b.map(name)).map { (first, second) in
      (first.map { a[$0] }, second.map { b[$0] })
    }
  }

  private mutating func write(
    _ mark: Character, _ tree: ValueTree, label: String?, indent: Int, isLast: Bool
  ) {
    let end = isLast ? "" : ","
    let short = prefix(label) + tree.oneLine + end
    guard tree.shape != .leaf, tree.text == nil, short.count + 2 * indent > 76 else {
      line(mark, indent, short)
      return
    }
    line(mark, indent, prefix(label) + tree.opening)
    for (index, part) in tree.parts.enumerated() {
      write(
        mark, part.tree, label: part.label, indent: indent + 1,
        isLast: index == tree.parts.count - 1)
    }
    line(mark, indent, tree.closing + end)
  }

  private func prefix(_ label: String?) -> String { label.map { $0 + ": " } ?? "" }

  private mutating func line(_ mark: Character, _ indent: Int, _ text: String) {
    lines.append("\(mark) " + String(repeating: "  ", count: indent) + text)
  }
}
