extension String {
  /// Creates a text of scalars. Appending them to a `String.UnicodeScalarView` would take several
  /// hundred instructions for each.
  package init(scalars: some Collection<Unicode.Scalar>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(scalars.count)
    for scalar in scalars { bytes.append(scalar: scalar) }
    self.init(decoding: bytes, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Appends a scalar in UTF-8.
  package mutating func append(scalar: Unicode.Scalar) {
    if scalar.isASCII {
      append(UInt8(truncatingIfNeeded: scalar.value))
    } else {
      append(contentsOf: scalar.utf8)
    }
  }
}
