/// The lock of a store, and of its recorder. It lies with what it guards at the beginning of a cache line.
///
/// Between threads a step that touches two lines takes twice the time of one that touches one, and where an object of its own would lie is
/// a matter of chance.
@usableFromInline
package struct LineLock<Value: ~Copyable & Sendable>: ~Copyable, @unchecked Sendable {
  // Unchecked: the memory is this value's alone; what it guards is Sendable, and touched while the lock is held only.
  #if canImport(Darwin)
    @usableFromInline let place: UnsafeMutablePointer<Lock<Value>>

    @inlinable
    package init(_ value: consuming sending Value) {
      let memory = UnsafeMutableRawPointer.allocate(
        byteCount: MemoryLayout<Lock<Value>>.size, alignment: 64)
      place = memory.bindMemory(to: Lock<Value>.self, capacity: 1)
      place.initialize(to: Lock(value))
    }

    @inlinable
    deinit {
      place.deinitialize(count: 1)
      UnsafeMutableRawPointer(place).deallocate()
    }

    @inlinable
    @inline(__always)
    package borrowing func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
      place.pointee.withLock(body)
    }
  #else
    @usableFromInline let word: UnsafeMutablePointer<LockWord>

    @inlinable
    package init(_ value: consuming sending Value) {
      let memory = UnsafeMutableRawPointer.allocate(
        byteCount: Self.offset + MemoryLayout<Value>.size,
        alignment: max(64, MemoryLayout<Value>.alignment))
      word = memory.bindMemory(to: LockWord.self, capacity: 1)
      word.initialize(to: LockWord())
      (memory + Self.offset).bindMemory(to: Value.self, capacity: 1).initialize(to: value)
    }

    @inlinable
    @inline(__always)
    static var offset: Int { max(MemoryLayout<LockWord>.stride, MemoryLayout<Value>.alignment) }

    @inlinable
    @inline(__always)
    var value: UnsafeMutablePointer<Value> {
      (UnsafeMutableRawPointer(word) + Self.offset).assumingMemoryBound(to: Value.self)
    }

    @inlinable
    deinit {
      value.deinitialize(count: 1)
      word.deinitialize(count: 1)
      UnsafeMutableRawPointer(word).deallocate()
    }

    @inlinable
    @inline(__always)
    package borrowing func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
      word.pointee.lock()
      defer { word.pointee.unlock() }
      return body(&value.pointee)
    }
  #endif
}
