import SwiftBoardSystem
import Synchronization

/// The wall clock.
public struct DateGenerator: Sendable {
  @usableFromInline let live: @Sendable () -> Int64
  @usableFromInline let interceptor: DrawInterceptor?

  /// Creates a wall clock from a closure that returns microseconds since 1970.
  ///
  /// - Parameter interceptor: Intercepts every draw.
  public init(
    interceptor: DrawInterceptor? = nil, _ live: @escaping @Sendable () -> Int64
  ) {
    self.live = live
    self.interceptor = interceptor
  }

  /// The current time in microseconds since 1970.
  @inlinable
  public var now: Int64 {
    guard let interceptor else { return live() }
    guard case .date(let value) = interceptor(.date, { .date(live()) }) else { return live() }
    return value
  }

  /// Returns the generator with an additional interceptor. Its `live` value is the value of this
  /// generator, including its interceptors.
  public func intercepted(by interceptor: @escaping DrawInterceptor) -> DateGenerator {
    let inner = self
    return DateGenerator(interceptor: interceptor) { inner.now }
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

  /// Returns a generator that starts with `start` and adds `step` microseconds at each draw. All
  /// copies share the state.
  public static func stepping(from start: Int64 = mockStart, by step: Int64) -> DateGenerator {
    let next = Shared(start)
    return DateGenerator {
      next.value.withLock { time in
        defer { time &+= step }
        return time
      }
    }
  }
}

/// A value behind a lock, shared by closures.
final class Shared<Value: Sendable>: Sendable {
  let value: Mutex<Value>

  init(_ value: Value) {
    self.value = Mutex(value)
  }
}
