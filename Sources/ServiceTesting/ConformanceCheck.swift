import SwiftBoardTesting

/// One rule of a service's protocol, as a check of an implementation.
///
/// A suite gives a list of checks; a test runs each of them. Every check makes a service of its
/// own, so they run in any order, also at the same time. No test framework is imported here.
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
  /// What every implementation does, in a sentence.
  public let rule: String
  private let body: @Sendable () async throws -> Void

  /// A check, for suites of your own.
  ///
  /// - Parameter body: Throws where the rule does not hold. A `ConformanceMismatch` says what was
  ///   expected.
  public init(
    _ service: String, _ rule: String, _ body: @escaping @Sendable () async throws -> Void
  ) {
    self.service = service
    self.rule = rule
    self.body = body
  }

  /// Makes a service and checks the rule on it.
  ///
  /// - Throws: `ConformanceFailure`, with what was expected and what was found. An error that the
  ///   service throws where the rule expects none is a failure too; `CancellationError` is thrown
  ///   as it is.
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

/// A service that was made for one check, and what it needs as long as it is used.
public struct ConformanceSubject<Service: Sendable>: Sendable {
  /// The service.
  public var service: Service
  private let kept: (any Sendable)?

  /// A service for one check.
  ///
  /// - Parameter keeping: What is kept as long as the service is used, for example a temporary
  ///   folder that goes with its last reference.
  public init(_ service: Service, keeping kept: (any Sendable)? = nil) {
    self.service = service
    self.kept = kept
  }
}

/// A rule that an implementation breaks.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The protocol.
  public let service: String
  /// The rule, as its check names it.
  public let rule: String
  /// What the rule demands.
  public let expected: String
  /// What the implementation did.
  public let found: String
  /// The line of the suite that found it; `nil` if the service threw what no line expects.
  public let location: TestLocation?

  /// The rule, what was expected, what was found, and the line of the suite.
  public var description: String {
    "\(service): the rule “\(rule)” is broken: expected \(expected), found \(found)"
      + (location.map { " (\($0))" } ?? "")
  }
}

/// Something that is not as a rule demands; a check throws it.
public struct ConformanceMismatch: Error, Sendable, Hashable {
  /// What the rule demands.
  public let expected: String
  /// What was found.
  public let found: String
  /// The line that found it.
  public let location: TestLocation

  /// A mismatch at the caller's line.
  public init(
    expected: String, found: String, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
  ) {
    self.expected = expected
    self.found = found
    location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Throws unless both are equal.
func equal<Value: Equatable>(
  _ found: Value, _ expected: Value, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) throws {
  guard found != expected else { return }
  throw ConformanceMismatch(
    expected: shown(expected), found: shown(found), fileID: fileID, filePath: filePath, line: line,
    column: column)
}

/// Throws unless the condition holds, which `text` says in code.
func holds(
  _ condition: Bool, _ text: String, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) throws {
  guard !condition else { return }
  throw ConformanceMismatch(
    expected: "\(text)", found: "that it does not hold", fileID: fileID, filePath: filePath,
    line: line, column: column)
}

/// The value, or the failure that there is none.
func required<Value>(
  _ value: Value?, _ text: String, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) throws -> Value {
  if let value { return value }
  throw ConformanceMismatch(
    expected: text, found: "none", fileID: fileID, filePath: filePath, line: line, column: column)
}

/// A value as text, cut where it is long.
private func shown(_ value: some Any) -> String {
  let text = String(describing: value)
  return text.count <= 400 ? text : "\(text.prefix(400))… (\(text.count) characters)"
}
