import SwiftBoardDependencies
import SwiftBoardTesting

extension Dependencies {
  /// Reports what did not fit between a test and its mocks, for the end of the test: every call
  /// that the test did not allow, at the caller's line, also where the code under test caught the
  /// error; and each answer or failure that was prepared and never given, at the line that prepared
  /// it.
  ///
  /// ```swift
  /// let dependencies = Dependencies.mock
  /// defer { dependencies.reportMockIssues(to: report) }
  /// ```
  /// Services that are no mocks are left out. See `CheckedMock`.
  ///
  /// - Parameter report: Called for each; see `testReporter`.
  public func reportMockIssues(
    to report: TestReporter, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
  ) {
    let caller = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let services: [any Service] = [
      apiClient, keychainService, persistence, logger, analytics, files, terminal,
    ]
    for case let mock as any CheckedMock in services {
      for issue in mock.issues {
        let kind: TestFailure.Kind =
          switch issue.kind {
          case .unanswered: .unimplemented
          case .unused: .expectation
          }
        let location = issue.line.map {
          TestLocation(
            fileID: $0.fileID, filePath: $0.filePath, line: $0.line, column: $0.column)
        }
        report(TestFailure(kind: kind, message: issue.message, location: location ?? caller))
      }
    }
  }
}
