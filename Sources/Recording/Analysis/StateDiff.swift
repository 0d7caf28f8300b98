import SwiftBoardJSON

/// The positions where two JSON values differ.
public enum StateDiff {
  /// A position at which two values differ.
  public struct Change: Sendable, Hashable, CustomStringConvertible {
    /// The path from the outermost value, such as `rows[3].name` or `["odd key"].x`. `$` is the
    /// value itself.
    public let path: String
    /// The value before, or `nil` if there was none.
    public let old: JSON?
    /// The value after, or `nil` if there is none.
    public let new: JSON?

    /// Creates a change at a path.
    public init(path: String, old: JSON?, new: JSON?) {
      self.path = path
      self.old = old
      self.new = new
    }

    /// The path with the two values, shortened.
    public var description: String {
      let (old, new) = StateDiff.excerpts(old, new)
      return "\(path): \(old) -> \(new)"
    }
  }

  /// The differences between two states, up to a limit.
  public struct Changes: Sendable, Hashable, CustomStringConvertible {
    /// The changes in the order of the older value, at most as many as requested.
    public let entries: [Change]
    /// Whether there are more changes than `entries`.
    public let isTruncated: Bool

    /// Whether the two values are the same.
    public var isEmpty: Bool { entries.isEmpty }

    /// One line for each change.
    public var description: String {
      (entries.map(\.description) + (isTruncated ? ["... and more"] : [])).joined(separator: "\n")
    }
  }

  /// Returns the changed paths, and whether there are more than `limit`.
  public static func changes(
    _ old: JSON, _ new: JSON, limit: Int = 50, ignoring: [JSONPathPattern] = []
  ) -> Changes {
    let limit = max(0, limit)
    let entries = changedPaths(
      old, new, limit: limit == .max ? limit : limit + 1, ignoring: ignoring)
    return Changes(entries: Array(entries.prefix(limit)), isTruncated: entries.count > limit)
  }

  /// Returns the paths at which `old` and `new` differ, at most `limit` of them.
  ///
  /// Each path is as deep as possible. `$` is the value itself. Paths are in the order of `old`,
  /// followed by those that are only in `new`. The order of an object's members does not matter. In
  /// arrays of different length, equal elements at both ends are skipped, so that an inserted or
  /// removed element is one change. So is an object with a single member in place of an object with
  /// another single one, which is another case of an enumeration.
  ///
  /// - Complexity: Linear in the size of the two values up to the last returned change, times the
  ///   number of patterns.
  ///
  /// - Parameter ignoring: The paths whose values are not compared, even if they exist on one side
  ///   only. After ignored elements are removed, the remaining elements are paired in order and
  ///   named by their positions in `old`.
  public static func changedPaths(
    _ old: JSON, _ new: JSON, limit: Int = 50, ignoring: [JSONPathPattern] = []
  ) -> [Change] {
    var collector = Collector(limit: limit)
    collector.collect(old, new, "", ignoring.map { $0.steps[...] })
    return collector.changes
  }

  /// The remaining steps of patterns, starting at some value.
  private typealias Patterns = [ArraySlice<JSONPathPattern.Step>]

  /// Returns the remaining patterns after a matching step, or `nil` if one of them ends there.
  private static func inside(
    _ patterns: Patterns, where matches: (JSONPathPattern.Step) -> Bool
  ) -> Patterns? {
    var rest: Patterns = []
    for pattern in patterns {
      guard let step = pattern.first, matches(step) else { continue }
      guard pattern.count > 1 else { return nil }
      rest.append(pattern.dropFirst())
    }
    return rest
  }

  private typealias ComparedElement = (index: Int, value: JSON)

  /// Returns the elements to compare, with their positions.
  private static func compared(
    _ elements: [JSON], _ patterns: Patterns
  ) -> [ComparedElement] {
    elements.enumerated().compactMap { index, element in
      patterns.isEmpty || inside(patterns, where: { $0.matches(index: index, element) }) != nil
        ? (index, element) : nil
    }
  }

  /// The changes that were found so far, at most `limit`.
  private struct Collector {
    let limit: Int
    private(set) var changes: [Change] = []

    private var isFull: Bool { changes.count >= limit }

    private mutating func note(_ path: String, _ old: JSON?, _ new: JSON?) {
      guard !isFull else { return }
      changes.append(Change(path: path.isEmpty ? "$" : path, old: old, new: new))
    }

    mutating func collect(_ old: JSON, _ new: JSON, _ path: String, _ patterns: Patterns) {
      guard !isFull, old != new else { return }
      switch (old, new) {
      case (.object(let a), .object(let b))
      where a.count == 1 && b.count == 1 && a[0].key != b[0].key && patterns.isEmpty && path != "":
        // Another case of an enumeration is one change, not a removal and an addition.
        note(path, old, new)
      case (.object(let a), .object(let b)): collect(a, b, path, patterns)
      case (.array(let a), .array(let b)):
        collect(compared(a, patterns), compared(b, patterns), path, patterns)
      default:
        note(path, old, new)
      }
    }

    private mutating func collect(
      _ a: [JSON.Member], _ b: [JSON.Member], _ path: String, _ patterns: Patterns
    ) {
      let after = Dictionary(b.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
      let before = Set(a.map(\.key))
      for member in a {
        guard let patterns = inside(patterns, where: { $0.matches(key: member.key) }) else {
          continue
        }
        let position = path + step(member.key, first: path.isEmpty)
        if let value = after[member.key] {
          collect(member.value, value, position, patterns)
        } else {
          note(position, member.value, nil)
        }
      }
      for member in b where !before.contains(member.key) {
        guard inside(patterns, where: { $0.matches(key: member.key) }) != nil else { continue }
        note(path + step(member.key, first: path.isEmpty), nil, member.value)
      }
    }

    private mutating func collect(
      _ a: [ComparedElement], _ b: [ComparedElement], _ path: String, _ patterns: Patterns
    ) {
      // Skips equal elements at both ends.
      var (front, back) = (0, 0)
      if a.count != b.count {
        let shorter = min(a.count, b.count)
        while front < shorter, a[front].value == b[front].value { front += 1 }
        while back < shorter - front,
          a[a.count - 1 - back].value == b[b.count - 1 - back].value
        { back += 1 }
      }
      let (before, after) = (a[front..<(a.count - back)], b[front..<(b.count - back)])
      for position in front..<max(before.endIndex, after.endIndex) {
        guard !isFull else { return }
        if position >= before.endIndex {
          note("\(path)[\(after[position].index)]", nil, after[position].value)
        } else if position >= after.endIndex {
          note("\(path)[\(before[position].index)]", before[position].value, nil)
        } else {
          let (index, element) = before[position]
          let patterns = inside(patterns) { $0.matches(index: index, element) } ?? []
          collect(element, after[position].value, "\(path)[\(index)]", patterns)
        }
      }
    }
  }

  /// Returns `.name`, or `["a name"]` if the key is not a plain name.
  private static func step(_ key: String, first: Bool) -> String {
    let plain =
      !key.isEmpty
      && key.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""),
          0...0x20, 0x7F:
          false
        default: true
        }
      }
    guard plain else {
      var quoted: [UInt8] = []
      appendQuoted(key, to: &quoted)
      return "[\(String(decoding: quoted, as: UTF8.self))]"
    }
    return first ? key : ".\(key)"
  }

  /// Returns a value as text of at most about 200 characters.
  static func text(_ value: JSON?) -> String {
    guard let value else { return "nothing" }
    return shortened(value.description)
  }

  /// Returns two values as texts of at most about 200 characters each, around the first difference.
  static func excerpts(_ old: JSON?, _ new: JSON?) -> (old: String, new: String) {
    excerpts(old.map(\.description), new.map(\.description), limit: 200)
  }

  /// Returns two texts, cut to the text around their first difference if they are long.
  ///
  /// A quarter of an excerpt precedes the first difference. If there is only one text, its
  /// beginning is kept.
  ///
  /// - Complexity: Linear in the length of both texts.
  ///
  /// - Parameters:
  ///   - old: The first text. `nil` becomes the word "nothing".
  ///   - new: The second text.
  ///   - limit: The number of bytes to keep of each text. Shorter texts stay whole. A text that was
  ///     cut is followed by its size in bytes.
  public static func excerpts(
    _ old: String?, _ new: String?, limit: Int
  ) -> (old: String, new: String) {
    guard let old, let new else {
      return (
        old.map { excerpt($0, around: 0, limit) } ?? "nothing",
        new.map { excerpt($0, around: 0, limit) } ?? "nothing"
      )
    }
    let position = zip(old.utf8, new.utf8).prefix { $0 == $1 }.count
    return (
      excerpt(old, around: position, limit), excerpt(new, around: position, limit)
    )
  }

  private static func excerpt(
    _ text: String, around position: Int, _ limit: Int
  ) -> String {
    let bytes = Array(text.utf8)
    let limit = max(4, limit)
    guard bytes.count > limit else { return text }
    func isInside(_ index: Int) -> Bool { index < bytes.count && bytes[index] & 0xC0 == 0x80 }
    var start = max(0, min(position - limit / 4, bytes.count - limit))
    var end = min(bytes.count, start + limit)
    // Do not split a character.
    while start > 0, isInside(start) { start -= 1 }
    while isInside(end) { end += 1 }
    return "\(start > 0 ? "..." : "")\(String(decoding: bytes[start..<end], as: UTF8.self))"
      + "\(end < bytes.count ? "..." : "") (\(bytes.count) bytes)"
  }
}

/// Returns the first `limit` characters of `text`, followed by its size in bytes if it is longer.
/// Fewer characters if they have more than four times as many Unicode scalars: one can have any
/// number of combining marks.
func shortened(_ text: String, to limit: Int = 200) -> String {
  let start = text.prefix(limit).unicodeScalars.prefix(4 * limit)
  guard start.endIndex < text.endIndex else { return text }
  return "\(String(start))... (\(text.utf8.count) bytes)"
}
