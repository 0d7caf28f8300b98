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
