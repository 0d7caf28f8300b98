import SwiftBoardJSON

/// The places where two JSON values differ.
public enum StateDiff {
  /// One place: a path such as `characters.rows[3].name`, what is there on either side (nil: nothing).
  public struct Change: Sendable, Hashable, CustomStringConvertible {
    /// Where, from the outermost value: `rows[3].name`, `["odd key"].x`; `$` is the value itself.
    public let path: String
    /// What is there before; `nil`: nothing.
    public let old: JSON?
    /// What is there after; `nil`: nothing.
    public let new: JSON?

    /// A place as `changedPaths` finds it.
    public init(path: String, old: JSON?, new: JSON?) {
      self.path = path
      self.old = old
      self.new = new
    }

    public var description: String {
      "\(path): \(StateDiff.text(old)) → \(StateDiff.text(new))"
    }
  }

  /// Differences between two states, the first ones where there are many.
  public struct Changes: Sendable, Hashable, CustomStringConvertible {
    /// In the order of the older value, at most as many as were asked for.
    public let places: [Change]
    /// Whether there are more places than are named.
    public let isTruncated: Bool

    /// Whether the two values are the same.
    public var isEmpty: Bool { places.isEmpty }

    /// A line for each place.
    public var description: String {
      (places.map(\.description) + (isTruncated ? ["… and more"] : [])).joined(separator: "\n")
    }
  }

  /// `changedPaths`, with whether there were more than `limit`.
  public static func changes(_ old: JSON, _ new: JSON, limit: Int = 50) -> Changes {
    let limit = max(0, limit)
    let places = changedPaths(old, new, limit: limit == .max ? limit : limit + 1)
    return Changes(places: Array(places.prefix(limit)), isTruncated: places.count > limit)
  }

  /// The paths at which `old` and `new` differ, the deepest that can be named, in the order of `old`, then what is only in
  /// `new`; at most `limit` of them. The order of an object's members does not count. `$` is the value itself. Of arrays of
  /// different length the equal ends are left out, so that an element that was put in or taken out is one place.
  ///
  /// Cost: linear in the size of the two values up to the last change that is returned.
  public static func changedPaths(_ old: JSON, _ new: JSON, limit: Int = 50) -> [Change] {
    var changes: [Change] = []
    collect(old, new, "", limit, &changes)
    return changes
  }

  private static func collect(
    _ old: JSON, _ new: JSON, _ path: String, _ limit: Int, _ changes: inout [Change]
  ) {
    guard changes.count < limit, old != new else { return }
    func note(_ path: String, _ old: JSON?, _ new: JSON?) {
      guard changes.count < limit else { return }
      changes.append(Change(path: path.isEmpty ? "$" : path, old: old, new: new))
    }
    switch (old, new) {
    case (.object(let a), .object(let b)):
      let after = Dictionary(b.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
      let before = Set(a.map(\.key))
      for member in a {
        let place = path + step(member.key, first: path.isEmpty)
        if let value = after[member.key] {
          collect(member.value, value, place, limit, &changes)
        } else {
          note(place, member.value, nil)
        }
      }
      for member in b where !before.contains(member.key) {
        note(path + step(member.key, first: path.isEmpty), nil, member.value)
      }
    case (.array(let a), .array(let b)):
      // Elements that are equal at both ends stay where they are.
      var (front, back) = (0, 0)
      if a.count != b.count {
        let shorter = min(a.count, b.count)
        while front < shorter, a[front] == b[front] { front += 1 }
        while back < shorter - front, a[a.count - 1 - back] == b[b.count - 1 - back] { back += 1 }
      }
      let (before, after) = (a[front..<(a.count - back)], b[front..<(b.count - back)])
      for index in front..<max(before.endIndex, after.endIndex) {
        guard changes.count < limit else { return }
        let place = "\(path)[\(index)]"
        if index >= before.endIndex {
          note(place, nil, after[index])
        } else if index >= after.endIndex {
          note(place, before[index], nil)
        } else {
          collect(before[index], after[index], place, limit, &changes)
        }
      }
    default:
      note(path, old, new)
    }
  }

  /// `.name`, or `["a name"]` where the key would be read as something else.
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

  /// A value in at most about 200 characters.
  static func text(_ value: JSON?) -> String {
    guard let value else { return "nothing" }
    return shortened(compactText(value))
  }
}

/// `text`, cut in the middle of nothing: its first 200 characters and how many are left out.
func shortened(_ text: String, to limit: Int = 200) -> String {
  guard text.count > limit else { return text }
  return "\(text.prefix(limit))… (\(text.utf8.count) bytes)"
}
