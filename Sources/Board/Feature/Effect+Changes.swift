import SwiftBoardDependencies
import SwiftBoardStore
import Synchronization

extension Array {
  /// Makes calls that change something, and says what they have done, also if they are cancelled.
  ///
  /// A cancelled effect sends nothing, so a second one, which cannot be cancelled, ends the
  /// command. The feature has to say that it ends such a command itself
  /// (`Feature(endsCancelled:)`).
  ///
  /// ```swift
  /// state.boiling = job
  /// return .change(name: "tea.brew", id: job, dependencies) {
  ///   try await kettle.boil()
  /// } report: { .ready(job: job, $0) } failure: { .failed(job: job, failure: $0) }
  /// ```
  /// - Parameters:
  ///   - name: The name of the effect that makes the calls.
  ///   - end: The name of the effect that ends the command, by default `name` with `.end`.
  ///   - id: The cancel ID of the calls.
  ///   - body: Makes the calls. If the task is cancelled, an error means that nothing was changed,
  ///     unless it is an `UncertainChange`.
  ///   - report: Turns the value of the calls into an action.
  ///   - failure: Turns the failure of the calls into an action; of calls that were cancelled and
  ///     changed nothing, it is `cancelled`.
  public static func change<Value: Sendable, Action>(
    name: String, end: String? = nil, id: some Hashable & Sendable, _ dependencies: Dependencies,
    fileID: StaticString = #fileID, line: UInt32 = #line,
    _ body: @escaping @Sendable () async throws -> Value,
    report: @escaping @Sendable (Value) async throws -> Action,
    failure: @escaping @Sendable (Failure) -> Action
  ) -> [Effect<Action>] where Element == Effect<Action> {
    .change(
      name: name, end: end, id: id, dependencies, fileID: fileID, line: line,
      sending: { _ in try await body() }, report: report, failure: failure)
  }

  /// Does the same for calls that send actions of their own, such as their progress.
  package static func change<Value: Sendable, Action>(
    name: String, end: String? = nil, id: some Hashable & Sendable, _ dependencies: Dependencies,
    fileID: StaticString = #fileID, line: UInt32 = #line,
    sending body: @escaping @Sendable (Send<Action>) async throws -> Value,
    report: @escaping @Sendable (Value) async throws -> Action,
    failure: @escaping @Sendable (Failure) -> Action
  ) -> [Effect<Action>] where Element == Effect<Action> {
    let change = ChangeResult<Value>()
    let run: [Effect<Action>] = .run(name: name, fileID: fileID, line: line) { send in
      await change.run { try await body(send) }
    }
    .cancellable(id: id)
    let end: [Effect<Action>] = .task(name: end ?? "\(name).end", fileID: fileID, line: line) {
      try await report(change.value())
    }
    .catchFailure(dependencies, failure)
    return run.concatenate(with: end)
  }

  /// Does the same for the command of a job, and adds it to the running changes. The action that
  /// ends the command has to remove it.
  ///
  /// Without running changes, as in a recording made before the feature had them, one effect makes
  /// the calls and ends the command, and nothing is reported if it is cancelled.
  ///
  /// ```swift
  /// return .change(name: "tea.brew", job: job, in: &state.changes, dependencies) {
  ///   try await kettle.boil()
  /// } report: { .ready(job: job, $0) } failure: { .failed(job: job, failure: $0) }
  /// ```
  /// - Parameters:
  ///   - job: The job of the command, which is the cancel ID of the calls.
  ///   - changes: The running changes of the feature's state.
  public static func change<Value: Sendable, Action>(
    name: String, end: String? = nil, job: Int, in changes: inout RunningChanges?,
    _ dependencies: Dependencies, fileID: StaticString = #fileID, line: UInt32 = #line,
    _ body: @escaping @Sendable () async throws -> Value,
    report: @escaping @Sendable (Value) async throws -> Action,
    failure: @escaping @Sendable (Failure) -> Action
  ) -> [Effect<Action>] where Element == Effect<Action> {
    changes?.begin(job)
    guard changes == nil else {
      return .change(
        name: name, end: end, id: job, dependencies, fileID: fileID, line: line, body,
        report: report, failure: failure)
    }
    return .task(name: name, fileID: fileID, line: line) { try await report(try await body()) }
      .catchFailure(dependencies, failure)
      .cancellable(id: job)
  }
}

/// The result of calls that change something, from the effect that makes them to the one that ends
/// their command.
private final class ChangeResult<Value: Sendable>: Sendable {
  /// Until the calls have been made, the failure of calls that were cancelled before.
  private let result = Mutex<Result<Value, any Error>>(.failure(Failure.cancelled))

  func run(_ body: () async throws -> Value) async {
    let result: Result<Value, any Error>
    do {
      result = .success(try await body())
    } catch {
      let isCancelled = Task.isCancelled || error is CancellationError
      let isUncertain = (error as? any UncertainChange)?.mayHaveChanged == true
      result = .failure(isCancelled && !isUncertain ? Failure.cancelled : error)
    }
    self.result.withLock { $0 = result }
  }

  /// - Throws: The error of the calls, or a `Failure`. An effect would not report a
  ///   `CancellationError`.
  func value() throws -> Value { try result.withLock { $0 }.get() }
}
