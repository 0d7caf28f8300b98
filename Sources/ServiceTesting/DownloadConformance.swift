import SwiftBoardDependencies

/// The rules of `DownloadService`, as checks of an implementation.
///
/// ```swift
/// let checks = DownloadConformance { program in
///   let mock = MockDownloadService()
///   mock.set(.sample(program), for: "s")
///   let service = APIService(name: "s", baseURL: "http://server.example")
///   return DownloadConformance.Subject(mock, server: DownloadServer(program, service))
/// }.checks
/// ```
public struct DownloadConformance: Sendable {
  /// A service and a server for it.
  public struct Subject: Sendable {
    /// The service.
    public var service: any DownloadService
    /// A server that is not paused. Its queue contains at least two downloads, none of them paused,
    /// and its history at least one.
    public var server: DownloadServer
    let kept: (any Sendable)?

    /// Creates a subject for one check.
    ///
    /// - Parameter kept: A value to keep as long as the service is used, for example a server.
    public init(
      _ service: any DownloadService, server: DownloadServer, keeping kept: (any Sendable)? = nil
    ) {
      self.service = service
      self.server = server
      self.kept = kept
    }

    func entries() async throws -> [DownloadQueue.Entry] {
      try await service.queue(of: server).entries
    }

    func first() async throws -> String {
      try required(try await entries().first, "a download").id
    }
  }

  private let make: @Sendable (_ program: DownloadProgram) async throws -> Subject

  /// Creates a suite. `make` returns a new subject for each call.
  public init(_ make: @escaping @Sendable (_ program: DownloadProgram) async throws -> Subject) {
    self.make = make
  }

  /// The checks of all rules, for each program.
  public var checks: [ConformanceCheck] { DownloadProgram.allCases.flatMap(checks) }

  private func checks(of program: DownloadProgram) -> [ConformanceCheck] {
    readingChecks(program) + pauseChecks(program) + changeChecks(program)
  }

  /// The program, its queue and its history.
  private func readingChecks(_ program: DownloadProgram) -> [ConformanceCheck] {
    [
      check("the status names the program", program) { subject in
        let status = try await subject.service.status(of: subject.server)
        try equal(status.program, program.title)
        try equal(status.version.isEmpty, false)
      },
      check("a queue says how much is still to come", program) { subject in
        let queue = try await subject.service.queue(of: subject.server)
        try equal(queue.isPaused, false)
        try equal(queue.count, queue.entries.count)
        for entry in queue.entries { try holds(entry.left <= entry.size, "left <= size") }
      },
      check("a history has what ended, up to a limit", program) { subject in
        let all = try await subject.service.history(of: subject.server, limit: 100)
        try equal(all.isEmpty, false)
        try equal(try await subject.service.history(of: subject.server, limit: 1), [all[0]])
      },
    ]
  }

  /// Pausing and resuming.
  private func pauseChecks(_ program: DownloadProgram) -> [ConformanceCheck] {
    [
      check("the whole queue is paused, and goes on", program) { subject in
        try await subject.service.pause([], on: subject.server)
        try equal(try await subject.service.queue(of: subject.server).isPaused, true)
        try await subject.service.resume([], on: subject.server)
        try equal(try await subject.service.queue(of: subject.server).isPaused, false)
      },
      check("one download is paused, and goes on", program) { subject in
        let id = try await subject.first()
        try await subject.service.pause([id], on: subject.server)
        try equal(
          try await subject.entries().filter { $0.status == .paused }.map(\.id), [id])
        try equal(try await subject.service.queue(of: subject.server).isPaused, false)
        try await subject.service.resume([id], on: subject.server)
        try equal(try await subject.entries().contains { $0.status == .paused }, false)
      },
    ]
  }

  /// Additions, removals and unknown IDs.
  private func changeChecks(_ program: DownloadProgram) -> [ConformanceCheck] {
    [
      check("an added download is the last of the queue", program) { subject in
        let id = try await subject.service.add(
          NewDownload("http://indexer.example/get/7.nzb", name: "Arrival", category: "films"),
          to: subject.server)
        try equal(try await subject.entries().last?.id, id)
      },
      check("a removed download is gone, and several at once", program) { subject in
        let before = try await subject.entries().map(\.id)
        try await subject.service.remove(
          Array(before.prefix(2)), deletesFiles: false, from: subject.server)
        try equal(try await subject.entries().map(\.id), Array(before.dropFirst(2)))
      },
      check("an ID that is not in the queue is named, and nothing changes", program) { subject in
        let before = try await subject.entries()
        let ids = before.prefix(1).map(\.id) + ["999"]
        let paused = await failure(ProgramError.self) {
          try await subject.service.pause(ids, on: subject.server)
        }?.kind
        try equal(paused, .notQueued(id: "999"))
        let resumed = await failure(ProgramError.self) {
          try await subject.service.resume(ids, on: subject.server)
        }?.kind
        try equal(resumed, .notQueued(id: "999"))
        let removed = await failure(ProgramError.self) {
          try await subject.service.remove(ids, deletesFiles: true, from: subject.server)
        }?.kind
        try equal(removed, .notQueued(id: "999"))
        try equal(try await subject.entries(), before)
      },
    ]
  }

  private func check(
    _ rule: String, _ program: DownloadProgram,
    _ body: @escaping @Sendable (_ subject: Subject) async throws -> Void
  ) -> ConformanceCheck {
    ConformanceCheck("DownloadService", "\(program.title): \(rule)") {
      let subject = try await make(program)
      try await body(subject)
      withExtendedLifetime(subject) {}
    }
  }
}
