/// Random numbers that a seed determines, the same on every machine: SplitMix64.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var word: UInt64

  /// Equal seeds give equal numbers.
  public init(seed: UInt64) {
    word = seed
  }

  /// The next number, of all 64 bits.
  public mutating func next() -> UInt64 {
    word &+= 0x9E37_79B9_7F4A_7C15
    var mixed = word
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
