import SwiftBoardTesting

/// A rule of a service's protocol, as a check of an implementation.
///
/// A suite returns a list of checks, and a test runs each of them. Every check creates its own
/// service, so checks can run in any order and in parallel. This module imports no test framework.
///
/// Swift Testing:
/// ```swift
/// @Test(arguments: KeychainConformance { _ in .init(OwnKeychain()) }.checks)
/// func conforms(_ check: ConformanceCheck) async throws { try await check.run() }
/// ```
/// XCTest:
/// ```swift
/// func testConforms() async {
///   for check in KeychainConformance({ _ in .init(OwnKeychain()) }).checks {
///     do { try await check.run() } catch { XCTFail("\(error)") }
///   }
/// }
/// ```
public struct ConformanceCheck: Sendable, CustomStringConvertible {
  /// The protocol, for example `KeychainService`.
  public let service: String
  /// The rule, in a sentence.
  public let rule: String
  private let body: @Sendable () async throws -> Void

  /// Creates a check, for your own suites.
  ///
  /// - Parameter body: Throws if the rule is broken. A `ConformanceMismatch` has the expected
  ///   value.
  public init(
    _ service: String, _ rule: String, _ body: @escaping @Sendable () async throws -> Void
  ) {
    self.service = service
    self.rule = rule
    self.body = body
  }

  /// Creates a service and checks its rule.
  ///
  /// A check has no time limit: give the test one, in case the service never answers.
  ///
  /// - Throws: `ConformanceFailure` with the expected and the found value. An unexpected error of
  ///   the service, or of the code that makes it, is also a failure. `CancellationError` is thrown
  ///   unchanged.
  public func run() async throws {
    do { try await body() } catch let error as CancellationError { throw error } catch {
      let mismatch = error as? ConformanceMismatch
      throw ConformanceFailure(
        service: service, rule: rule, expected: mismatch?.expected ?? "no error",
        found: mismatch?.found ?? "the error \(error)", location: mismatch?.location)
    }
  }

  /// The protocol and the rule.
  public var description: String { "\(service): \(rule)" }
}

/// A service for one check, and a value to keep as long as it is used.
public struct ConformanceSubject<Service: Sendable>: Sendable {
  /// The service.
  public var service: Service
  private let kept: (any Sendable)?

  /// Creates a subject for one check.
  ///
  /// - Parameter kept: A value to keep as long as the service is used, for example a temporary
  ///   folder that is removed with its last reference.
  public init(_ service: Service, keeping kept: (any Sendable)? = nil) {
    self.service = service
    self.kept = kept
  }
}

/// The failure of an implementation that breaks a rule.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The protocol.
  public let service: String
  /// The rule of the check.
  public let rule: String
  /// The expected value.
  public let expected: String
  /// The found value.
  public let found: String
  /// The line of the suite that found it, or `nil` for an unexpected error of the service or of the
  /// code that makes it.
  public let location: TestLocation?

  /// The rule, the expected and the found value, and the line of the suite.
  public var description: String {
    location.map {
      "\(service): the rule “\(rule)” is broken: expected \(expected), found \(found) (\($0))"
    }
      ?? "\(service): the rule “\(rule)” is broken, or the service could not be made: expected "
      + "\(expected), found \(found)"
  }
}

/// The error that a check throws if a rule is broken.
public struct ConformanceMismatch: Error, Sendable, Hashable {
  /// The expected value.
  public let expected: String
  /// The found value.
  public let found: String
  /// The line that found it.
  public let location: TestLocation

  /// Creates a mismatch at the caller's line.
  public init(
    expected: String, found: String, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
  ) {
    self.expected = expected
    self.found = found
    location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Throws unless both values are equal.
func equal<Value: Equatable>(
  _ found: Value, _ expected: Value, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) throws {
  guard found != expected else { return }
  throw ConformanceMismatch(
    expected: shown(expected), found: shown(found), fileID: fileID, filePath: filePath, line: line,
    column: column)
}

/// Throws unless a text is there and contains another one.
func contains(
  _ text: String?, _ part: String, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) throws {
  guard text?.contains(part) != true else { return }
  throw ConformanceMismatch(
    expected: "a text with “\(part)”", found: text.map { "“\(shown($0))”" } ?? "none",
    fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Throws if a text contains another one, or if there is no text.
func lacks(
  _ text: String?, _ part: String, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) throws {
  guard text?.contains(part) != false else { return }
  throw ConformanceMismatch(
    expected: "a text without “\(part)”", found: text.map { "“\(shown($0))”" } ?? "none",
    fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Throws unless the condition is `true`. `text` is the code of the condition.
func holds(
  _ condition: Bool, _ text: String, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) throws {
  guard !condition else { return }
  throw ConformanceMismatch(
    expected: "\(text)", found: "that it does not hold", fileID: fileID, filePath: filePath,
    line: line, column: column)
}

/// Returns the error of a type that `body` throws, or `nil` if it throws none.
func failure<Failure: Error>(
  _ type: Failure.Type, _ body: () async throws -> some Any
) async -> Failure? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? Failure
  }
}

/// Returns the value, or throws if it is `nil`.
func required<Value>(
  _ value: Value?, _ text: String, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) throws -> Value {
  if let value { return value }
  throw ConformanceMismatch(
    expected: text, found: "none", fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Returns a value as text, shortened if it is long.
private func shown(_ value: some Any) -> String {
  let text = String(describing: value)
  return text.count <= 400 ? text : "\(text.prefix(400))… (\(text.count) characters)"
}
