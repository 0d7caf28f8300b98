/// A source of random numbers. Each `next()` is one draw. `withGenerator` draws as often as needed.
public struct RandomSource: Sendable {
  @usableFromInline let live: @Sendable () -> UInt64

  /// Creates a source from a closure that returns 64 bits.
  public init(_ live: @escaping @Sendable () -> UInt64) { self.live = live }

  /// Returns 64 uniformly distributed bits.
  @inlinable
  public func next() -> UInt64 { live() }

  /// Calls a closure with the source as a `RandomNumberGenerator`, for example
  /// `random.withGenerator { Int.random(in: 1...6, using: &$0) }`.
  @inlinable
  public func withGenerator<Value, Failure: Error>(
    _ body: (inout Generator) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var generator = Generator(source: self)
    return try body(&generator)
  }

  /// Returns the source with an interceptor.
  public func intercepted(by interceptor: @escaping DrawInterceptor) -> RandomSource {
    RandomSource { [live] in
      guard case .random(let value) = interceptor(.random, { .random(live()) }) else {
        return live()
      }
      return value
    }
  }

  /// A source as a `RandomNumberGenerator`.
  public struct Generator: RandomNumberGenerator {
    @usableFromInline let source: RandomSource

    @inlinable
    init(source: RandomSource) {
      self.source = source
    }

    /// Returns 64 bits with one draw of the source.
    @inlinable
    public mutating func next() -> UInt64 { source.next() }
  }
}

extension RandomSource {
  /// The system's random numbers, suitable for secrets.
  public static var live: RandomSource {
    RandomSource {
      var generator = SystemRandomNumberGenerator()
      return generator.next()
    }
  }

  /// Returns a source whose sequence depends only on the seed, on every machine. Not suitable for
  /// secrets.
  public static func seeded(_ seed: UInt64) -> RandomSource {
    let generator = Shared(Xoshiro256(seed: seed))
    return RandomSource { generator.value.withLock { $0.next() } }
  }
}

/// xoshiro256** 1.0 by Blackman and Vigna, with its state initialized by SplitMix64 as they
/// recommend (<https://prng.di.unimi.it>).
struct Xoshiro256: RandomNumberGenerator, Sendable {
  private var a, b, c, d: UInt64

  init(seed: UInt64) {
    var mixer = SplitMix64(state: seed)
    (a, b, c, d) = (mixer.next(), mixer.next(), mixer.next(), mixer.next())
  }

  mutating func next() -> UInt64 {
    let result = Self.rotate(b &* 5, 7) &* 9
    let shifted = b << 17
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = Self.rotate(d, 45)
    return result
  }

  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value << count | value >> (64 - count)
  }
}

/// SplitMix64 by Steele, Lea and Flood: one addition and three multiplications per number.
struct SplitMix64: RandomNumberGenerator, Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
