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
      await interrupt.andCancel()
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

  private static func run(
    _ line: String, isInterrupted: Bool
  ) async throws -> (code: Int32, shown: [String]) {
    let interrupt = Interruption()
    var dependencies = Dependencies.preview
    dependencies.downloadService = InterruptingDownloads(
      base: dependencies.downloadService, interrupt: interrupt)
    let (code, printed, state) = await Lines.run(
      "downloads list sab", then: line, interruptedBy: isInterrupted ? interrupt : nil,
      dependencies)
    #expect(state.downloads.pending.isEmpty && state.downloads.changes == [])
    let text = String(decoding: try CanonicalEncoder.encode(state.downloads), as: UTF8.self)
    return (code, [printed, text])
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
    #expect(whole.code == 0 && cancelled.code == 130)
    #expect(cancelled.shown == whole.shown)
  }

  @Test("one that changes nothing says that it was cancelled")
  func list() async throws {
    let cancelled = try await Self.run("downloads list sab", isInterrupted: true)
    #expect(cancelled.code == 130)
    #expect(cancelled.shown[0].contains("cancelled"), "\(cancelled.shown[0])")
  }

  @Test("in an earlier recording a change is one effect, and ends when it is cancelled")
  func earlier() throws {
    let decoded = try CanonicalDecoder.decode(
      DownloadsState.self, from: Array(#"{"pending":[]}"#.utf8))
    #expect(decoded.changes == nil)
    #expect(!BoardFeatures.downloads.endsCancelled(decoded, 1))
  }
}
