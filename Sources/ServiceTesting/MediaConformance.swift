import SwiftBoardDependencies
import SwiftBoardJSON

/// The rules of `MediaService`, as checks of an implementation.
///
/// ```swift
/// let checks = MediaConformance { program in
///   let mock = MockMediaService()
///   mock.set(.sample(program), for: "s")
///   let service = APIService(name: "s", baseURL: "http://server.example")
///   return MediaConformance.Subject(mock, server: MediaServer(program, service), term: "a")
/// }.checks
/// ```
public struct MediaConformance: Sendable {
  /// A service and a server for it.
  public struct Subject: Sendable {
    /// The service.
    public var service: any MediaService
    /// A server with at least two items in its library, one of them with the ID 1, a download in
    /// its queue, a release in its calendar, and a quality profile and a root folder.
    public var server: MediaServer
    /// A term for which the server finds something that is not in its library.
    public var term: String
    /// A time with all releases of the calendar, in microseconds since 1970.
    public var calendar: Range<Int64>
    let kept: (any Sendable)?

    /// Creates a subject for one check.
    ///
    /// - Parameter kept: A value to keep as long as the service is used, for example a server.
    public init(
      _ service: any MediaService, server: MediaServer, term: String,
      calendar: Range<Int64> = 0..<4_000_000_000_000_000, keeping kept: (any Sendable)? = nil
    ) {
      self.service = service
      self.server = server
      self.term = term
      self.calendar = calendar
      self.kept = kept
    }

    /// The resource that `term` finds, with all that an added one needs.
    func found() async throws -> MediaResource {
      var resource = try required(
        try await service.lookup(term, on: server).first, "something that '\(term)' finds")
      let profile = try await option(.qualityProfile)
      resource.json["qualityProfileId"] = JSON(profile.id)
      resource.json["rootFolderPath"] = .string(try await option(.rootFolder).name)
      if server.program == .lidarr {
        resource.json["metadataProfileId"] = JSON(try await option(.metadataProfile).id)
      }
      resource.json["monitored"] = true
      return resource
    }

    private func option(_ kind: MediaOption.Kind) async throws -> MediaOption {
      try required(try await service.options(kind, of: server).first, "a \(kind.rawValue)")
    }

    func items() async throws -> [MediaItem] {
      try await service.library(of: server, policy: .noCache).value
    }
  }

  private let make: @Sendable (_ program: MediaProgram) async throws -> Subject

  /// Creates a suite. `make` returns a new subject for each call.
  public init(_ make: @escaping @Sendable (_ program: MediaProgram) async throws -> Subject) {
    self.make = make
  }

  /// The checks of all rules, for each program.
  public var checks: [ConformanceCheck] { MediaProgram.allCases.flatMap(checks) }

  private func checks(of program: MediaProgram) -> [ConformanceCheck] {
    statusChecks(program) + libraryChecks(program) + additionChecks(program)
      + changeChecks(program) + planChecks(program)
  }

  /// The program of a server.
  private func statusChecks(_ program: MediaProgram) -> [ConformanceCheck] {
    [
      check("the status names the program", program) { subject in
        let status = try await subject.service.status(of: subject.server)
        try equal(status.program, program.title)
        try equal(status.version.isEmpty, false)
      },
      check("another program is refused", program) { subject in
        _ = try await subject.service.status(of: subject.server)
        var server = subject.server
        server.program = program == .radarr ? .sonarr : .radarr
        let kind = await failure(ProgramError.self) {
          try await subject.service.status(of: server)
        }?.kind
        try equal(kind, .wrongProgram(found: program.title))
      },
    ]
  }

  /// What is read of the library and of the catalogue.
  private func libraryChecks(_ program: MediaProgram) -> [ConformanceCheck] {
    [
      check("an item of the library is found by its ID", program) { subject in
        for item in try await subject.items().prefix(3) {
          try equal(try await subject.service.item(item.id, on: subject.server).item, item)
        }
      },
      check("an ID that is not in the library is missing", program) { subject in
        let item = await failure(ProgramError.self) {
          try await subject.service.item(99_999, on: subject.server)
        }?.kind
        try equal(item, .missing(id: "99999"))
        let removed = await failure(ProgramError.self) {
          try await subject.service.remove(99_999, deletesFiles: false, from: subject.server)
        }?.kind
        try equal(removed, .missing(id: "99999"))
      },
      check("a lookup finds what is not in the library, and nothing for no term", program) {
        subject in
        let found = try await subject.found()
        try equal(found.item.id, 0)
        try equal(found.item.catalogue == nil, false)
        try equal(try await subject.service.lookup("", on: subject.server), [])
      },
    ]
  }

  /// Additions to the library.
  private func additionChecks(_ program: MediaProgram) -> [ConformanceCheck] {
    [
      check("an added resource is in the library, with all its members", program) { subject in
        let found = try await subject.found()
        let added = try await subject.service.add(found, to: subject.server)
        let kept = try await subject.service.item(added.item.id, on: subject.server)
        for member in found.json.members ?? [] where member.key != "id" {
          try equal(kept.json[member.key], member.value)
        }
        try holds(
          try await subject.items().contains { $0.id == added.item.id }, "the library has it")
      },
      check("what is there cannot be added again", program) { subject in
        let found = try await subject.found()
        _ = try await subject.service.add(found, to: subject.server)
        let kind = await failure(ProgramError.self) {
          try await subject.service.add(found, to: subject.server)
        }?.kind
        try equal(kind, .exists)
      },
      check("what is not complete is refused", program) { subject in
        var found = try await subject.found()
        found.json["rootFolderPath"] = nil
        let resource = found
        let kind = await failure(ProgramError.self) {
          try await subject.service.add(resource, to: subject.server)
        }?.kind
        guard case .refused(let reasons)? = kind, !reasons.isEmpty else {
          throw ConformanceMismatch(expected: "refused, with a reason", found: "\(kind as Any)")
        }
      },
    ]
  }

  /// Changes and removals.
  private func changeChecks(_ program: MediaProgram) -> [ConformanceCheck] {
    [
      check("a change keeps all other members", program) { subject in
        let before = try await subject.service.item(1, on: subject.server)
        var changed = before
        changed.json["monitored"] = .bool(!before.item.isMonitored)
        _ = try await subject.service.update(changed, on: subject.server)
        try equal(try await subject.service.item(1, on: subject.server).json, changed.json)
      },
      check("a removed item is gone", program) { subject in
        let before = try await subject.items().map(\.id)
        try await subject.service.remove(1, deletesFiles: false, from: subject.server)
        try equal(try await subject.items().map(\.id), before.filter { $0 != 1 })
      },
    ]
  }

  /// The queue, the calendar, searches and options.
  private func planChecks(_ program: MediaProgram) -> [ConformanceCheck] {
    [
      check("a queue says how much is still to come", program) { subject in
        let queue = try await subject.service.queue(of: subject.server)
        try equal(queue.count, queue.entries.count)
        let entry = try required(queue.entries.first, "a download")
        try holds(entry.left <= entry.size, "left <= size")
        try equal(entry.status.isEmpty, false)
      },
      check("a download that is removed is not in the queue any more", program) { subject in
        let queue = try await subject.service.queue(of: subject.server)
        let entry = try required(queue.entries.first, "a download")
        try await subject.service.removeDownload(
          entry.id, blocksRelease: false, from: subject.server)
        let left = try await subject.service.queue(of: subject.server)
        try equal(left.entries.map(\.id), queue.entries.dropFirst().map(\.id))
        let again = await failure(ProgramError.self) {
          try await subject.service.removeDownload(
            entry.id, blocksRelease: false, from: subject.server)
        }?.kind
        try equal(again, .notQueued(id: "\(entry.id)"))
      },
      check("a calendar is in order, and within its time", program) { subject in
        let (service, server, time) = (subject.service, subject.server, subject.calendar)
        let all = try await service.calendar(
          of: server, from: time.lowerBound, until: time.upperBound)
        try equal(all.map(\.date), all.map(\.date).sorted())
        let last = try required(all.last, "a release")
        let before = try await service.calendar(
          of: server, from: time.lowerBound, until: last.date)
        try equal(before, all.filter { $0.date < last.date })
      },
      check("a search is begun", program) { subject in
        let status = try await subject.service.search(forItem: 1, on: subject.server)
        try equal(status.isEmpty, false)
      },
      check("nothing is searched for that is not in the library", program) { subject in
        let kind = await failure(ProgramError.self) {
          try await subject.service.search(forItem: 99_999, on: subject.server)
        }?.kind
        try equal(kind, .missing(id: "99999"))
      },
      check("Lidarr alone has metadata profiles", program) { subject in
        let profiles = try await subject.service.options(.metadataProfile, of: subject.server)
        try equal(profiles.isEmpty, program != .lidarr)
      },
    ]
  }

  private func check(
    _ rule: String, _ program: MediaProgram,
    _ body: @escaping @Sendable (_ subject: Subject) async throws -> Void
  ) -> ConformanceCheck {
    ConformanceCheck("MediaService", "\(program.title): \(rule)") {
      let subject = try await make(program)
      try await body(subject)
      withExtendedLifetime(subject) {}
    }
  }
}
