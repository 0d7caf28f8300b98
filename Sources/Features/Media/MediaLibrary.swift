import SwiftBoardDependencies

/// The items of a library, and their source.
public struct MediaLibrary: Codable, Sendable, Equatable {
  /// The items in the order of the program.
  public var items: [MediaItem]
  /// The source of the response: the program or the cache.
  public var verdict: CacheVerdict
  /// The reason why a cached response replaces that of the program, or `nil` if none does.
  public var staleReason: String?

  private enum CodingKeys: String, CodingKey {
    case items, verdict, staleReason = "stale"
  }

  /// Creates a library.
  public init(_ items: [MediaItem], verdict: CacheVerdict = .miss, staleReason: String? = nil) {
    self.items = items
    self.verdict = verdict
    self.staleReason = staleReason
  }

  /// Creates the library of an action.
  ///
  /// - Parameter redactor: Replaces known secrets in the reason by marks.
  init(_ fetched: Fetched<[MediaItem]>, _ redactor: Redactor) {
    self.init(
      fetched.value, verdict: fetched.verdict, staleReason: fetched.staleReason(redactor))
  }
}
