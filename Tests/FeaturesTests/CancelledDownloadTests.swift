import SwiftBoardDependencies
import SwiftBoardJSON
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// Commands that change the queue of a program, and are cancelled when it has answered.
@Suite("a cancelled command that changes a queue")
struct CancelledDownloadTests {
  /// A service that interrupts the line behind each change.
  private struct InterruptingDownloads: DownloadService {
    let base: any DownloadService
    let interrupt: Interruption

    func status(of server: DownloadServer) async throws(ProgramError) -> ProgramStatus {
      try await base.status(of: server)
    }
    func queue(of server: DownloadServer) async throws(ProgramError) -> DownloadQueue {
      let queue = try await base.queue(of: server)
      interrupt()
      return queue
    }
    func history(
      of server: DownloadServer, limit: Int
    ) async throws(ProgramError) -> [FinishedDownload] {
      try await base.history(of: server, limit: limit)
    }
    func add(
      _ download: NewDownload, to server: DownloadServer
    ) async throws(ProgramError) -> String {
      let id = try await base.add(download, to: server)
      interrupt()
      return id
    }
    func pause(_ ids: [String], on server: DownloadServer) async throws(ProgramError) {
      try await base.pause(ids, on: server)
      interrupt()
    }
    func resume(_ ids: [String], on server: DownloadServer) async throws(ProgramError) {
      try await base.resume(ids, on: server)
      interrupt()
    }
    func remove(
      _ ids: [String], deletesFiles: Bool, from server: DownloadServer
    ) async throws(ProgramError) {
      try await base.remove(ids, deletesFiles: deletesFiles, from: server)
      interrupt()
    }
  }

  private static func run(_ line: String, isInterrupted: Bool) async throws -> (Int32, [String]) {
    let interrupt = Interruption()
    var dependencies = Dependencies.preview
    dependencies.clock = Dependencies.mock.clock
    dependencies.downloadService = InterruptingDownloads(
      base: dependencies.downloadService, interrupt: interrupt)
    let lines = Lines(dependencies: dependencies)
    #expect(await lines.run("downloads list sab") == 0)
    if isInterrupted {
      interrupt.arm { [session = lines.session] in session.interrupt() }
    }
    let code = await lines.run(line)
    let state = lines.board.store.state
    #expect(state.shell.running.isEmpty && state.downloads.pending.isEmpty)
    #expect(state.downloads.changes == [])
    await lines.board.close()
    var shown = state.downloads
    shown.pending = []
    let text = String(decoding: try CanonicalEncoder.encode(shown), as: UTF8.self)
    return (code, [lines.allPrinted, text])
  }

  @Test(
    "one that has made its change says so, and its line ends with 130",
    arguments: [
      "downloads add sab http://indexer.test/7.nzb", "downloads pause sab SABnzbd_nzo_0",
      "downloads resume sab", "downloads remove sab SABnzbd_nzo_0",
    ])
  func made(line: String) async throws {
    let whole = try await Self.run(line, isInterrupted: false)
    let cancelled = try await Self.run(line, isInterrupted: true)
    #expect(whole.0 == 0 && cancelled.0 == 130)
    #expect(cancelled.1 == whole.1)
  }

  @Test("one that changes nothing says that it was cancelled")
  func list() async throws {
    let cancelled = try await Self.run("downloads list sab", isInterrupted: true)
    #expect(cancelled.0 == 130)
    #expect(cancelled.1[0].contains("cancelled"), "\(cancelled.1[0])")
  }

  @Test("in an earlier recording a change is one effect, and ends when it is cancelled")
  func earlier() throws {
    let decoded = try CanonicalDecoder.decode(
      DownloadsState.self, from: Array(#"{"pending":[]}"#.utf8))
    #expect(decoded.changes == nil)
    #expect(!BoardFeatures.downloads.endsCancelled(decoded, 1))
  }
}
