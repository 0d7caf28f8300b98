import SwiftBoardJSON

/// A part of a text that consists of known secrets, each of which overlaps another.
struct SecretMatch {
  private(set) var range: Range<Int>
  /// The name of the secret that starts the part; of several, that of the longest.
  private(set) var name: String
  /// Whether the part has secrets with other names.
  private(set) var hasOtherNames = false
  /// The end of the secret with `name`.
  private var nameEnd: Int

  init(_ range: Range<Int>, name: String) {
    self.range = range
    self.name = name
    nameEnd = range.upperBound
  }

  /// Adds an overlapping match, which was found earlier.
  mutating func formUnion(_ other: SecretMatch) {
    hasOtherNames =
      hasOtherNames || other.hasOtherNames || !name.hasSameBytes(as: other.name)
    if (other.range.lowerBound, nameEnd) <= (range.lowerBound, other.nameEnd) {
      name = other.name
      nameEnd = other.nameEnd
    }
    range =
      min(range.lowerBound, other.range.lowerBound)..<max(range.upperBound, other.range.upperBound)
  }
}

/// The known secrets in a text, in order and without overlaps. A value that repeats itself occurs
/// at each position of a text that repeats it, and is one match there.
struct SecretMatches {
  private(set) var all: [SecretMatch] = []

  /// Adds a match that starts behind the matches that it does not overlap.
  mutating func append(_ match: SecretMatch) {
    var match = match
    while let last = all.last, last.range.upperBound > match.range.lowerBound {
      match.formUnion(last)
      all.removeLast()
    }
    all.append(match)
  }

  /// Adds the matches of another view of the text. O(number of matches).
  mutating func merge(_ other: SecretMatches) {
    guard !all.isEmpty else { return self = other }
    guard !other.all.isEmpty else { return }
    let matches = (all + other.all).sorted { $0.range.lowerBound < $1.range.lowerBound }
    all.removeAll(keepingCapacity: true)
    for match in matches { append(match) }
  }
}
