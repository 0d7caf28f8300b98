extension Argument {
  /// The characters before which a `\` is taken away in the value of an item.
  package static let escapedInValues = ":=@;"
  /// The same for the name of an item, where a second `\` is one.
  package static let escapedInNames = #":=@;\"#

  /// Returns the parts without the `\` that was typed before each of some characters. Any other `\`
  /// stays with the character behind it, and inserted values stay as they are.
  ///
  /// - Parameters:
  ///   - escaped: `escapedInValues` or `escapedInNames`.
  ///   - start: The first scalar of `leadingText` that is returned.
  ///   - end: The end of the scalars of `leadingText` that are returned, or `nil` for all parts.
  package func unescaped(before escaped: String, from start: Int = 0, to end: Int? = nil) -> [Part]
  {
    var position = 0
    var result: [Part] = []
    for (index, part) in parts.enumerated() where index == 0 || end == nil {
      guard case .text(let text) = part else {
        result.append(part)
        continue
      }
      let scalars = Array(text.unicodeScalars)
      let range = index == 0 ? start..<(end ?? scalars.count) : 0..<scalars.count
      result.append(.text(unescaped(scalars, range, at: position, before: escaped)))
      position += scalars.count
    }
    return result
  }

  /// Returns the index in scalars of a typed text in `leadingText`, from a start on, or `nil` if
  /// there is none without a typed `\` before it.
  package func firstUnescaped(_ text: String, from start: Int) -> Int? {
    let scalars = Array(leadingText.unicodeScalars)
    func isTyped(_ index: Int) -> Bool { !insertedRanges.contains { $0.contains(index) } }
    var index = start
    while index < scalars.count {
      if scalars[index] == "\\", index + 1 < scalars.count, isTyped(index), isTyped(index + 1) {
        index += 2
        continue
      }
      if scalars[index...].starts(with: text.unicodeScalars),
        (index..<(index + text.unicodeScalars.count)).allSatisfy(isTyped)
      {
        return index
      }
      index += 1
    }
    return nil
  }

  /// - Parameter position: The number of scalars in the texts before this one.
  private func unescaped(
    _ scalars: [Unicode.Scalar], _ range: Range<Int>, at position: Int, before escaped: String
  ) -> String {
    var result: [Unicode.Scalar] = []
    var index = range.lowerBound
    for inserted in insertedRanges {
      let lower = max(inserted.lowerBound - position, index)
      let upper = min(inserted.upperBound - position, range.upperBound)
      guard lower < upper else { continue }
      result += Self.unescaped(scalars[index..<lower], before: escaped) + scalars[lower..<upper]
      index = upper
    }
    result += Self.unescaped(scalars[index..<range.upperBound], before: escaped)
    return String(scalars: result)
  }

  /// Returns a typed text without the `\` before each of some characters.
  package static func unescaped(_ text: String, before escaped: String) -> String {
    String(scalars: unescaped(Array(text.unicodeScalars)[...], before: escaped))
  }

  private static func unescaped(
    _ scalars: ArraySlice<Unicode.Scalar>, before escaped: String
  ) -> [Unicode.Scalar] {
    guard scalars.contains("\\") else { return Array(scalars) }
    var result: [Unicode.Scalar] = []
    var rest = scalars
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let next = rest.popFirst() else {
        result.append(scalar)
        continue
      }
      result += escaped.unicodeScalars.contains(next) ? [next] : [scalar, next]
    }
    return result
  }
}
