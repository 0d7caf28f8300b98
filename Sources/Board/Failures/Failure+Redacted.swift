import SwiftBoardCommandLine
import SwiftBoardDependencies

extension Failure {
  /// What went wrong, without the secrets that the words of an error may repeat.
  public init(_ error: any Error, _ dependencies: Dependencies) {
    self.init(any: error)
    message = dependencies.logger.redact(message)
    help = help.map(dependencies.logger.redact)
  }
}
