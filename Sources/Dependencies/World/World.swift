#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One value drawn from the world outside a reduction: the thing that makes a rerun differ.
public enum Draw: Sendable, Equatable {
  /// Wall-clock microseconds since 1970.
  case date(Int64)
  /// Monotonic microseconds since the clock's own origin.
  case clock(Int64)
  case uuid(UUID)
  case random(UInt64)

  public enum Kind: String, Sendable {
    case date, clock, uuid, random
  }
}

/// Stands between a generator and whoever draws from it: it may note the value (recording) or give another in its place
/// (replay). `live` draws the real one. A value of another kind than asked for is ignored, and the real one is drawn.
public typealias DrawInterceptor = @Sendable (_ kind: Draw.Kind, _ live: () -> Draw) -> Draw

/// The wall clock.
public struct DateGenerator: Sendable {
  @usableFromInline let live: @Sendable () -> Int64
  @usableFromInline let interceptor: DrawInterceptor?

  public init(
    interceptor: DrawInterceptor? = nil, _ live: @escaping @Sendable () -> Int64
  ) {
    self.live = live
    self.interceptor = interceptor
  }

  /// Microseconds since 1970.
  public var now: Int64 {
    guard let interceptor else { return live() }
    guard case .date(let value) = interceptor(.date, { .date(live()) }) else { return live() }
    return value
  }

  /// The same generator behind an interceptor.
  public func intercepted(by interceptor: @escaping DrawInterceptor) -> DateGenerator {
    DateGenerator(interceptor: interceptor, live)
  }
}
