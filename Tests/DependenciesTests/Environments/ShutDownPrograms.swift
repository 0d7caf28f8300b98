import SwiftBoardDependencies

/// A media service that notes when it is shut down, and has nothing else.
struct ShutDownMediaService: MediaService {
  let onShutDown: @Sendable () -> Void

  func shutDown(within duration: Duration) async -> Bool {
    onShutDown()
    return true
  }

  func status(of server: MediaServer) async throws(ProgramError) -> ProgramStatus { throw missing }
  func library(
    of server: MediaServer, policy: CachePolicy
  ) async throws(ProgramError) -> Fetched<[MediaItem]> { throw missing }
  func item(_ id: Int, on server: MediaServer) async throws(ProgramError) -> MediaResource {
    throw missing
  }
  func lookup(_ term: String, on server: MediaServer) async throws(ProgramError) -> [MediaResource]
  { [] }
  func add(
    _ resource: MediaResource, to server: MediaServer
  ) async throws(ProgramError) -> MediaResource { throw missing }
  func update(
    _ resource: MediaResource, on server: MediaServer
  ) async throws(ProgramError) -> MediaResource { throw missing }
  func remove(
    _ id: Int, deletesFiles: Bool, from server: MediaServer
  ) async throws(ProgramError) {}
  func queue(of server: MediaServer) async throws(ProgramError) -> MediaQueue { throw missing }
  func removeDownload(
    _ id: Int, blocksRelease: Bool, from server: MediaServer
  ) async throws(ProgramError) {}
  func calendar(
    of server: MediaServer, from start: Int64, until end: Int64
  ) async throws(ProgramError) -> [MediaRelease] { [] }
  func search(forItem id: Int, on server: MediaServer) async throws(ProgramError) -> String { "" }
  func options(
    _ kind: MediaOption.Kind, of server: MediaServer
  ) async throws(ProgramError) -> [MediaOption] { [] }
}

/// A download service that notes when it is shut down, and has nothing else.
struct ShutDownDownloadService: DownloadService {
  let onShutDown: @Sendable () -> Void

  func shutDown(within duration: Duration) async -> Bool {
    onShutDown()
    return true
  }

  func status(of server: DownloadServer) async throws(ProgramError) -> ProgramStatus {
    throw missing
  }
  func queue(of server: DownloadServer) async throws(ProgramError) -> DownloadQueue {
    throw missing
  }
  func history(
    of server: DownloadServer, limit: Int
  ) async throws(ProgramError) -> [FinishedDownload] { [] }
  func add(
    _ download: NewDownload, to server: DownloadServer
  ) async throws(ProgramError) -> String { "" }
  func pause(_ ids: [String], on server: DownloadServer) async throws(ProgramError) {}
  func resume(_ ids: [String], on server: DownloadServer) async throws(ProgramError) {}
  func remove(
    _ ids: [String], deletesFiles: Bool, from server: DownloadServer
  ) async throws(ProgramError) {}
}

private let missing = ProgramError(.missing(id: "1"), program: "Own", service: "own")
