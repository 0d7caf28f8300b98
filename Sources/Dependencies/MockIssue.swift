/// A call of a mock, as it came in.
public struct MockCall: Sendable, Hashable, CustomStringConvertible {
  /// The name of the function, for example `putDocument`.
  public var name: String
  /// The arguments as text, in their order. Of binary data there is the number of bytes, and of
  /// secrets nothing.
  public var arguments: [String]

  /// A call, to compare with.
  public init(_ name: String, _ arguments: String...) {
    self.init(name, arguments)
  }

  init(_ name: String, _ arguments: [String]) {
    self.name = name
    self.arguments = arguments
  }

  /// Name and arguments.
  public var description: String { "\(name)(\(arguments.joined(separator: ", ")))" }
}

/// Something that was asked of a mock and that the test did not allow, or that the test prepared
/// and nobody asked for.
public struct MockIssue: Sendable, CustomStringConvertible {
  /// Whether the test gave too little or too much.
  public enum Kind: Sendable {
    /// A call without an answer.
    case unanswered
    /// An answer or a failure that was prepared and never given.
    case unused
  }

  /// A line of a test.
  public struct Line: Sendable {
    /// As `#fileID` gives it.
    public let fileID: StaticString
    /// As `#filePath` gives it.
    public let filePath: StaticString
    /// From 1.
    public let line: Int
    /// From 1.
    public let column: Int

    /// A line, as the literals give it.
    init(_ fileID: StaticString, _ filePath: StaticString, _ line: Int, _ column: Int) {
      self.fileID = fileID
      self.filePath = filePath
      self.line = line
      self.column = column
    }
  }

  /// What does not fit.
  public let kind: Kind
  /// What happened, and what to do; without secrets.
  public let message: String
  /// The line that prepared what was not used; `nil` for a call without an answer.
  public let line: Line?

  init(_ kind: Kind, _ message: String, at line: Line? = nil) {
    self.kind = kind
    self.message = message
    self.line = line
  }

  /// The message.
  public var description: String { message }
}

/// A mock that can say at the end of a test what did not fit.
///
/// `Dependencies.reportMockIssues(to:)` of `SwiftBoardServiceTesting` asks every mock of an
/// environment.
public protocol CheckedMock: Sendable {
  /// Every call that the test did not allow, also where the code caught the error, and whatever the
  /// test prepared and nobody asked for, so far.
  var issues: [MockIssue] { get }
}

/// The failures that a test prepared for the calls of a mock.
struct PreparedFailures<Failure: Error>: Sendable {
  private var waiting: [(call: String, error: Failure, line: MockIssue.Line)] = []

  mutating func add(_ call: String, _ error: Failure, _ line: MockIssue.Line) {
    waiting.append((call, error, line))
  }

  /// The next failure of a call, which is then used up.
  mutating func take(_ call: String) -> Failure? {
    guard let index = waiting.firstIndex(where: { $0.call == call }) else { return nil }
    return waiting.remove(at: index).error
  }

  var issues: [MockIssue] {
    waiting.map { failure in
      let call = failure.call.isEmpty ? "a call" : failure.call
      return MockIssue(
        .unused, "\(call) was to fail with \(failure.error), and it was not called any more.",
        at: failure.line)
    }
  }
}
