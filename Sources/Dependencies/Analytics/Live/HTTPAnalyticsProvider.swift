import SwiftBoardSystem
import Synchronization

/// Sends events to a server, many in one request: a POST of `{"events":[…]}` with an object for
/// each event:
/// `{"id":"…","time":"2026-01-01T00:00:00.000000Z","event":"api.get","properties":{…}}`.
///
/// An event has the same id in every attempt, so that the server can recognize duplicates. The
/// provider retries if the server cannot be reached or answers 408, 425, 429 or 5xx. It waits for
/// `firstDelay`, then doubles the delay up to ten minutes, with at most ten attempts. A Retry-After
/// extends the delay, to at most one hour. After any other response than 2xx, the events are
/// dropped.
public final class HTTPAnalyticsProvider: AnalyticsProvider {
  /// An error when sending events.
  public struct Failure: Error, Sendable, Equatable {
    /// The message, without contents of the request.
    public var message: String
    /// The delay that the server requests.
    public var retryAfter: Duration?
  }

  /// The name, for statistics.
  public let name: String
  /// Ten attempts.
  public let attempts = 10
  private let client: any APIClient
  private let request: APIRequest
  private let firstDelay: Duration
  private let date: DateGenerator
  /// The delay that the last response requested.
  private let patience = Mutex<Duration?>(nil)

  /// Creates a provider without sending anything.
  ///
  /// - Parameters:
  ///   - url: The address, with `http` or `https`. Redirects are not followed.
  ///   - headers: Additional headers, such as `Authorization`.
  ///   - timeout: The time limit of a request. Only this provider waits for it.
  ///   - firstDelay: The delay between the first failure and the next attempt.
  ///   - date: The time, for a Retry-After with a date.
  public init(
    url: String, client: any APIClient, headers: [HTTPHeader] = [], name: String = "http",
    timeout: Duration = .seconds(10), firstDelay: Duration = .seconds(2),
    date: DateGenerator = .live
  ) {
    self.name = name
    self.client = client
    self.firstDelay = firstDelay
    self.date = date
    request = APIRequest(
      method: "POST", url: url, headers: headers + [HTTPHeader("Content-Type", "application/json")],
      timeout: timeout, bodyLimit: 64 << 10)
  }

  /// Sends one request with all events, and waits for the response.
  ///
  /// - Throws: `Failure`, or `AnalyticsRefusal` if the server will never accept them.
  public func deliver(_ events: [AnalyticsDelivery]) throws {
    var body = Array(#"{"events":["#.utf8)
    for (index, event) in events.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      event.appendJSON(to: &body)
    }
    body += "]}".utf8
    var request = request
    request.body = Data(body)
    let answer = answer(to: request)
    patience.withLock { $0 = nil }
    switch answer {
    case .failure(let error): throw Failure(message: error.message)
    case .success(let answer) where (200..<300).contains(answer.status): return
    case .success(let answer):
      let message = "the server answered \(answer.status)"
      guard [408, 425, 429].contains(answer.status) || answer.status >= 500 else {
        throw AnalyticsRefusal(message: message)
      }
      let seconds = answer.headers.retryAfter(now: date.now) ?? 0
      let wanted: Duration? = seconds > 0 ? .seconds(min(seconds, 3600)) : nil
      patience.withLock { $0 = wanted }
      throw Failure(message: message, retryAfter: wanted)
    }
  }

  /// Doubles the delay from `firstDelay` up to ten minutes, or longer if the server requests it.
  public func delay(afterFailures count: Int) -> Duration? {
    let doubled = firstDelay * (1 << min(max(0, count - 1), 20))
    return max(min(doubled, .seconds(600)), patience.withLock { $0 } ?? .zero)
  }

  /// Sends a request and blocks the provider's own thread, not one of the cooperative pool.
  private func answer(to request: APIRequest) -> Result<APIResponse, APIError> {
    waitForTask { [client] in
      do throws(APIError) {
        return .success(try await client.send(request))
      } catch {
        return .failure(error)
      }
    }
  }
}
