/// Overwrites memory with zeros, even if it is freed next.
package func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
  guard let start = buffer.baseAddress else { return }
  // Variants of memset that the optimizer must not remove.
  #if canImport(Darwin)
    memset_s(start, buffer.count, 0, buffer.count)
  #else
    explicit_bzero(start, buffer.count)
  #endif
}

/// Returns the position of the first byte with the given value.
package func position(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
  guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else {
    return nil
  }
  return UnsafeRawPointer(found) - UnsafeRawPointer(start)
}
