/// A value that canonical JSON does not have exactly, so that another value is read back.
package struct RoundedValue: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// A date of more than microseconds.
    case date
    /// -0, which is written as 0.
    case negativeZero
    /// A URL with a base, which is written as one text without it.
    case relativeURL
  }

  package let kind: Kind
  /// The path to the value, or `nil` if it is not known.
  package let path: JSONPath?
}

extension CanonicalWriter {
  /// Notes that the next value is not written exactly. Keeps the first one.
  @inline(never)
  mutating func noteRounding(_ kind: RoundedValue.Kind) {
    noteRounding(RoundedValue(kind: kind, path: JSONPath(codingPath: pathOfNextValue)))
  }

  mutating func noteRounding(_ value: RoundedValue) {
    if roundedValue == nil { roundedValue = value }
  }

  /// The path to the value that is written next.
  var pathOfNextValue: [any CodingKey] {
    var path = codingPath(of: frames.count)
    let frame = frames.base[frames.count - 1]
    switch frame.kind {
    case .array, .set, .pairs:
      // The path ends with the element before, if there is one.
      if frame.count > 0 { path.removeLast() }
      path.append(PathKey(intValue: frame.count))
    case .open, .scalar, .object: break
    }
    return path
  }
}
