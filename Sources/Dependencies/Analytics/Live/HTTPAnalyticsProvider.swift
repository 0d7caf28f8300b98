import Dispatch
import SwiftBoardJSON
import SwiftBoardSystem
import Synchronization

/// Sends events to a server, many in one request: a POST of
/// `{"events":[{"id":"…","time":"2026-01-01T00:00:00.000000Z","event":"api.get","properties":{…}}]}`.
///
/// An event has the same id at every attempt, by which a server tells those that it has already. A
/// server that cannot be reached, and an answer 408, 425, 429 or 5xx, is tried again: after
/// `firstDelay`, then after twice as long, up to ten minutes, ten times in all. An answer's
/// Retry-After in seconds prolongs that. With any other answer than 2xx the events are given up.
public final class HTTPAnalyticsProvider: AnalyticsProvider {
  /// Why events were not taken.
  public struct Failure: Error, Sendable, Equatable {
    /// In words; without what the request held.
    public var message: String
    /// The server asks for this much patience.
    public var retryAfter: Duration?
  }

  /// For statistics.
  public let name: String
  /// Ten.
  public let attempts = 10
  private let client: any APIClient
  private let request: APIRequest
  private let firstDelay: Duration
  /// What the last answer asked for.
  private let patience = Mutex<Duration?>(nil)

  /// A provider that has sent nothing yet.
  ///
  /// - Parameters:
  ///   - url: `http` or `https`. No redirect is followed.
  ///   - headers: Such as an `Authorization`.
  ///   - timeout: Of a request. Nothing but this provider waits for it.
  ///   - firstDelay: From the first failure to the next attempt.
  public init(
    url: String, client: any APIClient, headers: [HTTPHeader] = [], name: String = "http",
    timeout: Duration = .seconds(10), firstDelay: Duration = .seconds(2)
  ) {
    self.name = name
    self.client = client
    self.firstDelay = firstDelay
    request = APIRequest(
      method: "POST", url: url, headers: headers + [HTTPHeader("Content-Type", "application/json")],
      timeout: timeout, bodyLimit: 64 << 10)
  }

  /// Sends one request with all of the events, and waits for its answer.
  ///
  /// - Throws: `Failure`, or `AnalyticsRefusal` where the server will never take them.
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
      let seconds = answer.headers.value(of: "Retry-After").flatMap { Int64($0) } ?? 0
      let wanted: Duration? = seconds > 0 ? .seconds(min(seconds, 3600)) : nil
      patience.withLock { $0 = wanted }
      throw Failure(message: message, retryAfter: wanted)
    }
  }

  /// Doubles from `firstDelay` up to ten minutes; longer where the server asked for it.
  public func delay(afterFailures count: Int) -> Duration? {
    let doubled = firstDelay * (1 << min(max(0, count - 1), 20))
    return max(min(doubled, .seconds(600)), patience.withLock { $0 } ?? .zero)
  }

  /// The provider's own thread waits, none of the cooperative pool.
  private func answer(to request: APIRequest) -> Result<APIResponse, APIError> {
    let result = Shared<Result<APIResponse, APIError>>(
      .failure(APIError(.cancelled, "no answer")))
    let done = DispatchSemaphore(value: 0)
    Task.detached(priority: .utility) { [client] in
      let answer: Result<APIResponse, APIError>
      do throws(APIError) {
        answer = .success(try await client.send(request))
      } catch {
        answer = .failure(error)
      }
      result.value.withLock { $0 = answer }
      done.signal()
    }
    done.wait()
    return result.value.withLock { $0 }
  }
}
