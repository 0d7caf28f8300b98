import Synchronization
import Testing

@testable import SwiftBoardDependencies

struct TransferLoopTests {
  private static let frees = Mutex(0)

  @Test("the multi handle is freed with its loop, although another thread can still wake it")
  func end() throws {
    var library = try CurlLibrary.loaded.get()
    library.multiCleanup = { handle in
      Self.frees.withLock { $0 += 1 }
      return (try? CurlLibrary.loaded.get().multiCleanup(handle)) ?? 0
    }
    var loop = TransferLoop(library, LiveAPIClient.Configuration(), onWait: nil)
    let alarm = try #require(loop?.alarm)
    alarm.ring()
    loop = nil
    #expect(loop == nil && Self.frees.withLock { $0 } == 1)
    alarm.ring()
    #expect(Self.frees.withLock { $0 } == 1)
  }

  @Test("without files for waking it, a loop is refused, because its requests would wait for ever")
  func withoutWakeUp() throws {
    var library = try CurlLibrary.loaded.get()
    library.multiWakeup = { _ in 9 }
    #expect(TransferLoop(library, LiveAPIClient.Configuration(), onWait: nil) == nil)
  }

  @Test("a request that changes something is sent again only if its stream was refused")
  func refusedStream() async throws {
    let address = try URLBuilder("https://h/")
    _ = await withCheckedContinuation { continuation in
      let transfer = Transfer(
        id: 1, request: APIRequest(method: "POST", url: address.url), address: address,
        deadline: nil, continuation: continuation)
      #expect(!transfer.wasSent)
      #expect(transfer.willSend() && transfer.wasSent)
      transfer.noteRefusedStream()
      #expect(transfer.willSend() && !transfer.isResendingRefused)
      #expect(!transfer.willSend() && transfer.isResendingRefused)
      continuation.resume(returning: .failure(.stopped))
    }
  }
}
