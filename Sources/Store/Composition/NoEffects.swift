extension Array {
  /// Whether it is the empty array that all types of elements share, which is what `[]` makes.
  ///
  /// Compared by address, that is known where the code is compiled: a step without effects passes any number of levels for nothing, where
  /// `isEmpty` reads memory at each of them.
  @inlinable
  @inline(__always)
  var isNothing: Bool {
    // An array is one reference here, which is looked at and not kept.
    unsafeBitCast(self, to: UnsafeRawPointer.self)
      == unsafeBitCast([] as [Element], to: UnsafeRawPointer.self)
  }

  /// Leaves a reference behind, so that letting go of this one is nothing: the shared empty array is never freed.
  @inlinable
  @inline(__always)
  func forget() {
    var place: UInt = 0
    withUnsafeMutablePointer(to: &place) { place in
      _ = UnsafeMutableRawPointer(place).initializeMemory(as: Self.self, to: self)
    }
  }

  /// Whether there are none, which are let go of for nothing where it is the shared empty array.
  @inlinable
  @inline(__always)
  func areNone() -> Bool {
    guard isNothing else { return isEmpty }
    forget()
    return true
  }

  /// What `adopt` makes of effects; of none, none.
  @inlinable
  @inline(__always)
  consuming func adopted<Child, Parent>(
    by adopt: ([Effect<Child>]) -> [Effect<Parent>]
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    // The shared empty array is the same object whatever its elements would be: passed on as it is, it need not be let go at each level.
    if isNothing {
      forget()
      return []
    }
    return isEmpty ? [] : adopt(self)
  }

  /// Both, without making a new array where one is empty.
  @inlinable
  @inline(__always)
  static func joined<Action>(_ first: Self, _ second: Self) -> Self
  where Element == Effect<Action> {
    if second.isNothing { return first }
    if first.isNothing { return second }
    return first + second
  }
}
