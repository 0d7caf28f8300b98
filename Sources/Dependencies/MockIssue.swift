/// A recorded call of a mock.
public struct MockCall: Sendable, Hashable, CustomStringConvertible {
  /// The name of the function, for example `putDocument`.
  public var name: String
  /// The arguments as text, in order. Binary data is represented by its number of bytes, and
  /// secrets are omitted.
  public var arguments: [String]

  /// Creates a call for comparisons.
  public init(_ name: String, _ arguments: String...) {
    self.init(name, arguments)
  }

  init(_ name: String, _ arguments: [String]) {
    self.name = name
    self.arguments = arguments
  }

  /// The name and the arguments.
  public var description: String { "\(name)(\(arguments.joined(separator: ", ")))" }
}

/// A call of a mock that the test did not prepare, or a preparation of the test that was not used.
public struct MockIssue: Sendable, CustomStringConvertible {
  /// The kind of the issue.
  public enum Kind: Sendable {
    /// A call without a prepared answer.
    case unanswered
    /// A prepared answer or failure that was not used.
    case unused
  }

  /// A location in a test.
  public struct Line: Sendable {
    /// The value of `#fileID`.
    public let fileID: StaticString
    /// The value of `#filePath`.
    public let filePath: StaticString
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int

    /// Creates a location from the values of the literals.
    init(_ fileID: StaticString, _ filePath: StaticString, _ line: Int, _ column: Int) {
      self.fileID = fileID
      self.filePath = filePath
      self.line = line
      self.column = column
    }
  }

  /// The kind of the issue.
  public let kind: Kind
  /// The problem and advice, without secrets.
  public let message: String
  /// The line that prepared the unused answer, or `nil` for a call without an answer.
  public let line: Line?

  init(_ kind: Kind, _ message: String, at line: Line? = nil) {
    self.kind = kind
    self.message = message
    self.line = line
  }

  /// The message.
  public var description: String { message }
}

/// A mock that reports issues at the end of a test.
///
/// `Dependencies.reportMockIssues(to:)` of `SwiftBoardServiceTesting` checks every mock of an
/// environment.
public protocol CheckedMock: Sendable {
  /// The issues so far: calls that the test did not prepare, even if the code caught the error, and
  /// unused preparations.
  var issues: [MockIssue] { get }
}

/// The failures that a test prepared for the calls of a mock.
struct PreparedFailures<Failure: Error>: Sendable {
  private var waiting: [(call: String, error: Failure, line: MockIssue.Line)] = []

  mutating func add(_ call: String, _ error: Failure, _ line: MockIssue.Line) {
    waiting.append((call, error, line))
  }

  /// Removes and returns the next failure of a call.
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
