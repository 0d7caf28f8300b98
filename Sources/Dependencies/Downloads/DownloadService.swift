/// Programs that download from Usenet: SABnzbd and NZBGet.
///
/// One service speaks to any number of them. Each call names the server that it asks, and takes the
/// key from the keychain, by its name.
///
/// ```swift
/// let sab = DownloadServer(.sabnzbd, try await dependencies.persistence.service("sab"))
/// try await dependencies.downloadService.pause([], on: sab)
/// ```
public protocol DownloadService: Service {
  /// Asks for something that needs the key, and for the version.
  ///
  /// - Throws: `ProgramError`, as all calls; `wrongKey`, `wrongProgram` or `wrongPath` where the
  ///   server is not what it should be.
  func status(of server: DownloadServer) async throws(ProgramError) -> ProgramStatus
  /// What is being downloaded, and what waits.
  func queue(of server: DownloadServer) async throws(ProgramError) -> DownloadQueue
  /// What was downloaded last, newest first; at most `limit`.
  func history(
    of server: DownloadServer, limit: Int
  ) async throws(ProgramError) -> [FinishedDownload]
  /// Adds a download.
  ///
  /// - Returns: Its ID. Throws `refused`.
  func add(
    _ download: NewDownload, to server: DownloadServer
  ) async throws(ProgramError) -> String
  /// Pauses downloads; all of them, and those to come, if `ids` is empty. Throws `missing`.
  func pause(_ ids: [String], on server: DownloadServer) async throws(ProgramError)
  /// Goes on with downloads; with all of them if `ids` is empty. Throws `missing`.
  func resume(_ ids: [String], on server: DownloadServer) async throws(ProgramError)
  /// Removes downloads from the queue. Throws `missing`.
  func remove(
    _ ids: [String], deletesFiles: Bool, from server: DownloadServer
  ) async throws(ProgramError)
}

/// A program that downloads.
public enum DownloadProgram: String, ServiceProgram {
  /// The API of version 2 and later.
  case sabnzbd
  /// JSON-RPC, version 18 and later.
  case nzbget

  /// As the program calls itself.
  public var title: String { self == .sabnzbd ? "SABnzbd" : "NZBGet" }

  /// The last part of the address at which the program has its API.
  public var path: String { self == .sabnzbd ? "/api" : "/jsonrpc" }
}

/// A download program at the address of a service.
public typealias DownloadServer = ProgramEndpoint<DownloadProgram>

/// What is to be downloaded.
public struct NewDownload: Codable, Sendable, Equatable {
  /// A part of an address: text, or the name of a secret in its place.
  public enum Part: Codable, Sendable, Equatable {
    /// Text as it is.
    case text(text: String)
    /// The value of a secret, percent-encoded.
    case secret(name: String)
  }

  /// The address of the NZB file. Indexers often have a key in it.
  public var address: [Part]
  /// A name for the download; `nil`: that of the file.
  public var name: String?
  /// A category of the program.
  public var category: String?

  /// A download from its parts.
  public init(_ address: [Part], name: String? = nil, category: String? = nil) {
    self.address = address
    self.name = name
    self.category = category
  }

  /// A download from an address without a secret.
  public init(_ address: String, name: String? = nil, category: String? = nil) {
    self.init([.text(text: address)], name: name, category: category)
  }
}
