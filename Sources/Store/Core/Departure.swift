/// What the thread that leaves the lock has to do.
///
/// Made of two plain addresses, so that the many steps that leave nothing have nothing to let go of. Whoever gets one that is not nothing
/// has to take its partings.
@usableFromInline
struct Departure<State: Sendable, Action: Sendable>: Sendable {
  // Both are addresses that one thread takes with it from the lock, and no other thread has.
  /// A step to tell: this thread has it for itself until it says that it is done.
  @usableFromInline nonisolated(unsafe) let publication:
    UnsafeMutablePointer<Publication<State, Action>>?
  /// An array of partings, retained.
  @usableFromInline nonisolated(unsafe) let partings: UnsafeMutableRawPointer?

  @inlinable
  init(
    publication: UnsafeMutablePointer<Publication<State, Action>>?,
    partings: consuming [Parting<Action>]
  ) {
    self.publication = publication
    // An array is one reference.
    self.partings =
      partings.isEmpty
      ? nil : Unmanaged.passRetained(unsafeBitCast(partings, to: AnyObject.self)).toOpaque()
  }

  @inlinable
  init() {
    publication = nil
    partings = nil
  }

  @inlinable
  static var nothing: Departure { Departure() }

  @inlinable
  var isNothing: Bool { publication == nil && partings == nil }

  /// To be called once.
  @inlinable
  func takePartings() -> [Parting<Action>] {
    guard let partings else { return [] }
    return unsafeBitCast(
      Unmanaged<AnyObject>.fromOpaque(partings).takeRetainedValue(), to: [Parting<Action>].self)
  }
}
