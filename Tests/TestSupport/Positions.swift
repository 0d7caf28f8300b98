extension Array where Element == UInt8 {
  /// Returns where `bytes` occurs, also where it overlaps itself. Compiled with this module, which
  /// tests have optimized: a generic search in the tests' own modules takes seconds for a database.
  public func positions(of bytes: [UInt8]) -> [Int] {
    guard let first = bytes.first else { return [] }
    return indices.dropLast(Swift.max(0, bytes.count - 1)).filter {
      self[$0] == first && self[$0..<($0 + bytes.count)].elementsEqual(bytes)
    }
  }
}
