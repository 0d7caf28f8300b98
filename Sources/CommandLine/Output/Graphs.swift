/// Numbers drawn in one row of text.
public enum Sparkline {
  private static let blocks = Array(
    "\u{2581}\u{2582}\u{2583}\u{2584}\u{2585}\u{2586}\u{2587}\u{2588}")
  private static let signs = Array(" .:-=+*#")

  /// Returns a character for each value, or for the largest of several adjacent ones if there are
  /// more than `width`. The largest of all has the highest character, and 0 the lowest.
  ///
  /// - Parameter ascii: Whether the characters are ASCII.
  public static func text(_ values: [Int], width: Int = 40, ascii: Bool) -> String {
    let levels = ascii ? signs : blocks
    let shown = largest(values, width)
    let top = max(1, shown.max() ?? 0)
    return String(
      shown.map { value in
        value <= 0
          ? levels[0] : levels[max(1, Int(Double(value) / Double(top) * Double(levels.count - 1)))]
      })
  }

  /// Returns the largest value of each of at most `width` groups of nearly equal size.
  private static func largest(_ values: [Int], _ width: Int) -> [Int] {
    let width = max(1, width)
    guard values.count > width else { return values }
    return (0..<width).map { group in
      values[group * values.count / width..<(group + 1) * values.count / width].max() ?? 0
    }
  }
}

/// A part of a whole drawn in one row of text.
public enum Bar {
  private static let eighths = Array(
    " \u{258F}\u{258E}\u{258D}\u{258C}\u{258B}\u{258A}\u{2589}\u{2588}")

  /// Returns a bar of `width` columns that is filled from the left.
  ///
  /// - Parameters:
  ///   - fraction: The filled part, from 0 to 1. Other values count as the nearer of the two.
  ///   - ascii: Whether the characters are ASCII.
  public static func text(_ fraction: Double, width: Int, ascii: Bool) -> String {
    let fraction = fraction.isNaN ? 0 : min(1, max(0, fraction))
    guard !ascii else {
      let filled = Int(fraction * Double(width))
      return String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
    }
    let filled = Int(fraction * Double(width) * 8)
    let rest = filled % 8
    var text = String(repeating: eighths[8], count: filled / 8)
    if rest > 0 { text.append(eighths[rest]) }
    let empty = width - filled / 8 - (rest > 0 ? 1 : 0)
    return text + String(repeating: "\u{2591}", count: empty)
  }

  /// Returns a bar without its empty part, as long as its value is large beside the others. A value
  /// above 0 has at least one character.
  public static func text(_ value: Int, of largest: Int, width: Int, ascii: Bool) -> String {
    guard value > 0, largest > 0 else { return "" }
    let filled = max(1, Int(Double(value) / Double(largest) * Double(width)))
    return String(repeating: ascii ? "#" : "\u{2588}", count: min(width, filled))
  }
}
