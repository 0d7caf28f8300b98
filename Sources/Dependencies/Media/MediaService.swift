/// Programs that keep a library of media: Radarr, Sonarr and Lidarr.
///
/// One service speaks to any number of them. Each call names the server that it asks, and takes the
/// key from the keychain, by its name.
///
/// ```swift
/// let films = MediaServer(.radarr, try await dependencies.persistence.service("films"))
/// let found = try await dependencies.mediaService.lookup("dune", on: films)
/// ```
/// A `MediaResource` is whole: members that this package does not know are kept, and are sent back
/// with a change, as the programs require.
public protocol MediaService: Service {
  /// Asks for the program and its version, with the key.
  ///
  /// - Throws: `ProgramError`, as all calls; `wrongKey`, `wrongProgram` or `wrongPath` where the
  ///   server is not what it should be.
  func status(of server: MediaServer) async throws(ProgramError) -> ProgramStatus
  /// The items of the library, in the order of the program.
  ///
  /// - Parameter policy: Whether a kept answer may stand in for the program's.
  func library(
    of server: MediaServer, policy: CachePolicy
  ) async throws(ProgramError) -> MediaLibrary
  /// One item of the library. Throws `missing`.
  func item(_ id: Int, on server: MediaServer) async throws(ProgramError) -> MediaResource
  /// What the program's catalogue has for a term; empty if it has nothing.
  func lookup(_ term: String, on server: MediaServer) async throws(ProgramError) -> [MediaResource]
  /// Adds a resource that was looked up, completed by quality profile, root folder and, for Lidarr,
  /// metadata profile.
  ///
  /// - Returns: The resource as the library has it. Throws `exists` and `refused`.
  func add(
    _ resource: MediaResource, to server: MediaServer
  ) async throws(ProgramError) -> MediaResource
  /// Replaces an item of the library by a changed one, which is sent whole.
  ///
  /// - Returns: The resource as the library has it. Throws `missing` and `refused`.
  func update(
    _ resource: MediaResource, on server: MediaServer
  ) async throws(ProgramError) -> MediaResource
  /// Removes an item from the library. Throws `missing`.
  func remove(
    _ id: Int, deletesFiles: Bool, from server: MediaServer
  ) async throws(ProgramError)
  /// What is being downloaded for the library.
  func queue(of server: MediaServer) async throws(ProgramError) -> MediaQueue
  /// The releases at or after `start` and before `end`, in microseconds since 1970, in their order.
  func calendar(
    of server: MediaServer, from start: Int64, until end: Int64
  ) async throws(ProgramError) -> [MediaRelease]
  /// Tells the program to search the indexers for an item.
  ///
  /// - Returns: What the program says of the command, for example `queued`.
  func search(forItem id: Int, on server: MediaServer) async throws(ProgramError) -> String
  /// What an added item can choose from. Lidarr alone has metadata profiles.
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

  /// As the program calls itself.
  public var title: String {
    switch self {
    case .radarr: "Radarr"
    case .sonarr: "Sonarr"
    case .lidarr: "Lidarr"
    }
  }

  /// The path at which the program has its API, after the base of its own address.
  public var path: String { self == .lidarr ? "/api/v1" : "/api/v3" }
}

/// A media program at the address of a service.
public typealias MediaServer = ProgramEndpoint<MediaProgram>
