import SwiftBoardSystem
import SwiftBoardTestSupport
import SwiftBoardTesting
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// Requests that are cancelled at any moment of their lives: each ends, and the client keeps
/// nothing of it. `SWIFTBOARD_CANCELS` sets how many there are.
@Suite(.timeLimit(.minutes(20)))
struct CancellationMomentTests {
  private static var count: Int {
    ProcessInfo.processInfo.environment["SWIFTBOARD_CANCELS"].flatMap { Int($0) } ?? 400
  }

  private static let paths = [
    "/echo", "/faults/hang", "/faults/drip", "/faults/large?bytes=200000", "/faults/reset",
    "/faults/flaky?fail=1000000&key=a",
  ]

  /// Passes some of the time that a request takes, without giving up the thread.
  private static func work(_ rounds: Int) -> UInt64 {
    var value: UInt64 = 1
    for round in 0..<rounds { value = value &* 6_364_136_223_846_793_005 &+ UInt64(round) }
    return value
  }

  @Test("a cancelled request ends at whatever moment it is cancelled") func anyMoment() async throws
  {
    let server = try TestHTTPServer()
    let client = LiveAPIClient()
    let workers = 8
    let count = Self.count / workers
    let cancelled = await withTaskGroup(of: Int.self) { group in
      for worker in 0..<workers {
        group.addTask { await Self.cancel(count, seed: UInt64(worker), client, server.origin) }
      }
      return await group.reduce(0, +)
    }
    #expect(cancelled > 0)
    #expect(
      try await client.send(APIRequest(url: server.origin + "/echo", timeout: nil)).status == 200)
  }

  /// Sends requests one after the other and cancels each; returns how many ended cancelled.
  private static func cancel(
    _ count: Int, seed: UInt64, _ client: LiveAPIClient, _ origin: String
  ) async -> Int {
    var random = SeededRandom(seed: seed)
    var cancelled = 0
    var passed: UInt64 = 0
    for _ in 0..<count {
      let url = origin + paths[Int.random(in: 0..<paths.count, using: &random)]
      let task = Task {
        do throws(APIError) {
          _ = try await client.send(APIRequest(url: url, timeout: nil))
          return false
        } catch {
          return error.kind == .cancelled
        }
      }
      // From the first microsecond to some time after the last.
      let moment = 1 << Int.random(in: 0..<19, using: &random)
      passed &+= work(Int.random(in: 0..<moment, using: &random))
      task.cancel()
      if await task.value { cancelled += 1 }
    }
    // Only a use of the result keeps the work.
    return passed == 0 ? 0 : cancelled
  }
}
