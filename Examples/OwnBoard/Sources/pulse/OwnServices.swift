import SwiftBoardDependencies
import Synchronization

/// A client before another one, which refuses all hosts but a few.
final class AllowedHosts: APIClient {
  let base: any APIClient
  let hosts: Set<String>
  private let isOpen = Mutex(true)

  init(_ hosts: Set<String>, before base: any APIClient) {
    self.base = base
    self.hosts = hosts
  }

  var wasShutDown: Bool { isOpen.withLock { !$0 } }

  func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    guard hosts.contains(where: { request.url.hasPrefix("http://\($0)/") }) else {
      throw APIError(.refused, "\(request) is not among the hosts that may be asked")
    }
    return try await base.send(request)
  }

  func shutDown(within duration: Duration) async -> Bool {
    isOpen.withLock { $0 = false }
    return await base.shutDown(within: duration)
  }
}

/// A sink that keeps lines as text.
final class TextSink: LogRecordSink {
  private let text = Mutex<[String]>([])

  var lines: [String] { text.withLock { $0 } }
  var dropped: Int { 0 }

  func write(_ record: LogRecord) {
    text.withLock { $0.append("\(record.category): \(record.message)") }
  }
}

/// A provider that counts events by their name.
final class Tally: AnalyticsProvider {
  let name = "tally"
  private let counts = Mutex<[String: Int]>([:])

  var all: [String: Int] { counts.withLock { $0 } }

  func deliver(_ events: [AnalyticsDelivery]) throws {
    counts.withLock { counts in
      for delivery in events { counts[delivery.event.name, default: 0] += 1 }
    }
  }
}

/// What a board prints.
final class Output: Sendable {
  private let printed = Mutex("")

  var text: String { printed.withLock { $0 } }

  func add(_ more: String) { printed.withLock { $0 += more } }
}
