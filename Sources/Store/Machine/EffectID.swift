/// The identity of a node in a store's effect graph. The slot is reused, the serial number is not.
@usableFromInline
struct EffectID: Hashable, Sendable {
  @usableFromInline let slot: Int32
  /// A number that increases from 1 with each node.
  @usableFromInline let serial: UInt32

  @inlinable
  init(slot: Int32, serial: UInt32) {
    self.slot = slot
    self.serial = serial
  }

  @inlinable
  static var none: EffectID { EffectID(slot: -1, serial: 0) }

  /// Returns whether this node was created later, even if the count has overflowed in between.
  func isAfter(_ other: EffectID) -> Bool { Int32(bitPattern: serial &- other.serial) > 0 }
}

/// The identity of a waiter for the end of effects.
@usableFromInline typealias WaiterID = Int
