import SwiftBoardSystem
import Synchronization

/// The wall clock.
public struct DateGenerator: Sendable {
  @usableFromInline let live: @Sendable () -> Int64
  @usableFromInline let interceptor: DrawInterceptor?

  /// A wall clock from a closure that gives microseconds since 1970.
  ///
  /// - Parameter interceptor: Sees every draw.
  public init(
    interceptor: DrawInterceptor? = nil, _ live: @escaping @Sendable () -> Int64
  ) {
    self.live = live
    self.interceptor = interceptor
  }

  /// Microseconds since 1970.
  @inlinable
  public var now: Int64 {
    guard let interceptor else { return live() }
    guard case .date(let value) = interceptor(.date, { .date(live()) }) else { return live() }
    return value
  }

  /// The same generator behind an interceptor. Its `live` value is what this generator gives,
  /// interceptors included.
  public func intercepted(by interceptor: @escaping DrawInterceptor) -> DateGenerator {
    let inner = self
    return DateGenerator(interceptor: interceptor) { inner.now }
  }
}

extension DateGenerator {
  /// 2026-01-01T00:00:00Z, where every mock begins.
  public static let mockStart: Int64 = 1_767_225_600_000_000

  /// The system's wall clock, in whole microseconds; about 30 ns.
  public static var live: DateGenerator {
    DateGenerator {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
  }

  /// Always the same time.
  public static func fixed(_ microseconds: Int64 = mockStart) -> DateGenerator {
    DateGenerator { microseconds }
  }

  /// Returns `start` first, then `step` microseconds more at each draw. All copies share the count.
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

/// A value behind a lock that closures can share.
final class Shared<Value: Sendable>: Sendable {
  let value: Mutex<Value>

  init(_ value: Value) {
    self.value = Mutex(value)
  }
}
