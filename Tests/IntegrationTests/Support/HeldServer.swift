import Dispatch
import SwiftBoardTestSupport

/// A server whose answers under `/held` wait for `open()`.
final class HeldServer: Sendable {
  let server: TestHTTPServer
  private let gate = DispatchSemaphore(value: 0)

  init() throws {
    server = try TestHTTPServer { [gate] request in
      guard request.path.hasPrefix("/held") else { return nil }
      gate.wait()
      let status = request.path == "/held/500" ? 500 : 200
      return .response(.init(status, json: #"{"held":true}"#))
    }
  }

  /// Lets so many answers go.
  func open(_ count: Int = 1) { for _ in 0..<count { gate.signal() } }
}
