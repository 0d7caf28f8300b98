import SwiftBoardDependencies
import SwiftBoardTesting

extension Dependencies {
  /// Reports mismatches between a test and its mocks. Call this at the end of the test.
  ///
  /// Reports every call that the test did not allow, at the caller's line, even if the tested code
  /// caught the error, and every prepared answer or failure that was not used, at the line that
  /// prepared it.
  ///
  /// ```swift
  /// let dependencies = Dependencies.mock
  /// defer { dependencies.reportMockIssues(to: report) }
  /// ```
  /// Services that are not mocks are skipped. See `CheckedMock`.
  ///
  /// - Parameter report: Called for each mismatch; see `testReporter`.
  public func reportMockIssues(
    to report: TestReporter, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
  ) {
    let caller = TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let services: [any Service] = [
      apiClient, keychainService, persistence, logger, analytics, files, terminal,
      mediaService, downloadService,
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
