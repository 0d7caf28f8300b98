/// Names one node of a store's effect graph. The slot is used again, the serial number is not.
@usableFromInline
struct EffectID: Hashable, Sendable {
  @usableFromInline let slot: Int32
  /// Counts up from 1; later nodes have later numbers.
  @usableFromInline let serial: UInt32

  @inlinable
  init(slot: Int32, serial: UInt32) {
    self.slot = slot
    self.serial = serial
  }

  @inlinable
  static var none: EffectID { EffectID(slot: -1, serial: 0) }

  /// Whether this node came later, even where the count has begun anew in between.
  func isAfter(_ other: EffectID) -> Bool { Int32(bitPattern: serial &- other.serial) > 0 }
}
