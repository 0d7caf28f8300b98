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
}
