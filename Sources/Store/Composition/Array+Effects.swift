extension Array {
  /// What `adopt` makes of effects; of none, none.
  @inlinable
  @inline(__always)
  consuming func adopted<Child, Parent>(
    by adopt: ([Effect<Child>]) -> [Effect<Parent>]
  ) -> [Effect<Parent>] where Element == Effect<Child> {
    isEmpty ? [] : adopt(self)
  }

  /// Both, without making a new array where one is empty.
  @inlinable
  @inline(__always)
  static func joined<Action>(_ first: Self, _ second: Self) -> Self
  where Element == Effect<Action> {
    if second.isEmpty { return first }
    if first.isEmpty { return second }
    return first + second
  }
}
