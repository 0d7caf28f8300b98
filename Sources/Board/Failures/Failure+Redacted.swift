import SwiftBoardCommandLine
import SwiftBoardDependencies

extension Failure {
  /// Creates a failure from an error, without secrets that the error's text may contain.
  public init(_ error: any Error, _ dependencies: Dependencies) {
    self.init(any: error)
    message = dependencies.logger.redact(message)
    help = help.map(dependencies.logger.redact)
  }
}
