/// The keys of objects with one member that were asked for last, by their type and the member's
/// name.
///
/// An enumeration's `Codable` asks for all keys of every value. To make an array of a type that
/// only the program knows takes the runtime a thousand instructions, a third of what the value
/// takes: here they are made once for each case.
struct KeyLists {
  private struct Entry {
    let type: ObjectIdentifier
    let name: [UInt8]
    /// A `List` of that type.
    let list: AnyObject
  }

  private final class List<Key: CodingKey> {
    let keys: [Key]
    init(_ keys: [Key]) { self.keys = keys }
  }

  /// A power of two.
  private static let count = 16
  /// Longer names are not worth their comparison.
  private static let longestName = 64

  private var entries = [Entry?](repeating: nil, count: KeyLists.count)

  @inline(__always)
  func find<Key: CodingKey>(_: Key.Type, _ name: UnsafeBufferPointer<UInt8>) -> [Key]? {
    let type = ObjectIdentifier(Key.self)
    guard let entry = entries[KeyLists.index(type, name)], entry.type == type,
      entry.name.count == name.count,
      entry.name.withUnsafeBufferPointer({ compareBytes($0, name) == 0 })
    else { return nil }
    // The type was compared; a cast that does so again would cost as much as the array.
    return unsafeDowncast(entry.list, to: List<Key>.self).keys
  }

  mutating func note<Key: CodingKey>(_ keys: [Key], _ name: UnsafeBufferPointer<UInt8>) {
    guard name.count <= KeyLists.longestName else { return }
    let type = ObjectIdentifier(Key.self)
    entries[KeyLists.index(type, name)] = Entry(type: type, name: Array(name), list: List(keys))
  }

  /// By the type's address and the name's first and last byte.
  @inline(__always)
  private static func index(_ type: ObjectIdentifier, _ name: UnsafeBufferPointer<UInt8>) -> Int {
    let address = UInt(bitPattern: type)
    var sum = address >> 4 ^ address >> 9
    if let first = name.first, let last = name.last {
      sum &+= UInt(first) &* 5 &+ UInt(last) &+ UInt(bitPattern: name.count)
    }
    return Int(bitPattern: sum & UInt(KeyLists.count - 1))
  }
}
