/// Some of the types that were put there, found again in a few instructions: each has one of
/// sixteen slots, and may have to leave it to another.
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
    // Metadata is at multiples of 8, of types of one module close together.
    Int((id >> 3 ^ id >> 7 ^ id >> 11) & 15)
  }
}
