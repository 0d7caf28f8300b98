import Synchronization

/// Download programs in memory: each follows the rules of the real ones, and records every call.
///
/// A call to a service without content throws `unanswered`, whose message says how to give it some.
public final class MockDownloadService: DownloadService, CheckedMock {
  /// What a download program has.
  public struct Content: Sendable, Equatable {
    /// The program.
    public var program: DownloadProgram
    /// Its version.
    public var version: String
    /// The queue.
    public var queue: DownloadQueue
    /// What has ended, newest first.
    public var history: [FinishedDownload]

    /// A program that downloads nothing.
    public init(
      _ program: DownloadProgram, queue: DownloadQueue = DownloadQueue([]),
      history: [FinishedDownload] = []
    ) {
      self.program = program
      version = program == .sabnzbd ? "4.3.2" : "24.5"
      self.queue = queue
      self.history = history
    }

    /// The content of the preview: two downloads, one that came, and one that failed.
    public static func sample(_ program: DownloadProgram) -> Content {
      let names = program == .sabnzbd ? ["SABnzbd_nzo_0", "SABnzbd_nzo_1"] : ["1", "2"]
      let day: Int64 = 86_400_000_000
      return Content(
        program,
        queue: DownloadQueue(
          speed: 1_258_291,
          [
            .init(
              id: names[0], name: "Solaris.1080p", status: .downloading, size: 4_000_000_000,
              left: 1_000_000_000, secondsLeft: 795, category: "films"),
            .init(
              id: names[1], name: "Dark.S01E01.720p", status: .queued, size: 900_000_000,
              left: 900_000_000, category: "series"),
          ]),
        history: [
          FinishedDownload(
            id: "h2", name: "Alien.1080p", isComplete: true, status: "Completed",
            size: 3_700_000_000, ended: DateGenerator.mockStart - day),
          FinishedDownload(
            id: "h1", name: "Stalker.720p", isComplete: false, status: "Failed",
            problem: "Out of retention", ended: DateGenerator.mockStart - 2 * day),
        ])
    }
  }

  private struct State {
    var contents: [String: Content] = [:]
    var calls: [MockCall] = []
    var unanswered: [MockIssue] = []
    var failures = PreparedFailures<ProgramError>()
    var lastID = 100
  }

  private let state = Mutex(State())
  private let samples: Bool

  /// A mock without content.
  public init() { samples = false }

  private init(samples: Bool) { self.samples = samples }

  /// A mock in which every service has the content of `Content.sample`; a new one at every mention.
  public static var preview: MockDownloadService { MockDownloadService(samples: true) }

  /// Every call so far, with the service's name and the arguments. Secrets are names.
  public var calls: [MockCall] { state.withLock { $0.calls } }

  /// Calls without content, and failures that did not happen.
  public var issues: [MockIssue] { state.withLock { $0.unanswered + $0.failures.issues } }

  /// Gives a service its content.
  public func set(_ content: Content, for service: String) {
    state.withLock { $0.contents[service] = content }
  }

  /// What a service has now.
  public func content(of service: String) -> Content? {
    state.withLock { $0.contents[service] }
  }

  /// Makes the next call of that name fail, for example `queue`.
  public func fail(
    _ call: String, with error: ProgramError, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
  ) {
    state.withLock { $0.failures.add(call, error, .init(fileID, filePath, line, column)) }
  }

  // MARK: DownloadService

  /// The program and its version.
  public func status(of server: DownloadServer) async throws(ProgramError) -> ProgramStatus {
    try answer("status", server) { content throws(ProgramError) in
      ProgramStatus(program: content.program.title, version: content.version)
    }
  }

  /// The queue of the content.
  public func queue(of server: DownloadServer) async throws(ProgramError) -> DownloadQueue {
    try answer("queue", server) { content throws(ProgramError) in
      var queue = content.queue
      queue.count = queue.entries.count
      if queue.isPaused { queue.speed = 0 }
      return queue
    }
  }

  /// The history of the content.
  public func history(
    of server: DownloadServer, limit: Int
  ) async throws(ProgramError) -> [FinishedDownload] {
    try answer("history", server, "\(limit)") { content throws(ProgramError) in
      Array(content.history.prefix(limit))
    }
  }

  /// Appends a download of 100 MB.
  public func add(
    _ download: NewDownload, to server: DownloadServer
  ) async throws(ProgramError) -> String {
    let number = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let id = server.program == .sabnzbd ? "SABnzbd_nzo_\(number)" : "\(number)"
    let name = download.name ?? download.fileName
    return try answer("add", server, download.shown) { content throws(ProgramError) in
      content.queue.entries.append(
        .init(
          id: id, name: name, status: .queued, size: 100_000_000, left: 100_000_000,
          category: download.category))
      return id
    }
  }

  /// Pauses the queue, or downloads of it.
  public func pause(_ ids: [String], on server: DownloadServer) async throws(ProgramError) {
    try answer("pause", server, ids.joined(separator: ",")) { content throws(ProgramError) in
      try Self.change(ids, &content, server) { $0.status = .paused }
      if ids.isEmpty { content.queue.isPaused = true }
    }
  }

  /// Goes on with the queue, or with downloads of it.
  public func resume(_ ids: [String], on server: DownloadServer) async throws(ProgramError) {
    try answer("resume", server, ids.joined(separator: ",")) { content throws(ProgramError) in
      try Self.change(ids, &content, server) { $0.status = .queued }
      if ids.isEmpty { content.queue.isPaused = false }
    }
  }

  /// Removes downloads from the queue.
  public func remove(
    _ ids: [String], deletesFiles: Bool, from server: DownloadServer
  ) async throws(ProgramError) {
    try answer("remove", server, ids.joined(separator: ","), "\(deletesFiles)") {
      content throws(ProgramError) in
      try Self.change(ids, &content, server) { _ in }
      content.queue.entries.removeAll { ids.contains($0.id) }
    }
  }

  // MARK: Parts

  private static func change(
    _ ids: [String], _ content: inout Content, _ server: DownloadServer,
    _ body: (inout DownloadQueue.Entry) -> Void
  ) throws(ProgramError) {
    for id in ids {
      guard let position = content.queue.entries.firstIndex(where: { $0.id == id }) else {
        throw error(.missing(id: id), server)
      }
      body(&content.queue.entries[position])
    }
  }

  private func answer<Value>(
    _ name: String, _ server: DownloadServer, _ arguments: String...,
    body: (inout Content) throws(ProgramError) -> Value
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

  private static func error(
    _ kind: ProgramError.Kind, _ server: DownloadServer
  ) -> ProgramError {
    ProgramError(
      kind, program: server.program.title, service: server.service.name,
      address: server.service.baseURL)
  }
}

extension NewDownload {
  /// The address with names in place of secrets.
  public var shown: String {
    address.map { part in
      switch part {
      case .text(let text): text
      case .secret(let name): "{{secret:\(name)}}"
      }
    }.joined()
  }

  /// The last part of the path of the address, which programs call the download by.
  fileprivate var fileName: String {
    let path = shown.prefix { $0 != "?" && $0 != "#" }
    return path.split(separator: "/").last.map(String.init) ?? shown
  }
}
