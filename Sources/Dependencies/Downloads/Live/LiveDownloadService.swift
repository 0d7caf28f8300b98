import SwiftBoardJSON

/// Download programs over HTTP: SABnzbd with its API, NZBGet with JSON-RPC.
///
/// Uses the client, the keychain and the terminal of an environment.
public struct LiveDownloadService: DownloadService {
  private let dependencies: Dependencies

  /// Creates a service. Sends no request.
  public init(_ dependencies: Dependencies) {
    self.dependencies = dependencies
  }

  /// The requests to one of the programs.
  protocol Calls: Sendable {
    func status() async throws(ProgramError) -> ProgramStatus
    func queue() async throws(ProgramError) -> DownloadQueue
    func history(limit: Int) async throws(ProgramError) -> [FinishedDownload]
    func add(_ download: NewDownload) async throws(ProgramError) -> String
    func setPaused(_ isPaused: Bool, _ ids: [String]) async throws(ProgramError)
    func remove(_ ids: [String], deletesFiles: Bool) async throws(ProgramError)
  }

  private func connection(_ server: DownloadServer) -> ProgramConnection {
    var service = server.service
    // Accept addresses with and without the path of the API.
    if !service.base.hasSuffix(server.program.path) {
      service.baseURL = service.addingQuery(to: service.base + server.program.path)
    }
    return ProgramConnection(
      dependencies: dependencies, program: server.program.title, service: service,
      timeout: server.timeout)
  }

  private func calls(_ server: DownloadServer) -> any Calls {
    let connection = connection(server)
    return server.program == .sabnzbd ? SABnzbdCalls(connection) : NZBGetCalls(connection)
  }

  /// Sends one request to NZBGet, and two to SABnzbd, which returns its version without a key.
  /// After a refusal, sends up to two more requests to identify the program.
  ///
  /// - Throws: `ProgramError`, as all calls.
  public func status(of server: DownloadServer) async throws(ProgramError) -> ProgramStatus {
    do throws(ProgramError) { return try await calls(server).status() } catch {
      throw await connection(server).naming(error)
    }
  }

  /// One request to SABnzbd, two to NZBGet.
  public func queue(of server: DownloadServer) async throws(ProgramError) -> DownloadQueue {
    try await calls(server).queue()
  }

  /// One request.
  public func history(
    of server: DownloadServer, limit: Int
  ) async throws(ProgramError) -> [FinishedDownload] {
    try await calls(server).history(limit: limit)
  }

  /// One request.
  public func add(
    _ download: NewDownload, to server: DownloadServer
  ) async throws(ProgramError) -> String {
    try await calls(server).add(download)
  }

  /// One request for the whole queue. For downloads, two to SABnzbd, and to NZBGet for several.
  public func pause(_ ids: [String], on server: DownloadServer) async throws(ProgramError) {
    try await calls(server).setPaused(true, ids)
  }

  /// One request for the whole queue. For downloads, two to SABnzbd, and to NZBGet for several.
  public func resume(_ ids: [String], on server: DownloadServer) async throws(ProgramError) {
    try await calls(server).setPaused(false, ids)
  }

  /// Two requests; one to NZBGet for one download.
  public func remove(
    _ ids: [String], deletesFiles: Bool, from server: DownloadServer
  ) async throws(ProgramError) {
    try await calls(server).remove(ids, deletesFiles: deletesFiles)
  }
}

extension NewDownload {
  /// The address as a value of a query.
  var queryValue: SecretText {
    SecretText(
      parts: address.map { part in
        switch part {
        case .text(let text): .text(PercentEncoding.encoded(text))
        case .secret(let name): .secret(name: name, form: .percentEncodedTwice)
        }
      })
  }

  /// The address as a string of JSON. What is percent-encoded needs no escapes.
  var jsonString: SecretText {
    let parts: [SecretText.Part] = address.map { part in
      switch part {
      case .text(let text): .text(String(JSON.string(text).text.dropFirst().dropLast()))
      case .secret(let name): .secret(name: name, form: .percentEncoded)
      }
    }
    return SecretText(parts: [.text("\"")] + parts + [.text("\"")])
  }
}
