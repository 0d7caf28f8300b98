extension String {
  /// Creates a text of scalars. Appending them to a `String.UnicodeScalarView` would take several
  /// hundred instructions for each.
  package init(scalars: some Collection<Unicode.Scalar>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(scalars.count)
    for scalar in scalars { bytes.append(scalar: scalar) }
    self.init(decoding: bytes, as: UTF8.self)
  }

  /// Returns the texts before and behind the first `=`, or `nil` if there is none.
  ///
  /// Compares scalars. A value may begin with a combining mark, which is one character with the
  /// `=`.
  package func cutAtEquals() -> (name: String, value: String)? {
    unicodeScalars.firstIndex(of: "=").map {
      (String(self[..<$0]), String(self[unicodeScalars.index(after: $0)...]))
    }
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
