/// A generator of random numbers from a seed, equal on every machine: SplitMix64.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var word: UInt64

  /// Creates a generator. Equal seeds give equal numbers.
  public init(seed: UInt64) {
    word = seed
  }

  /// Returns the next number of 64 bits.
  public mutating func next() -> UInt64 {
    word &+= 0x9E37_79B9_7F4A_7C15
    var mixed = word
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
