import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// Commands that change a library, and are cancelled when the program has answered.
@Suite("a cancelled command that changes a library")
struct CancelledMediaTests {
  /// The moment at which the line is interrupted.
  private enum Moment {
    case behindRead, behindChange
    /// While the program's answer to a removal is awaited.
    case inRemoval(wasSent: Bool)

    var isBehindRead: Bool { if case .behindRead = self { true } else { false } }
  }

  /// A service that interrupts the line behind each change, behind each read of an item, or within
  /// a removal.
  private struct InterruptingMedia: MediaService {
    let base: any MediaService
    let interrupt: Interruption
    let moment: Moment

    func status(of server: MediaServer) async throws(ProgramError) -> ProgramStatus {
      try await base.status(of: server)
    }
    func library(
      of server: MediaServer, policy: CachePolicy
    ) async throws(ProgramError) -> Fetched<[MediaItem]> {
      try await base.library(of: server, policy: policy)
    }
    func item(_ id: Int, on server: MediaServer) async throws(ProgramError) -> MediaResource {
      let item = try await base.item(id, on: server)
      if moment.isBehindRead { await interrupt.andCancel() }
      return item
    }
    func lookup(
      _ term: String, on server: MediaServer
    ) async throws(ProgramError) -> [MediaResource] {
      let found = try await base.lookup(term, on: server)
      if moment.isBehindRead { await interrupt.andCancel() }
      return found
    }
    func add(
      _ resource: MediaResource, to server: MediaServer
    ) async throws(ProgramError) -> MediaResource {
      let added = try await base.add(resource, to: server)
      interrupt()
      return added
    }
    func update(
      _ resource: MediaResource, on server: MediaServer
    ) async throws(ProgramError) -> MediaResource {
      let changed = try await base.update(resource, on: server)
      interrupt()
      return changed
    }
    func remove(
      _ id: Int, deletesFiles: Bool, from server: MediaServer
    ) async throws(ProgramError) {
      if case .inRemoval(let wasSent) = moment {
        await interrupt.andCancel()
        var error = APIError(.cancelled, "the request was cancelled")
        error.wasSent = wasSent
        throw ProgramError(.api(error), program: "Radarr", service: server.service.name)
      }
      try await base.remove(id, deletesFiles: deletesFiles, from: server)
      interrupt()
    }
    func queue(of server: MediaServer) async throws(ProgramError) -> MediaQueue {
      try await base.queue(of: server)
    }
    func removeDownload(
      _ id: Int, blocksRelease: Bool, from server: MediaServer
    ) async throws(ProgramError) {
      try await base.removeDownload(id, blocksRelease: blocksRelease, from: server)
      interrupt()
    }
    func calendar(
      of server: MediaServer, from start: Int64, until end: Int64
    ) async throws(ProgramError) -> [MediaRelease] {
      try await base.calendar(of: server, from: start, until: end)
    }
    func search(forItem id: Int, on server: MediaServer) async throws(ProgramError) -> String {
      let status = try await base.search(forItem: id, on: server)
      interrupt()
      return status
    }
    func options(
      _ kind: MediaOption.Kind, of server: MediaServer
    ) async throws(ProgramError) -> [MediaOption] {
      try await base.options(kind, of: server)
    }
  }

  private static func run(
    _ line: String, interrupted moment: Moment?
  ) async throws -> (code: Int32, shown: [String]) {
    let interrupt = Interruption()
    var dependencies = Dependencies.preview
    dependencies.mediaService = InterruptingMedia(
      base: dependencies.mediaService, interrupt: interrupt, moment: moment ?? .behindChange)
    let (code, printed, state) = await Lines.run(
      "media queue films", then: line, interruptedBy: moment == nil ? nil : interrupt,
      dependencies)
    #expect(state.media.pending.isEmpty && state.media.additions.isEmpty)
    #expect(state.media.changes == [])
    let text = String(decoding: try CanonicalEncoder.encode(state.media), as: UTF8.self)
    return (code, [printed, text])
  }

  @Test(
    "one that has made its change says so, and its line ends with 130",
    arguments: [
      "media add films tmdb:201 --profile hd-1080p", "media monitor films 1 --off",
      "media remove films 2", "media queue remove films 1", "media find films 2",
    ])
  func made(line: String) async throws {
    let whole = try await Self.run(line, interrupted: nil)
    let cancelled = try await Self.run(line, interrupted: .behindChange)
    #expect(whole.code == 0 && cancelled.code == 130)
    #expect(cancelled.shown == whole.shown)
  }

  @Test(
    "one that has only read says that it was cancelled",
    arguments: ["media add films tmdb:201 --profile hd-1080p", "media monitor films 1 --off"])
  func read(line: String) async throws {
    let cancelled = try await Self.run(line, interrupted: .behindRead)
    #expect(cancelled.code == 130)
    #expect(cancelled.shown[0].contains("cancelled"), "\(cancelled.shown[0])")
  }

  @Test(
    "one whose request was sent says that the program may have carried it out",
    arguments: [true, false])
  func sent(wasSent: Bool) async throws {
    let cancelled = try await Self.run(
      "media remove films 2", interrupted: .inRemoval(wasSent: wasSent))
    #expect(cancelled.code == 130)
    let message = wasSent ? "cancelled; Radarr may have made the change" : "error: cancelled\n"
    #expect(cancelled.shown[0].contains(message), "\(cancelled.shown[0])")
  }

  @Test(
    "one that a continued fork ends says that the change may have been made",
    arguments: [true, false])
  func forked(isInFork: Bool) async throws {
    let folder = try TemporaryFolder()
    let interrupt = Interruption()
    var dependencies = Dependencies.preview
    dependencies.clock = Dependencies.mock.clock
    dependencies.mediaService = InterruptingMedia(
      base: dependencies.mediaService, interrupt: interrupt, moment: .inRemoval(wasSent: true))
    let lines = Lines(dependencies: dependencies)
    try lines.board.record(to: folder.path("r"))
    #expect(await lines.run("set page 1") == 0)
    let (removals, removal) = AsyncStream<Void>.makeStream()
    interrupt.arm { removal.finish() }
    #expect(await lines.run("media remove films 2 &") == 0)
    for await _ in removals {}
    let step = isInFork ? 2 : 1
    #expect(await lines.run("session fork \(step) \(folder.path("f"))") == 0)
    let printed = lines.allPrinted
    let message = "cancelled by 'session fork'; the change may have been made: media remove\n"
    #expect(printed.contains(message), "\(printed)")
    #expect(!printed.contains("was running at this step"), "\(printed)")
    let state = lines.board.store.state
    #expect(state.shell.running.isEmpty && state.media.pending.isEmpty)
    #expect(state.media.changes == [])
    await lines.board.close()
    #expect(await RunningBoard().run("session verify \(folder.path("f"))").status == 0)
  }

  @Test("in an earlier recording a change is one effect, and ends when it is cancelled")
  func earlier() throws {
    let decoded = try CanonicalDecoder.decode(
      MediaState.self, from: Array(#"{"additions":[],"pending":[]}"#.utf8))
    #expect(decoded.changes == nil)
    #expect(!BoardFeatures.media.endsCancelled(decoded, 1))
  }
}
