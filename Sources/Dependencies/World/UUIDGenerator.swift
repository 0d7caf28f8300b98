import SwiftBoardSystem

/// A generator of identifiers.
public struct UUIDGenerator: Sendable {
  @usableFromInline let live: @Sendable () -> UUID

  /// Creates a generator from a closure.
  public init(_ live: @escaping @Sendable () -> UUID) { self.live = live }

  /// Returns the next identifier.
  @inlinable
  public func next() -> UUID { live() }

  /// Returns `next()`, so that a reducer can write `dependencies.uuid()`.
  @inlinable
  public func callAsFunction() -> UUID { next() }

  /// Returns the generator with an interceptor.
  public func intercepted(by interceptor: @escaping DrawInterceptor) -> UUIDGenerator {
    UUIDGenerator { [live] in
      guard case .uuid(let value) = interceptor(.uuid, { .uuid(live()) }) else { return live() }
      return value
    }
  }
}

extension UUIDGenerator {
  /// Version 4 identifiers from the system's random numbers. On Linux, `UUID()` opens /dev/urandom
  /// at each call; this does not.
  public static var live: UUIDGenerator {
    UUIDGenerator {
      var generator = SystemRandomNumberGenerator()
      return version4(generator.next(), generator.next())
    }
  }

  /// Identifiers that count up: `00000000-0000-0000-0000-000000000001`, `…2` and so on, in
  /// hexadecimal.
  public static var incrementing: UUIDGenerator {
    let count = Shared<UInt64>(0)
    return UUIDGenerator {
      let number = count.value.withLock {
        $0 &+= 1
        return $0
      }
      return uuid(0, number)
    }
  }

  /// Returns a generator of version 4 identifiers that depend only on the seed.
  public static func seeded(_ seed: UInt64) -> UUIDGenerator {
    let generator = Shared(Xoshiro256(seed: seed))
    return UUIDGenerator {
      let (high, low) = generator.value.withLock { ($0.next(), $0.next()) }
      return version4(high, low)
    }
  }

  private static func version4(_ high: UInt64, _ low: UInt64) -> UUID {
    uuid(
      high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  private static func uuid(_ high: UInt64, _ low: UInt64) -> UUID {
    func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
    }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
        byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
        byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
        byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }
}
