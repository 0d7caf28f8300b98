/// Bytes near `bytes`: some are changed, left out, doubled or put in, or two stretches are joined.
public func mutated(
  _ bytes: [UInt8], using generator: inout some RandomNumberGenerator
) -> [UInt8] {
  var result = bytes
  for _ in 0..<Int.random(in: 1...4, using: &generator) {
    guard !result.isEmpty else { return [.random(in: 0...255, using: &generator)] }
    let index = Int.random(in: result.indices, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: result[index] = .random(in: 0...255, using: &generator)
    case 1: result[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 2: result.remove(at: index)
    case 3: result.insert(.random(in: 32...126, using: &generator), at: index)
    case 4:
      let end = Int.random(in: index...result.count, using: &generator)
      result.insert(contentsOf: result[index..<end], at: index)
    default: result.removeSubrange(index..<Int.random(in: index...result.count, using: &generator))
    }
  }
  return result
}
