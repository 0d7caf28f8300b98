/// Returns the difference of two values as lines. Lines that only the first value has begin with
/// `-`, and lines that only the second has begin with `+`. Of the common lines, only those needed
/// to locate a difference are included.
///
/// - Returns: The lines, or `nil` if the mirrors of the values do not differ.
/// - Complexity: O(size of both values), with reflection, 32 levels deep. Lists of different
///   lengths are O((n + m) · d) for d differences. Sets and dictionaries are sorted by their text.
///   Intended for tests and for messages, not for every step.
public func differenceText<Value>(of first: Value, and second: Value) -> String? {
  ValueDiff.text(ValueTree(first), ValueTree(second))
}

/// The same as `differenceText`, including parts that mirrors omit; see `PartlyMirrored`.
package func completeDifferenceText<Value>(of first: Value, and second: Value) -> String? {
  ValueDiff.text(ValueTree(first, isComplete: true), ValueTree(second, isComplete: true))
}

struct ValueDiff {
  private(set) var lines: [String] = []

  static func text(_ a: ValueTree, _ b: ValueTree) -> String? {
    guard a != b else { return nil }
    var diff = ValueDiff()
    diff.compare(a, b, label: nil, indent: 0, isLast: true)
    return diff.lines.joined(separator: "\n")
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
    case .unordered: pairs(matched(a.parts, b.parts), indent + 1)
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
    let changes = b.difference(from: a) { areNamed ? $0.label == $1.label : $0 == $1 }
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in changes {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var pairs: [Pair] = []
    var i = 0
    var j = 0
    while i < a.count || j < b.count {
      if i < a.count, removed.contains(i) {
        pairs.append((a[i], nil))
        i += 1
      } else if j < b.count, inserted.contains(j) {
        pairs.append((nil, b[j]))
        j += 1
      } else {
        pairs.append((a[i], b[j]))
        i += 1
        j += 1
      }
    }
    return pairs
  }

  /// Returns pairs of entries by key, or of set elements by value, in the order of their text.
  private func matched(_ a: [ValueTree.Part], _ b: [ValueTree.Part]) -> [Pair] {
    func key(_ part: ValueTree.Part) -> String { part.label ?? part.tree.oneLine }
    var pairs: [String: Pair] = [:]
    for part in a { pairs[key(part)] = (part, nil) }
    for part in b { pairs[key(part)] = (pairs[key(part)]?.0, part) }
    return pairs.sorted { $0.key < $1.key }.map(\.value)
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
