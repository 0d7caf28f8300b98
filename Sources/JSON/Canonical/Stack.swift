/// A growing row of trivial values in memory of its own: what a writer touches for every byte,
/// without the uniqueness check of an array.
struct Stack<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  var count = 0
  private var capacity: Int

  init(capacity: Int) {
    self.capacity = max(1, capacity)
    base = .allocate(capacity: self.capacity)
  }

  /// Without memory, to take another's place for a while.
  init() {
    capacity = 0
    // Never read: there is nothing in it, and what is added goes to memory of its own.
    base = UnsafeMutablePointer(bitPattern: 16).unsafelyUnwrapped
  }

  deinit { if capacity > 0 { base.deallocate() } }

  /// The last one; there must be one.
  @inline(__always)
  var top: UnsafeMutablePointer<Element> { base + (count &- 1) }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(to: count &+ 1) }
    (base + count).initialize(to: element)
    count &+= 1
  }

  /// Where `extra` elements may be written; they count once `count` says so.
  @inline(__always)
  mutating func room(for extra: Int) -> UnsafeMutablePointer<Element> {
    if capacity &- count < extra { grow(to: count &+ extra) }
    return base + count
  }

  @inline(__always)
  mutating func append(_ elements: UnsafeBufferPointer<Element>) {
    guard let source = elements.baseAddress else { return }
    room(for: elements.count).update(from: source, count: elements.count)
    count &+= elements.count
  }

  @inline(never)
  private mutating func grow(to needed: Int) {
    let isOwned = capacity > 0
    capacity = max(capacity * 2, needed)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    larger.moveInitialize(from: base, count: count)
    if isOwned { base.deallocate() }
    base = larger
  }
}
