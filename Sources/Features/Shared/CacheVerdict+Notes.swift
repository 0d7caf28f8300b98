import SwiftBoardBoard
import SwiftBoardDependencies

extension CacheVerdict {
  /// The end of a note about a value with this source; empty without the cache.
  var suffix: String { self == .none ? "" : "  \(rawValue)" }

  /// Returns what is said of a value that its service has not confirmed.
  ///
  /// - Parameters:
  ///   - staleReason: The failure of the service, if a cached response replaces its own.
  ///   - service: The word for the service.
  ///   - advice: The way to a confirmed value.
  func notes(
    staleReason: String?, from service: String = "service", advice: String
  ) -> [Outcome.Note] {
    let kept = "this is a kept answer; "
    if let staleReason {
      return [.warning(kept + "the \(service) did not confirm it: \(staleReason)")]
    }
    return self == .stale ? [Outcome.Note(kept + advice)] : []
  }
}
