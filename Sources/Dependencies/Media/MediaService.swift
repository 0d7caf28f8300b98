/// Programs that keep a library of media: Radarr, Sonarr and Lidarr.
///
/// One service communicates with any number of servers. Each call names its server. The key of the
/// server is looked up in the keychain by its name.
///
/// ```swift
/// let films = MediaServer(.radarr, try await dependencies.persistence.service("films"))
/// let found = try await dependencies.mediaService.lookup("dune", on: films)
/// ```
/// A `MediaResource` is complete: unknown members are preserved and sent back with a change, as the
/// programs require.
public protocol MediaService: Service {
  /// Returns the name and version of the program, with a request that requires the key.
  ///
  /// - Throws: `ProgramError`, like all calls: `wrongKey`, `wrongProgram` or `wrongPath` if the
  ///   server does not match its description.
  func status(of server: MediaServer) async throws(ProgramError) -> ProgramStatus
  /// Returns the items of the library, in the order of the program, and their source.
  ///
  /// - Parameter policy: Whether a cached response may replace that of the program.
  func library(
    of server: MediaServer, policy: CachePolicy
  ) async throws(ProgramError) -> Fetched<[MediaItem]>
  /// Returns an item of the library. Throws `missing`.
  func item(_ id: Int, on server: MediaServer) async throws(ProgramError) -> MediaResource
  /// Returns the entries of the program's catalogue that match a term. May be empty.
  func lookup(_ term: String, on server: MediaServer) async throws(ProgramError) -> [MediaResource]
  /// Adds a resource that was looked up. The resource must contain a quality profile, a root folder
  /// and, for Lidarr, a metadata profile.
  ///
  /// - Returns: The resource in the library. Throws `exists` and `refused`.
  func add(
    _ resource: MediaResource, to server: MediaServer
  ) async throws(ProgramError) -> MediaResource
  /// Replaces an item of the library. The complete resource is sent.
  ///
  /// - Returns: The resource in the library. Throws `missing` and `refused`.
  func update(
    _ resource: MediaResource, on server: MediaServer
  ) async throws(ProgramError) -> MediaResource
  /// Removes an item from the library. Throws `missing`.
  func remove(
    _ id: Int, deletesFiles: Bool, from server: MediaServer
  ) async throws(ProgramError)
  /// Returns the downloads for the library, and those that the program cannot assign to an item.
  func queue(of server: MediaServer) async throws(ProgramError) -> MediaQueue
  /// Removes a download from the queue, and from the program that downloads it, with its files.
  /// Throws `missing`.
  ///
  /// - Parameter blocksRelease: Whether the program is not to choose the release again.
  func removeDownload(
    _ id: Int, blocksRelease: Bool, from server: MediaServer
  ) async throws(ProgramError)
  /// Returns the releases from `start` up to, but not including, `end`, in microseconds since 1970,
  /// in ascending order.
  func calendar(
    of server: MediaServer, from start: Int64, until end: Int64
  ) async throws(ProgramError) -> [MediaRelease]
  /// Makes the program search the indexers for an item. Throws `missing`.
  ///
  /// - Returns: The status that the program reports for the search, for example `queued`.
  func search(forItem id: Int, on server: MediaServer) async throws(ProgramError) -> String
  /// Returns the options for a new item. Only Lidarr has metadata profiles.
  func options(
    _ kind: MediaOption.Kind, of server: MediaServer
  ) async throws(ProgramError) -> [MediaOption]
}

/// A program that keeps a library of media.
public enum MediaProgram: String, ServiceProgram {
  /// Films, API version 3.
  case radarr
  /// Series, API version 3.
  case sonarr
  /// Music, API version 1.
  case lidarr

  /// The name of the program, as it writes it.
  public var title: String {
    switch self {
    case .radarr: "Radarr"
    case .sonarr: "Sonarr"
    case .lidarr: "Lidarr"
    }
  }

  /// The path of the API, relative to the program's own base URL.
  public var path: String { self == .lidarr ? "/api/v1" : "/api/v3" }
}

/// A media program at the address of a service.
public typealias MediaServer = RemoteProgram<MediaProgram>
