import SwiftBoardSystem
import Synchronization

/// The answer of a mock to a request.
public enum MockAnswer: Sendable {
  /// A response with the URL of the request and a timing of zero.
  case response(status: Int, headers: [HTTPHeader], body: Data)
  /// An error to throw.
  case failure(APIError)
  /// No answer until the task is cancelled or `MockAPIClient.release(with:)` is called.
  case hang

  /// Returns a JSON answer.
  public static func json(
    _ json: String, status: Int = 200, headers: [HTTPHeader] = []
  ) -> MockAnswer {
    .response(
      status: status, headers: [HTTPHeader("Content-Type", "application/json")] + headers,
      body: Data(json.utf8))
  }

  /// Returns an answer without a body.
  public static func status(_ status: Int, headers: [HTTPHeader] = []) -> MockAnswer {
    .response(status: status, headers: headers, body: Data())
  }
}

/// A client that takes its answers from a list and records every request. It uses no network and
/// never waits for time to pass.
///
/// Rules are tried from the newest to the oldest. A request without a matching rule throws
/// `unanswered`, and the message says which answer to add.
public final class MockAPIClient: APIClient, CheckedMock {
  private struct Rule: Sendable {
    var answer: @Sendable (APIRequest) -> MockAnswer?
  }

  private struct Hanging: Sendable {
    var request: APIRequest
    var continuation: CheckedContinuation<MockAnswer?, Never>
  }

  private enum Goal: Sendable {
    case requests(Int)
    case hanging(Int)
    case noneHanging
  }

  private struct State {
    var rules: [Rule] = []
    var queues: [AnswerQueue] = []
    var requests: [APIRequest] = []
    var unanswered: [MockIssue] = []
    var hanging: [Int: Hanging] = [:]
    var waiters: [Int: (goal: Goal, continuation: CheckedContinuation<Void, Never>)] = [:]
    var lastID = 0

    func hasReached(_ goal: Goal) -> Bool {
      switch goal {
      case .requests(let count): requests.count >= count
      case .hanging(let count): hanging.count >= count
      case .noneHanging: hanging.isEmpty
      }
    }

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
      let ready = waiters.filter { hasReached($0.value.goal) }
      for id in ready.keys { waiters[id] = nil }
      return ready.values.map(\.continuation)
    }
  }

  private let state = Mutex(State())

  /// Creates a mock without answers. Every request throws `unanswered`.
  public init() {}

  /// All requests so far in the order sent, including cancelled and unanswered ones.
  public var requests: [APIRequest] { state.withLock { $0.requests } }

  /// The number of hanging requests.
  public var hangingCount: Int { state.withLock { $0.hanging.count } }

  /// The requests without an answer, and the answers that were never used. The answers of closures
  /// are not counted.
  public var issues: [MockIssue] {
    let (unanswered, queues) = state.withLock { ($0.unanswered, $0.queues) }
    return unanswered + queues.compactMap(\.issue)
  }

  // MARK: Answers

  /// Adds answers for a method and a URL. Spellings of the same URL are equal; see
  /// `URLBuilder.cacheKey`.
  ///
  /// Several answers are used in order, and the last one repeats.
  public func answer(
    _ method: String, _ url: String, with answers: MockAnswer...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let wanted = Self.key(url)
    let location = MockIssue.Line(fileID, filePath, line, column)
    add(answers, "\(method) \(Self.shown(url))", location) {
      $0.method == method && Self.key($0.url) == wanted
    }
  }

  /// Adds answers for a method and all URLs that begin with `prefix`. Several answers are used in
  /// order, and the last one repeats.
  public func answer(
    _ method: String, prefix: String, with answers: MockAnswer...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = MockIssue.Line(fileID, filePath, line, column)
    add(answers, "\(method) \(Self.shown(prefix))...", location) {
      $0.method == method && $0.url.hasPrefix(prefix)
    }
  }

  /// Adds a closure that answers requests, on any thread. If it returns `nil`, older rules apply.
  public func answer(_ answer: @escaping @Sendable (APIRequest) -> MockAnswer?) {
    state.withLock { $0.rules.append(Rule(answer: answer)) }
  }

  /// Answers all hanging requests. `hang` has no effect.
  public func release(with answer: MockAnswer) {
    if case .hang = answer { return }
    let (hanging, waiters) = state.withLock { state in
      let hanging = state.hanging.sorted { $0.key < $1.key }
      state.hanging = [:]
      return (hanging, state.takeWaiters())
    }
    for (_, request) in hanging { request.continuation.resume(returning: answer) }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until `count` requests were sent in total, or the task is cancelled.
  public func waitForRequests(_ count: Int = 1) async { await wait(for: .requests(count)) }

  /// Waits until `count` requests hang at the same time, or the task is cancelled.
  public func waitForHanging(_ count: Int = 1) async { await wait(for: .hanging(count)) }

  /// Waits until no request hangs, or the task is cancelled. A request that several callers share
  /// ends shortly after the last of them is cancelled.
  public func waitForNoneHanging() async { await wait(for: .noneHanging) }

  private func wait(for goal: Goal) async {
    let id = nextID()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.hasReached(goal) || Task.isCancelled { return true }
          state.waiters[id] = (goal, continuation)
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
    }
  }

  // MARK: APIClient

  /// Records the request and answers it by the newest matching rule. O(number of rules).
  ///
  /// - Throws: `unanswered` if no rule matches, `cancelled` if the task is cancelled, the error of
  ///   a rule and, like a live client, `invalidURL`, `unsupportedScheme` and `tooLarge`.
  public func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
    let (rules, waiters) = state.withLock { state in
      state.requests.append(request)
      return (state.rules, state.takeWaiters())
    }
    for waiter in waiters { waiter.resume() }
    try request.checkReferences()
    _ = try URLBuilder(request.url)
    if Task.isCancelled { throw APIError.cancelled("\(request)", wasSent: false) }
    for rule in rules.reversed() {
      guard let answer = rule.answer(request) else { continue }
      return try await response(answer, to: request)
    }
    let shown = Self.shown(request.url)
    let message = """
      the mock has no answer for \(request.method) \(shown): give it one with \
      mock.answer("\(request.method)", "\(shown)", with: .json("{}"))
      """
    state.withLock { $0.unanswered.append(MockIssue(.unanswered, message)) }
    throw APIError(.unanswered, message)
  }

  private func response(_ answer: MockAnswer, to request: APIRequest) async throws(APIError)
    -> APIResponse
  {
    switch answer {
    case .response(let status, let headers, let body):
      guard body.count <= request.bodyLimit else {
        throw APIError(.tooLarge, "\(request) has more than \(request.bodyLimit) bytes of body")
      }
      return APIResponse(status: status, headers: headers, body: body, url: request.url)
    case .failure(let error): throw error
    case .hang:
      guard let released = await hang(request) else {
        throw APIError.cancelled("\(request)", wasSent: true)
      }
      return try await response(released, to: request)
    }
  }

  /// Waits for `release(with:)`. Returns `nil` if the task is cancelled.
  private func hang(_ request: APIRequest) async -> MockAnswer? {
    let id = nextID()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isCancelled, waiters) = state.withLock { state in
          if Task.isCancelled { return (true, state.takeWaiters()) }
          state.hanging[id] = Hanging(request: request, continuation: continuation)
          return (false, state.takeWaiters())
        }
        for waiter in waiters { waiter.resume() }
        if isCancelled { continuation.resume(returning: nil) }
      }
    } onCancel: {
      let (request, waiters) = state.withLock { state in
        (state.hanging.removeValue(forKey: id), state.takeWaiters())
      }
      request?.continuation.resume(returning: nil)
      for waiter in waiters { waiter.resume() }
    }
  }

  private func add(
    _ answers: [MockAnswer], _ name: String, _ line: MockIssue.Line,
    where matches: @escaping @Sendable (APIRequest) -> Bool
  ) {
    let queue = AnswerQueue(answers, name, line)
    state.withLock { $0.queues.append(queue) }
    answer { request in matches(request) ? queue.next() : nil }
  }

  /// A queue that returns each answer once and repeats the last one.
  private final class AnswerQueue: Sendable {
    private let answers: [MockAnswer]
    private let name: String
    private let line: MockIssue.Line
    private let given = Mutex(0)

    init(_ answers: [MockAnswer], _ name: String, _ line: MockIssue.Line) {
      self.answers = answers
      self.name = name
      self.line = line
    }

    func next() -> MockAnswer? {
      given.withLock { given in
        given = min(given + 1, answers.count)
        return given > 0 ? answers[given - 1] : nil
      }
    }

    var issue: MockIssue? {
      let given = given.withLock { $0 }
      guard given < answers.count else { return nil }
      return MockIssue(
        .unused,
        """
        \(answers.count - given) of \(answers.count) answers to \(name) were never asked for: take \
        them out, or find out why the request was not sent
        """, at: line)
    }
  }

  private func nextID() -> Int {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  private static func key(_ url: String) -> String { (try? URLBuilder(url).cacheKey) ?? url }

  /// Returns the URL with the names of its query items, but without their values.
  private static func shown(_ url: String) -> String {
    guard let address = try? URLBuilder(url) else { return "..." }
    guard let query = address.query else { return address.origin + address.path }
    let items = query.split(separator: "&").map { "\($0.prefix { $0 != "=" })=..." }
    return "\(address.origin)\(address.path)?\(items.joined(separator: "&"))"
  }
}

extension MockAPIClient {
  /// A new mock with sample answers for every host; see `SampleData.answer(to:)`. Equal requests
  /// get equal answers, without delay.
  public static var preview: MockAPIClient {
    let mock = MockAPIClient()
    mock.answer { SampleData.answer(to: $0) }
    return mock
  }
}
