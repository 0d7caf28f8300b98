import SwiftBoardDependencies
import SwiftBoardStore

extension EffectProtocol {
  /// Turns the errors of the effects into the action of a failure, with the board's message and
  /// without secrets. Cancellation is not an error.
  ///
  /// ```swift
  /// .task(name: "tea.brew") { .ready(try await kettle.boil()) }
  /// .catchFailure(dependencies) { .failed(job: job, failure: $0) }
  /// .cancellable(id: job)
  /// ```
  public func catchFailure(
    _ dependencies: Dependencies,
    _ makeAction: @escaping @Sendable (_ failure: Failure) -> Action
  ) -> Self {
    `catch` { makeAction(Failure($0, dependencies)) }
  }

  /// Turns the errors of the effects into the action of a service's error, and logs a record.
  /// Cancellation is not an error.
  ///
  /// - Parameter category: The category of the record: the name of the feature.
  public func catchServiceError(
    _ dependencies: Dependencies, category: String,
    _ makeAction: @escaping @Sendable (_ error: ServiceError) -> Action
  ) -> Self {
    `catch` { makeAction(ServiceError($0, dependencies, category: category)) }
  }
}
