/// The memory of an effect table: entries and what they hold, in blocks that stay where they are.
///
/// An array would be copied as a whole when it grows, under the lock of the store: with 100 000 effects in flight whoever sends the next one
/// would wait for milliseconds. Only the first block is, which begins small.
///
/// A copy of it is the same memory.
///
/// - Complexity: a place O(1), one more O(1) amortised. 64 places a block.
@usableFromInline
struct EffectPlaces<Action: Sendable>: Sendable {
  @usableFromInline var entries = EntryBlocks()

  @inlinable
  init() {}

  /// Ends the places and gives their memory back: to be called once, by whoever has the table.
  func deallocate() {
    // One that is free holds nothing.
    for index in 0..<entries.count where self[index].phase != .free {
      work(index).deinitialize(count: 1)
    }
    entries.deallocate()
  }

  @inlinable
  var count: Int32 { entries.count }

  /// The entry at `index`, which has to be less than `count`.
  @inlinable
  subscript(index: Int32) -> EffectEntry {
    @inline(__always) _read { yield entries.entry(index).pointee }
    @inline(__always) _modify { yield &entries.entry(index).pointee }
  }

  /// What the entry holds.
  @inlinable
  subscript(work index: Int32) -> EffectWork<Action> {
    @inline(__always) _read { yield work(index).pointee }
    @inline(__always) _modify { yield &work(index).pointee }
  }

  /// Adds a place behind all others.
  @inlinable
  mutating func append(_ entry: EffectEntry) {
    if entries.count == entries.capacity { grow() }
    let index = entries.count
    entries.count += 1
    entries.entry(index).initialize(to: entry)
    work(index).initialize(to: EffectWork())
  }

  @inlinable
  @inline(__always)
  func work(_ index: Int32) -> UnsafeMutablePointer<EffectWork<Action>> {
    Self.works(of: entries.block(index), entries.blockSize) + EntryBlocks.offset(index)
  }

  /// They lie behind the entries of their block.
  @inlinable
  @inline(__always)
  static func works(
    of block: EntryBlocks.Block, _ size: Int
  ) -> UnsafeMutablePointer<EffectWork<Action>> {
    UnsafeMutableRawPointer(block + size).assumingMemoryBound(to: EffectWork<Action>.self)
  }

  @inlinable
  mutating func grow() {
    let count = Int(entries.count)
    let size = count == 0 ? 8 : min(count * 2, EntryBlocks.perBlock)
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: size
        * (MemoryLayout<EffectEntry>.stride + MemoryLayout<EffectWork<Action>>.stride),
      alignment: max(
        MemoryLayout<EffectEntry>.alignment, MemoryLayout<EffectWork<Action>>.alignment))
    let block = memory.bindMemory(to: EffectEntry.self, capacity: size)
    let works = UnsafeMutableRawPointer(block + size)
      .bindMemory(to: EffectWork<Action>.self, capacity: size)
    if count > 0, count < EntryBlocks.perBlock {
      let before = entries.block(0)
      block.moveInitialize(from: before, count: count)
      works.moveInitialize(from: Self.works(of: before, entries.blockSize), count: count)
      entries.replaceFirst(by: block, size)
    } else {
      entries.add(block, size)
    }
  }
}

/// The blocks of an effect table, and the entries in them, for code that does not know the type of the actions.
@usableFromInline
struct EntryBlocks: @unchecked Sendable {
  // Unchecked: a view of memory that belongs to one table, and is used under that table's lock.
  @usableFromInline typealias Block = UnsafeMutablePointer<EffectEntry>

  /// How many places a block has, all but the first while that grows: a power of two.
  @inlinable static var perBlock: Int { 1 << bits }
  @inlinable static var bits: Int { 6 }

  @usableFromInline var blocks: UnsafeMutablePointer<Block>?
  @usableFromInline var count: Int32 = 0
  @usableFromInline var capacity: Int32 = 0

  @inlinable
  init() {}

  @inlinable
  @inline(__always)
  static func offset(_ index: Int32) -> Int { Int(index) & (perBlock - 1) }

  @inlinable
  var blockSize: Int { min(Int(capacity), EntryBlocks.perBlock) }

  @inlinable
  @inline(__always)
  func block(_ index: Int32) -> Block {
    // There is one: the index is that of a place.
    blocks.unsafelyUnwrapped[Int(index) >> EntryBlocks.bits]
  }

  @inlinable
  @inline(__always)
  func entry(_ index: Int32) -> UnsafeMutablePointer<EffectEntry> {
    assert(index >= 0 && index < count)
    return block(index) + EntryBlocks.offset(index)
  }

  @inlinable
  mutating func add(_ block: Block, _ size: Int) {
    let number = Int(capacity) / EntryBlocks.perBlock
    // Full where their number is a power of two.
    if number & (number - 1) == 0 {
      let wider = UnsafeMutablePointer<Block>.allocate(capacity: max(1, number * 2))
      if let blocks {
        wider.moveInitialize(from: blocks, count: number)
        blocks.deallocate()
      }
      blocks = wider
    }
    blocks.unsafelyUnwrapped.advanced(by: number).initialize(to: block)
    capacity += Int32(size)
  }

  @inlinable
  mutating func replaceFirst(by block: Block, _ size: Int) {
    blocks.unsafelyUnwrapped[0].deallocate()
    blocks.unsafelyUnwrapped[0] = block
    capacity = Int32(size)
  }

  @inlinable
  func deallocate() {
    guard let blocks else { return }
    for number in 0..<(Int(capacity) + EntryBlocks.perBlock - 1) / EntryBlocks.perBlock {
      blocks[number].deallocate()
    }
    blocks.deallocate()
  }
}
