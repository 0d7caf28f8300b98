/// Overwrites memory with zeros, also where it is freed next.
package func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
  guard let start = buffer.baseAddress else { return }
  // Variants of memset that the optimiser must not remove.
  #if canImport(Darwin)
    memset_s(start, buffer.count, 0, buffer.count)
  #else
    explicit_bzero(start, buffer.count)
  #endif
}

/// Where the first byte of that value is. Linear in `bytes`.
package func position(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
  guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else {
    return nil
  }
  return UnsafeRawPointer(found) - UnsafeRawPointer(start)
}
