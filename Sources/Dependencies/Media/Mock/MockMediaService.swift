import SwiftBoardJSON

/// Media programs in memory: each follows the rules of the real ones, and records every call.
///
/// A call to a service without content throws `unanswered`, whose message says how to give it some.
public final class MockMediaService: MediaService, CheckedMock {
  private let programs: MockPrograms<Content>

  /// A mock without content.
  public init() { programs = MockPrograms(samples: false) }

  private init(samples: Bool) { programs = MockPrograms(samples: samples) }

  /// A mock in which every service has the content of `Content.sample`; a new one at every
  /// mention.
  public static var preview: MockMediaService { MockMediaService(samples: true) }

  /// Every call so far, with the service's name and the arguments.
  public var calls: [MockCall] { programs.calls }

  /// Calls without content, and failures that did not happen.
  public var issues: [MockIssue] { programs.issues }

  /// Gives a service its content.
  public func set(_ content: Content, for service: String) {
    programs[service] = content
  }

  /// What a service has now.
  public func content(of service: String) -> Content? {
    programs[service]
  }

  /// Makes the next call of that name fail, for example `lookup`.
  public func failNext(
    _ call: String, with error: ProgramError, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
  ) {
    programs.failNext(call, with: error, at: .init(fileID, filePath, line, column))
  }

  // MARK: MediaService

  /// The program and its version.
  public func status(of server: MediaServer) async throws(ProgramError) -> ProgramStatus {
    try programs.answer("status", server) { content throws(ProgramError) in
      ProgramStatus(program: content.program.title, version: content.version)
    }
  }

  /// The items of the content.
  public func library(
    of server: MediaServer, policy: CachePolicy
  ) async throws(ProgramError) -> Fetched<[MediaItem]> {
    try programs.answer("library", server, policy.rawValue) { content throws(ProgramError) in
      Fetched(content.library.map(\.item))
    }
  }

  /// The item of the content, or `missing`.
  public func item(_ id: Int, on server: MediaServer) async throws(ProgramError) -> MediaResource {
    try programs.answer("item", server, "\(id)") { content throws(ProgramError) in
      content.library[try Self.position(of: id, content, server)]
    }
  }

  /// What of the catalogue matches the term.
  public func lookup(
    _ term: String, on server: MediaServer
  ) async throws(ProgramError) -> [MediaResource] {
    try programs.answer("lookup", server, term) { content throws(ProgramError) in
      guard !term.isEmpty else { return [] }
      return content.catalogue.filter { resource in
        resource.item.catalogue == term
          || resource.item.title.lowercased().contains(term.lowercased())
      }
    }
  }

  /// Adds the resource, with an ID, if it has what the program needs.
  public func add(
    _ resource: MediaResource, to server: MediaServer
  ) async throws(ProgramError) -> MediaResource {
    try programs.answer("add", server, resource.json.text) { content throws(ProgramError) in
      try Self.check(resource, server)
      guard !content.library.contains(where: { $0.item.catalogue == resource.item.catalogue })
      else { throw server.error(.exists) }
      var added = resource
      added.json["id"] = JSON((content.library.map(\.item.id).max() ?? 0) + 1)
      content.library.append(added)
      return added
    }
  }

  /// Replaces the item.
  public func update(
    _ resource: MediaResource, on server: MediaServer
  ) async throws(ProgramError) -> MediaResource {
    try programs.answer("update", server, resource.json.text) { content throws(ProgramError) in
      try Self.check(resource, server)
      content.library[try Self.position(of: resource.item.id, content, server)] = resource
      return resource
    }
  }

  /// Removes the item.
  public func remove(
    _ id: Int, deletesFiles: Bool, from server: MediaServer
  ) async throws(ProgramError) {
    try programs.answer("remove", server, "\(id)", "\(deletesFiles)") {
      content throws(ProgramError) in
      _ = content.library.remove(at: try Self.position(of: id, content, server))
    }
  }

  /// The queue of the content.
  public func queue(of server: MediaServer) async throws(ProgramError) -> MediaQueue {
    try programs.answer("queue", server) { content throws(ProgramError) in MediaQueue(content.queue)
    }
  }

  /// Removes the download.
  public func removeDownload(
    _ id: Int, blocksRelease: Bool, from server: MediaServer
  ) async throws(ProgramError) {
    try programs.answer("removeDownload", server, "\(id)", "\(blocksRelease)") {
      content throws(ProgramError) in
      guard let index = content.queue.firstIndex(where: { $0.id == id }) else {
        throw server.error(.notQueued(id: "\(id)"))
      }
      content.queue.remove(at: index)
    }
  }

  /// The releases of the content in that time.
  public func calendar(
    of server: MediaServer, from start: Int64, until end: Int64
  ) async throws(ProgramError) -> [MediaRelease] {
    try programs.answer("calendar", server, "\(start)", "\(end)") { content throws(ProgramError) in
      content.releases.filter { start <= $0.date && $0.date < end }
        .sorted { ($0.date, $0.id) < ($1.date, $1.id) }
    }
  }

  /// `queued`, or `missing`.
  public func search(
    forItem id: Int, on server: MediaServer
  ) async throws(ProgramError) -> String {
    try programs.answer("search", server, "\(id)") { content throws(ProgramError) in
      _ = try Self.position(of: id, content, server)
      return "queued"
    }
  }

  /// The options of the content.
  public func options(
    _ kind: MediaOption.Kind, of server: MediaServer
  ) async throws(ProgramError) -> [MediaOption] {
    try programs.answer("options", server, kind.rawValue) { content throws(ProgramError) in
      content.options[kind] ?? []
    }
  }

  // MARK: Parts

  private static func position(
    of id: Int, _ content: Content, _ server: MediaServer
  ) throws(ProgramError) -> Int {
    guard let position = content.library.firstIndex(where: { $0.item.id == id }) else {
      throw server.error(.missing(id: "\(id)"))
    }
    return position
  }

  /// What every program refuses to be without.
  private static func check(
    _ resource: MediaResource, _ server: MediaServer
  ) throws(ProgramError) {
    var needed = ["qualityProfileId", "rootFolderPath"]
    if server.program == .lidarr { needed.append("metadataProfileId") }
    let reasons = needed.filter { resource.json[$0] == nil }.map { "'\($0)' must not be empty." }
    guard reasons.isEmpty else { throw server.error(.refused(reasons: reasons)) }
  }
}

extension MockMediaService.Content: MockProgramContent {}
