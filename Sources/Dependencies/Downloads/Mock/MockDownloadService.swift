import Synchronization

/// Download programs in memory. They follow the rules of the real ones, and record every call.
///
/// A call to a service without content throws `unanswered`. The message explains how to set it.
public final class MockDownloadService: DownloadService, CheckedMock {
  /// The state of a download program.
  public struct Content: Sendable, Equatable {
    /// The program.
    public var program: DownloadProgram
    /// Its version.
    public var version: String
    /// The queue.
    public var queue: DownloadQueue
    /// The finished downloads, newest first.
    public var history: [FinishedDownload]

    /// Creates a program with an empty queue.
    public init(
      _ program: DownloadProgram, queue: DownloadQueue = DownloadQueue([]),
      history: [FinishedDownload] = []
    ) {
      self.program = program
      version = program == .sabnzbd ? "4.3.2" : "24.5"
      self.queue = queue
      self.history = history
    }

    /// Sample content: two downloads, a completed one, and a failed one.
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

  private let programs: MockPrograms<Content>
  private let lastID = Mutex(100)

  /// Creates a mock without content.
  public init() { programs = MockPrograms(samples: false) }

  private init(samples: Bool) { programs = MockPrograms(samples: samples) }

  /// Creates a mock in which every service has the content of `Content.sample`.
  public static var preview: MockDownloadService { MockDownloadService(samples: true) }

  /// The calls so far, with the service's name and the arguments. Secrets are given by name.
  public var calls: [MockCall] { programs.calls }

  /// The calls to services without content, and the prepared failures that did not occur.
  public var issues: [MockIssue] { programs.issues }

  /// Sets the content of a service.
  public func set(_ content: Content, for service: String) {
    programs[service] = content
  }

  /// Returns the current content of a service.
  public func content(of service: String) -> Content? {
    programs[service]
  }

  /// Makes the next call with this name throw, for example `queue`.
  public func failNext(
    _ call: String, with error: ProgramError, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
  ) {
    programs.failNext(call, with: error, at: .init(fileID, filePath, line, column))
  }

  // MARK: DownloadService

  /// The program and its version.
  public func status(of server: DownloadServer) async throws(ProgramError) -> ProgramStatus {
    try programs.answer("status", server) { content throws(ProgramError) in
      ProgramStatus(program: content.program.title, version: content.version)
    }
  }

  /// The queue of the content.
  public func queue(of server: DownloadServer) async throws(ProgramError) -> DownloadQueue {
    try programs.answer("queue", server) { content throws(ProgramError) in
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
    try programs.answer("history", server, "\(limit)") { content throws(ProgramError) in
      Array(content.history.prefix(limit))
    }
  }

  /// Appends a download of 100 MB.
  public func add(
    _ download: NewDownload, to server: DownloadServer
  ) async throws(ProgramError) -> String {
    let number = lastID.withLock { id in
      id += 1
      return id
    }
    let id = server.program == .sabnzbd ? "SABnzbd_nzo_\(number)" : "\(number)"
    let name = download.name ?? download.fileName
    return try programs.answer("add", server, download.shown) { content throws(ProgramError) in
      content.queue.entries.append(
        .init(
          id: id, name: name, status: .queued, size: 100_000_000, left: 100_000_000,
          category: download.category))
      return id
    }
  }

  /// Pauses the queue, or downloads of it.
  public func pause(_ ids: [String], on server: DownloadServer) async throws(ProgramError) {
    try programs.answer("pause", server, ids.joined(separator: ",")) {
      content throws(ProgramError) in
      try Self.change(ids, &content, server) { $0.status = .paused }
      if ids.isEmpty { content.queue.isPaused = true }
    }
  }

  /// Resumes the queue, or downloads of it.
  public func resume(_ ids: [String], on server: DownloadServer) async throws(ProgramError) {
    try programs.answer("resume", server, ids.joined(separator: ",")) {
      content throws(ProgramError) in
      try Self.change(ids, &content, server) { $0.status = .queued }
      if ids.isEmpty { content.queue.isPaused = false }
    }
  }

  /// Removes downloads from the queue.
  public func remove(
    _ ids: [String], deletesFiles: Bool, from server: DownloadServer
  ) async throws(ProgramError) {
    try programs.answer("remove", server, ids.joined(separator: ","), "\(deletesFiles)") {
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
    var positions: [Int] = []
    for id in ids {
      guard let position = content.queue.entries.firstIndex(where: { $0.id == id }) else {
        throw server.error(.notQueued(id: id))
      }
      positions.append(position)
    }
    for position in positions { body(&content.queue.entries[position]) }
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

extension MockDownloadService.Content: MockProgramContent {}
