import SwiftBoardSystem
import Synchronization

/// The wall clock.
public struct DateGenerator: Sendable {
  @usableFromInline let live: @Sendable () -> Int64

  /// Creates a wall clock from a closure that returns microseconds since 1970.
  public init(_ live: @escaping @Sendable () -> Int64) { self.live = live }

  /// The current time in microseconds since 1970.
  @inlinable
  public var now: Int64 { live() }

  /// Returns the generator with an additional interceptor. Its `live` value is the value of this
  /// generator, including its interceptors.
  public func intercepted(by interceptor: @escaping DrawInterceptor) -> DateGenerator {
    DateGenerator { [live] in
      guard case .date(let value) = interceptor(.date, { .date(live()) }) else { return live() }
      return value
    }
  }
}

extension DateGenerator {
  /// The start time of every mock: 2026-01-01T00:00:00Z.
  public static let mockStart: Int64 = 1_767_225_600_000_000

  /// The system's wall clock, in whole microseconds. A read takes about 30 ns.
  public static var live: DateGenerator {
    DateGenerator {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
  }

  /// Returns a generator with a constant time.
  public static func fixed(_ microseconds: Int64 = mockStart) -> DateGenerator {
    DateGenerator { microseconds }
  }
}

/// A value behind a lock, shared by closures.
final class Shared<Value: ~Copyable>: Sendable {
  let value: Mutex<Value>

  init(_ value: consuming sending Value) {
    self.value = Mutex(value)
  }
}
