import SwiftBoardStore

extension Store where R.State: Codable, R.Action: Codable {
  /// Records every step from the next one on in a new file of mode 0600. The recorder reads the
  /// state and the number of the last step, and is attached, under one lock: no step is missing,
  /// whichever threads send actions.
  ///
  /// ```swift
  /// let recorder = try store.record(to: "notes.actions.jsonl", info: info, journal: nil)
  /// // ...
  /// recorder.stop()
  /// ```
  ///
  /// The store's own hooks remain. `setHooks` removes them and the recorder, whose recording then
  /// ends with a failure. A store has one recorder at a time: stop it before the next call. To
  /// record the subscriptions of the initial state, create the store with
  /// `startsSubscriptions: false` and start them after this call.
  ///
  /// - Parameters:
  ///   - options: Its `baseStep` is not used.
  ///   - journal: The journal that the generators draw through, or `nil` if the reducer draws no
  ///     values.
  ///   - clock: Returns monotonic microseconds from any origin, under the store's lock. By default,
  ///     the continuous clock.
  ///   - endsRecording: As in `Recorder`.
  ///   - fileID: As in `Recorder`, like `line`.
  ///   - onFailure: As in `Recorder`. Writes to standard error by default.
  ///   - onWarning: As in `Recorder`. Writes to standard error by default.
  /// - Throws: `RecordingError`. The store then has the same hooks as before.
  /// - Complexity: Encodes the state and creates the file under the store's lock.
  public func record(
    to path: String, info: RecordingInfo, options: RecordingOptions = .init(),
    journal: DrawJournal?, clock: (@Sendable () -> Int64)? = nil,
    endsRecording: (@Sendable (Action) -> Bool)? = nil,
    fileID: StaticString = #fileID, line: UInt32 = #line,
    onFailure: (@Sendable (StoreIssue) -> Void)? = nil,
    onWarning: (@Sendable (StoreIssue) -> Void)? = nil
  ) throws(RecordingError) -> Recorder<State, Action> {
    let clock = clock ?? microsecondsFromNow()
    let write: @Sendable (StoreIssue) -> Void = { writeToStandardError("issue: \($0)") }
    return try attachRecorder { state, lastStep throws(RecordingError) in
      var options = options
      options.baseStep = lastStep
      return try Recorder(
        path: path, info: info, state: state, options: options, journal: journal, clock: clock,
        endsRecording: endsRecording, fileID: fileID, line: line, onFailure: onFailure ?? write,
        onWarning: onWarning ?? write)
    }
  }

  private func attachRecorder(
    _ make: (State, _ lastStep: Int) throws(RecordingError) -> Recorder<State, Action>
  ) throws(RecordingError) -> Recorder<State, Action> {
    var made: Recorder<State, Action>?
    try replaceHooks { present, state, lastStep throws(RecordingError) in
      let attached = present?.attachment as? RecorderAttachment<State, Action>
      if attached?.recorder.isRecording == true { throw .attached }
      let others = attached == nil ? present : attached?.others
      let recorder = try make(copy state, lastStep)
      made = recorder
      return recorder.hooks(beside: others)
    }
    guard let made else { throw .attached }
    return made
  }
}

/// The recorder of a store, and the hooks that the store has besides.
@usableFromInline
final class RecorderAttachment<State: Codable & Sendable, Action: Codable & Sendable>: Sendable {
  let recorder: Recorder<State, Action>
  let others: StepHooks<State, Action>?

  @usableFromInline
  init(recorder: Recorder<State, Action>, others: StepHooks<State, Action>?) {
    self.recorder = recorder
    self.others = others
  }
}

extension RecorderAttachment: StepHooksAttachment {
  @usableFromInline var owner: AnyObject { recorder }

  @usableFromInline
  func hooksWereReplaced() { recorder.core.hooksWereReplaced() }
}

extension Recorder {
  /// Returns hooks that call others as well. The journal has no draws of theirs, and a step is in
  /// the file before they receive it.
  fileprivate func hooks(beside others: StepHooks<State, Action>?) -> StepHooks<State, Action> {
    guard let others else { return hooks }
    var joined = hooks
    joined.attachment = RecorderAttachment(recorder: self, others: others)
    if let first = others.willReduce {
      let second = joined.willReduce
      joined.willReduce = { number in
        first(number)
        second?(number)
      }
    }
    if let second = others.didReduce {
      joined.didReduce = { [self] step, state in
        record(step, state)
        second(step, state)
      }
    }
    if let second = others.issue {
      joined.issue = { [core] issue in
        core.record(issue)
        second(issue)
      }
    }
    return joined
  }
}

private func microsecondsFromNow() -> @Sendable () -> Int64 {
  let (clock, start) = (ContinuousClock(), ContinuousClock.now)
  return { Int64((clock.now - start) / .microseconds(1)) }
}
