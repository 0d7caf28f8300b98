/// Programs that download from Usenet: SABnzbd and NZBGet.
///
/// One service communicates with any number of servers. Each call names its server. The key of the
/// server is looked up in the keychain by its name.
///
/// ```swift
/// let sab = DownloadServer(.sabnzbd, try await dependencies.persistence.service("sab"))
/// try await dependencies.downloadService.pause([], on: sab)
/// ```
public protocol DownloadService: Service {
  /// Returns the version of the program, with a request that requires the key.
  ///
  /// - Throws: `ProgramError`, like all calls: `wrongKey`, `wrongProgram` or `wrongPath` if the
  ///   server does not match its description.
  func status(of server: DownloadServer) async throws(ProgramError) -> ProgramStatus
  /// Returns the active and the waiting downloads.
  func queue(of server: DownloadServer) async throws(ProgramError) -> DownloadQueue
  /// Returns at most `limit` finished downloads, newest first.
  func history(
    of server: DownloadServer, limit: Int
  ) async throws(ProgramError) -> [FinishedDownload]
  /// Adds a download.
  ///
  /// - Returns: The identifier of the download. Throws `refused`.
  func add(
    _ download: NewDownload, to server: DownloadServer
  ) async throws(ProgramError) -> String
  /// Pauses downloads, or the whole queue if `ids` is empty.
  ///
  /// - Throws: `notQueued`, before anything is changed, if one of them is not in the queue.
  func pause(_ ids: [String], on server: DownloadServer) async throws(ProgramError)
  /// Resumes downloads, or the whole queue if `ids` is empty.
  ///
  /// - Throws: `notQueued`, before anything is changed, if one of them is not in the queue.
  func resume(_ ids: [String], on server: DownloadServer) async throws(ProgramError)
  /// Removes downloads from the queue.
  ///
  /// NZBGet deletes the files of an unfinished download in any case. With `deletesFiles`, its
  /// history has no entry of the download either.
  ///
  /// - Throws: `notQueued`, before anything is removed, if one of them is not in the queue.
  func remove(
    _ ids: [String], deletesFiles: Bool, from server: DownloadServer
  ) async throws(ProgramError)
}

/// A program that downloads.
public enum DownloadProgram: String, ServiceProgram {
  /// SABnzbd, with the API of version 2 and later.
  case sabnzbd
  /// NZBGet, with JSON-RPC of version 18 and later.
  case nzbget

  /// The name of the program, as it writes it.
  public var title: String { self == .sabnzbd ? "SABnzbd" : "NZBGet" }

  /// The last component of the API's path.
  public var path: String { self == .sabnzbd ? "/api" : "/jsonrpc" }
}

/// A download program at the address of a service.
public typealias DownloadServer = RemoteProgram<DownloadProgram>

/// A request for a new download.
public struct NewDownload: Codable, Sendable, Equatable {
  /// A part of an address: text, or the name of a secret.
  public enum Part: Codable, Sendable, Equatable {
    /// Literal text.
    case text(text: String)
    /// The value of a secret, percent-encoded.
    case secret(name: String)
  }

  /// The address of the NZB file. Indexers often include a key in it.
  public var address: [Part]
  /// The name of the download, or `nil` to use that of the file.
  public var name: String?
  /// The category, or `nil` for the program's default.
  public var category: String?

  /// A download from its parts.
  public init(_ address: [Part], name: String? = nil, category: String? = nil) {
    self.address = address
    self.name = name
    self.category = category
  }

  /// Creates a download from an address without a secret.
  public init(_ address: String, name: String? = nil, category: String? = nil) {
    self.init([.text(text: address)], name: name, category: category)
  }
}
