import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@testable import SwiftBoardDependencies

/// Cancelling closes the connection and never hangs; dropping the client ends its thread.
@Suite(.timeLimit(.minutes(20)))
struct LiveAPIClientCancelTests {
  let server: TestHTTPServer

  init() throws { server = try TestHTTPServer() }

  private func hang(_ client: LiveAPIClient, _ path: String = "/faults/hang")
    -> Task<APIError?, Never>
  {
    let url = server.origin + path
    return Task {
      do throws(APIError) {
        _ = try await client.send(APIRequest(url: url, timeout: nil))
        return nil
      } catch {
        return error
      }
    }
  }

  @Test("cancelling closes the connection", arguments: ["/faults/hang", "/faults/drip"])
  func cancellingClosesTheConnection(path: String) async {
    let client = LiveAPIClient()
    let task = hang(client, path)
    await server.waitForRequest(path: path)
    task.cancel()
    // The request has no time limit of its own, and the server would go on for ever.
    let error = await task.value
    #expect(error?.kind == .cancelled && error?.wasSent == true)
    #expect(await server.waitForClose(path: path))
  }

  @Test("cancelled before it begins nothing is sent") func cancelledBeforeItBeginsNothingIsSent()
    async
  {
    let client = LiveAPIClient()
    let url = server.origin + "/echo"
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await client.send(APIRequest(url: url, timeout: nil))
    }
    let error = await #expect(throws: APIError.self) { try await task.value }
    #expect(error?.kind == .cancelled && error?.wasSent == false)
    #expect(server.requests.isEmpty)
  }

  @Test("many requests are cancelled at once") func cancellingManyAtOnce() async {
    let client = LiveAPIClient()
    let tasks = (0..<100).map { _ in hang(client) }
    await server.waitForRequest(path: "/faults/hang", count: 60)
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await task.value?.kind == .cancelled) }
  }

  @Test("cancelling one leaves its neighbours") func cancellingOneLeavesItsNeighbours() async throws
  {
    let client = LiveAPIClient()
    let hanging = hang(client)
    await server.waitForRequest(path: "/faults/hang")
    #expect(
      try await client.send(APIRequest(url: server.origin + "/echo", timeout: nil)).status == 200)
    hanging.cancel()
    #expect(await hanging.value?.kind == .cancelled)
    #expect(
      try await client.send(APIRequest(url: server.origin + "/echo", timeout: nil)).status == 200)
  }

  @Test("dropping the client ends its thread") func droppingTheClientEndsItsThread() async throws {
    await confirmation { ended in
      await withCheckedContinuation { continuation in
        let url = server.origin + "/echo"
        Task {
          let client = LiveAPIClient(onEnd: {
            ended()
            continuation.resume()
          })
          _ = try? await client.send(APIRequest(url: url, timeout: nil))
        }
      }
    }
  }

  @Test("a client that was never used has no thread") func aClientThatWasNeverUsedHasNoThread() {
    let client = LiveAPIClient(onEnd: { Issue.record("a thread ran") })
    withExtendedLifetime(client) {}
  }
}
