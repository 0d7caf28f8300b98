extension Array {
  /// Returns the result of `adopt`, or an empty array if there are no effects.
  @inlinable @inline(__always)
  consuming func adopted<Child, Parent>(
    by adopt: ([Effect<Child>]) -> [Effect<Parent>]
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    if hasNoEffects() { return [] }
    return adopt(self)
  }

  /// Returns both arrays joined, without a new array if one of them is empty.
  @inlinable @inline(__always)
  static func joined<Action>(_ first: Self, _ second: Self) -> Self
  where Element == Effect<Action> {
    if second.isEmpty { return first }
    if first.isEmpty { return second }
    return first + second
  }

  /// Returns whether the array is empty, without counting references to the empty array.
  ///
  /// Each level of a composition calls this in every step. With `isEmpty` and a release, five
  /// levels take 16 ns. With this method they take 5 ns, the same as a handwritten `switch`. The
  /// standard library's empty array is one object that is never freed, whatever the type of the
  /// elements.
  @inlinable @inline(__always)
  func hasNoEffects() -> Bool {
    let shared = unsafeBitCast([] as [Element], to: UnsafeRawPointer.self)
    guard unsafeBitCast(self, to: UnsafeRawPointer.self) == shared else { return isEmpty }
    // A copy that is never released. The shared object ignores its reference count, and this copy
    // lets the optimizer remove the release.
    var copy: UInt = 0
    withUnsafeMutablePointer(to: &copy) { copy in
      _ = UnsafeMutableRawPointer(copy).initializeMemory(as: Self.self, to: self)
    }
    return true
  }
}
