import Synchronization

/// What a mock of a program has.
protocol MockProgramContent: Sendable {
  associatedtype Program: ServiceProgram

  var program: Program { get }

  /// Returns the content of the preview.
  static func sample(_ program: Program) -> Self
}

/// Programs in memory, by the name of their service: their contents, the calls, and the failures
/// that a test prepared.
final class MockPrograms<Content: MockProgramContent>: Sendable {
  typealias Server = RemoteProgram<Content.Program>

  private struct State {
    var contents: [String: Content] = [:]
    var calls: [MockCall] = []
    var unanswered: [MockIssue] = []
    var failures = PreparedFailures<ProgramError>()
  }

  private let state = Mutex(State())
  private let samples: Bool

  /// - Parameter samples: Whether a service without content has that of the preview.
  init(samples: Bool) { self.samples = samples }

  var calls: [MockCall] { state.withLock { $0.calls } }

  /// Calls without content, and failures that did not happen.
  var issues: [MockIssue] { state.withLock { $0.unanswered + $0.failures.issues } }

  subscript(service: String) -> Content? {
    get { state.withLock { $0.contents[service] } }
    set { state.withLock { $0.contents[service] = newValue } }
  }

  func failNext(_ call: String, with error: ProgramError, at line: MockIssue.Line) {
    state.withLock { $0.failures.add(call, error, line) }
  }

  func answer<Value>(
    _ name: String, _ server: Server, _ arguments: String...,
    body: (inout Content) throws(ProgramError) -> Value
  ) throws(ProgramError) -> Value {
    let service = server.service.name
    let result = state.withLock { state -> Result<Value, ProgramError> in
      state.calls.append(MockCall(name, [service] + arguments))
      if let failure = state.failures.take(name) { return .failure(failure) }
      var content = state.contents[service]
      if content == nil, samples { content = .sample(server.program) }
      guard var content else {
        let message = """
          the mock has no content for the service '\(service)': give it some with \
          mock.set(.sample(.\(server.program.rawValue)), for: "\(service)")
          """
        state.unanswered.append(MockIssue(.unanswered, message))
        return .failure(server.error(.unanswered(message)))
      }
      guard content.program == server.program else {
        return .failure(server.error(.wrongProgram(found: content.program.title)))
      }
      defer { state.contents[service] = content }
      do throws(ProgramError) { return .success(try body(&content)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

extension RemoteProgram {
  /// Returns an error of the program.
  func error(_ kind: ProgramError.Kind) -> ProgramError {
    ProgramError(
      kind, program: program.title, service: service.name, address: service.baseURL)
  }
}
