import CSystem

/// The allocator of the C library.
package enum MemoryAllocator {
  /// Lets all threads use the memory that one of them has freed. Where many threads come and go,
  /// each would else keep some for itself. Call it before the first thread is started.
  package static func shareFreedMemory() { swiftboard_share_memory() }
}
