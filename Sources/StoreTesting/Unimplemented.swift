/// The error of using something that a test left unimplemented.
public struct UnimplementedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the used dependency.
  public let name: String
  /// The location at which it was left unimplemented.
  public let location: TestLocation

  /// The used dependency, the location at which it was left unimplemented, and what to do.
  public var description: String { unimplementedMessage(name) + " (\(location))" }
}

/// Returns a replacement for a throwing function of a dependency, `async` or not, that a test must
/// not call. A call is reported at the line that created the replacement, and throws.
///
/// ```swift
/// let world = World(find: unimplemented("find", report: report))
/// ```
/// Unless the effect catches the error, the store also reports an issue with the effect and the
/// action that caused it. `report` is called on the thread of the call.
///
/// - Parameters:
///   - name: The name in failures.
///   - report: Called for each call.
public func unimplemented<each Argument, Result>(
  _ name: String, report: @escaping TestReporter, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) -> @Sendable (repeat each Argument) throws -> Result {
  let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return { (_: repeat each Argument) throws -> Result in
    report(
      TestFailure(
        kind: .unimplemented, message: unimplementedMessage(name), location: location))
    throw UnimplementedError(name: name, location: location)
  }
}

/// Returns a replacement for a function of a dependency that a test must not call, if the function
/// cannot throw. A call is reported at the line that created the replacement, and returns
/// `placeholder`.
///
/// - Parameters:
///   - name: The name in failures.
///   - placeholder: The result of a call, so that the test can continue.
///   - report: Called for each call.
public func unimplemented<each Argument, Result: Sendable>(
  _ name: String, placeholder: Result, report: @escaping TestReporter,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column
) -> @Sendable (repeat each Argument) -> Result {
  let location = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return { (_: repeat each Argument) -> Result in
    report(
      TestFailure(
        kind: .unimplemented, message: unimplementedMessage(name), location: location))
    return placeholder
  }
}

private func unimplementedMessage(_ name: String) -> String {
  "“\(name)” was used, and this test left it unimplemented. "
    + "Give it an answer for this test, or find what uses it."
}
