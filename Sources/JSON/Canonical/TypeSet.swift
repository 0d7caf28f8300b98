/// A cache of types that can be searched in a few instructions. Each type has one of sixteen slots,
/// in which another type may replace it.
struct TypeSet {
  private var types = SIMD16<UInt>(repeating: 0)

  @inline(__always)
  func contains(_ type: any Any.Type) -> Bool {
    let id = UInt(bitPattern: ObjectIdentifier(type))
    return types[TypeSet.position(id)] == id
  }

  mutating func insert(_ type: any Any.Type) {
    let id = UInt(bitPattern: ObjectIdentifier(type))
    types[TypeSet.position(id)] = id
  }

  @inline(__always)
  private static func position(_ id: UInt) -> Int {
    // Metadata is at multiples of 8, and close together for types of one module.
    Int((id >> 3 ^ id >> 7 ^ id >> 11) & 15)
  }
}
