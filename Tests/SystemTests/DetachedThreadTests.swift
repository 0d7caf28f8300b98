import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@Suite("threads of their own")
struct DetachedThreadTests {
  private struct Failure: Error, Equatable {}

  @Test("a result and an error come back, and the work is on another thread")
  func results() async {
    let thread = await DetachedThread.run { DetachedThread.currentID }
    let other = await DetachedThread.run { DetachedThread.currentID }
    #expect(thread != 0 && other != 0)
    await #expect(throws: Failure()) {
      try await DetachedThread.run { () throws(Failure) in throw Failure() }
    }
  }

  @Test("signals are blocked on request", arguments: [true, false])
  func signals(areBlocked: Bool) async {
    let isBlocked = await withCheckedContinuation { continuation in
      DetachedThread.start(blocksSignals: areBlocked) {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        continuation.resume(returning: sigismember(&mask, SIGPIPE) == 1)
      }
    }
    if areBlocked { #expect(isBlocked) }
  }
}
