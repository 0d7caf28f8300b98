/// A growing stack of trivial values. Unlike an array, it needs no uniqueness check for every
/// access.
struct Stack<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  var count = 0
  private var capacity: Int

  init(capacity: Int) {
    self.capacity = max(1, capacity)
    base = .allocate(capacity: self.capacity)
  }

  /// Creates a placeholder without memory.
  init() {
    capacity = 0
    // Never accessed: the stack is empty, and adding elements allocates memory.
    base = UnsafeMutablePointer(bitPattern: 16).unsafelyUnwrapped
  }

  deinit { if capacity > 0 { base.deallocate() } }

  /// The last element. The stack must not be empty.
  @inline(__always)
  var top: UnsafeMutablePointer<Element> { base + (count &- 1) }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow(to: count &+ 1) }
    (base + count).initialize(to: element)
    count &+= 1
  }

  /// Returns a pointer to memory for `extra` elements. The caller must increase `count` to add
  /// them.
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
