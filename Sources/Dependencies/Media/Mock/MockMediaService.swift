import SwiftBoardJSON
import Synchronization

/// Media programs in memory: each follows the rules of the real ones, and records every call.
///
/// A call to a service without content throws `unanswered`, whose message says how to give it some.
public final class MockMediaService: MediaService, CheckedMock {
  private struct State {
    var contents: [String: MediaContent] = [:]
    var calls: [MockCall] = []
    var unanswered: [MockIssue] = []
    var failures = PreparedFailures<ProgramError>()
  }

  private let state = Mutex(State())
  private let samples: Bool

  /// A mock without content.
  public init() { samples = false }

  private init(samples: Bool) { self.samples = samples }

  /// A mock in which every service has the content of `MediaContent.sample`; a new one at every
  /// mention.
  public static var preview: MockMediaService { MockMediaService(samples: true) }

  /// Every call so far, with the service's name and the arguments.
  public var calls: [MockCall] { state.withLock { $0.calls } }

  /// Calls without content, and failures that did not happen.
  public var issues: [MockIssue] { state.withLock { $0.unanswered + $0.failures.issues } }

  /// Gives a service its content.
  public func set(_ content: MediaContent, for service: String) {
    state.withLock { $0.contents[service] = content }
  }

  /// What a service has now.
  public func content(of service: String) -> MediaContent? {
    state.withLock { $0.contents[service] }
  }

  /// Makes the next call of that name fail, for example `lookup`.
  public func fail(
    _ call: String, with error: ProgramError, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
  ) {
    state.withLock { $0.failures.add(call, error, .init(fileID, filePath, line, column)) }
  }

  // MARK: MediaService

  /// The program and its version.
  public func status(of server: MediaServer) async throws(ProgramError) -> ProgramStatus {
    try answer("status", server) { content throws(ProgramError) in
      ProgramStatus(program: content.program.title, version: content.version)
    }
  }

  /// The items of the content.
  public func library(
    of server: MediaServer, policy: CachePolicy
  ) async throws(ProgramError) -> MediaLibrary {
    try answer("library", server, policy.rawValue) { content throws(ProgramError) in
      MediaLibrary(content.library.map(\.item))
    }
  }

  /// The item of the content, or `missing`.
  public func item(_ id: Int, on server: MediaServer) async throws(ProgramError) -> MediaResource {
    try answer("item", server, "\(id)") { content throws(ProgramError) in
      content.library[try Self.position(of: id, content, server)]
    }
  }

  /// What of the catalogue matches the term.
  public func lookup(
    _ term: String, on server: MediaServer
  ) async throws(ProgramError) -> [MediaResource] {
    try answer("lookup", server, term) { content throws(ProgramError) in
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
    try answer("add", server, resource.json.text) { content throws(ProgramError) in
      try Self.check(resource, server)
      guard !content.library.contains(where: { $0.item.catalogue == resource.item.catalogue })
      else { throw Self.error(.exists, server) }
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
    try answer("update", server, resource.json.text) { content throws(ProgramError) in
      try Self.check(resource, server)
      content.library[try Self.position(of: resource.item.id, content, server)] = resource
      return resource
    }
  }

  /// Removes the item.
  public func remove(
    _ id: Int, deletesFiles: Bool, from server: MediaServer
  ) async throws(ProgramError) {
    try answer("remove", server, "\(id)", "\(deletesFiles)") { content throws(ProgramError) in
      _ = content.library.remove(at: try Self.position(of: id, content, server))
    }
  }

  /// The queue of the content.
  public func queue(of server: MediaServer) async throws(ProgramError) -> MediaQueue {
    try answer("queue", server) { content throws(ProgramError) in MediaQueue(content.queue) }
  }

  /// The releases of the content in that time.
  public func calendar(
    of server: MediaServer, from start: Int64, until end: Int64
  ) async throws(ProgramError) -> [MediaRelease] {
    try answer("calendar", server, "\(start)", "\(end)") { content throws(ProgramError) in
      content.releases.filter { start <= $0.date && $0.date < end }
        .sorted { ($0.date, $0.id) < ($1.date, $1.id) }
    }
  }

  /// `queued`.
  public func search(
    forItem id: Int, on server: MediaServer
  ) async throws(ProgramError) -> String {
    try answer("search", server, "\(id)") { content throws(ProgramError) in "queued" }
  }

  /// The options of the content.
  public func options(
    _ kind: MediaOption.Kind, of server: MediaServer
  ) async throws(ProgramError) -> [MediaOption] {
    try answer("options", server, kind.rawValue) { content throws(ProgramError) in
      content.options[kind] ?? []
    }
  }

  // MARK: Parts

  private func answer<Value>(
    _ name: String, _ server: MediaServer, _ arguments: String...,
    body: (inout MediaContent) throws(ProgramError) -> Value
  ) throws(ProgramError) -> Value {
    let service = server.service.name
    let result = state.withLock { state -> Result<Value, ProgramError> in
      state.calls.append(MockCall(name, [service] + arguments))
      if let failure = state.failures.take(name) { return .failure(failure) }
      var content = state.contents[service]
      if content == nil, samples { content = .sample(server.program) }
      guard var content else {
        let message = """
          the mock has no content for the service '\(service)': give it some with \
          mock.set(.sample(.\(server.program.rawValue)), for: "\(service)")
          """
        state.unanswered.append(MockIssue(.unanswered, message))
        return .failure(Self.error(.unanswered(message), server))
      }
      guard content.program == server.program else {
        return .failure(Self.error(.wrongProgram(found: content.program.title), server))
      }
      defer { state.contents[service] = content }
      do throws(ProgramError) { return .success(try body(&content)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private static func error(_ kind: ProgramError.Kind, _ server: MediaServer) -> ProgramError {
    ProgramError(
      kind, program: server.program.title, service: server.service.name,
      address: server.service.baseURL)
  }

  private static func position(
    of id: Int, _ content: MediaContent, _ server: MediaServer
  ) throws(ProgramError) -> Int {
    guard let position = content.library.firstIndex(where: { $0.item.id == id }) else {
      throw error(.missing(id: "\(id)"), server)
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
    guard reasons.isEmpty else { throw error(.refused(reasons: reasons), server) }
  }
}
