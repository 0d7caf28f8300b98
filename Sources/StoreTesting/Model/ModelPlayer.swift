import SwiftBoardStore
import Synchronization

/// Plays moves on a store and checks invariants after every step.
struct ModelPlayer<R: Reducer> {
  typealias Move = ModelMove<R.Action>

  /// A violation of an invariant by a step or, without a step, by the first state.
  struct Violation: Sendable {
    let invariant: String
    let detail: String
    let before: R.State
    let after: R.State
    let step: Step<R.Action>?
    /// The issue that the store reported, if that is the violation.
    var issue: StoreIssue?
    /// Whether the issue belongs to an earlier step than these.
    var isLate = false

    /// Returns whether it is the same defect. Issues may have different values.
    func isSame(as other: Violation) -> Bool {
      guard invariant == other.invariant else { return false }
      return switch (issue, other.issue) {
      case (nil, nil): true
      case (let issue?, let other?): issue.isSame(as: other)
      default: false
      }
    }
  }

  struct Result {
    var moves: [Move] = []
    var steps = 0
    var violation: Violation?
  }

  static var noIssues: String { "the store reports no issue" }

  let model: ModelTest<R>
  let seed: UInt64

  /// Plays moves on a new store until a violation is found or there are no more moves.
  ///
  /// - Parameters:
  ///   - kept: The step whose states are stored, in case it is the one at fault.
  ///   - next: Returns the next move for the current state, or `nil` to end the run.
  ///   - prepare: Called with the store before the first move. Returns a function to call with the
  ///     last state at the end.
  func play(
    keeping kept: Int? = nil, prepare: ((Store<R>, ModelRun) -> ((R.State) -> Void)?)? = nil,
    _ next: (R.State) -> Move?
  ) -> Result {
    let run = ModelRun(seed: seed, interleaves: model.interleaves)
    let found = Found(model.initialState, keeping: kept)
    let model = model
    let store = Store(
      initialState: model.initialState, reducer: model.reducer,
      dependencies: model.dependencies(run), startsSubscriptions: false, executor: run.executor,
      onIssue: { issue in
        if !model.allowsIssues { found.take(issue) }
      })
    store.observe { step, state in found.take(step, copy state, model.invariants) }
    let finish = prepare?(store, run)
    var result = Result()
    if let broken = model.invariants.first(where: { !$0.holdsAtFirst(model.initialState) }) {
      found.object(broken.name, "")
    }
    // Only now, since the actions of initial subscriptions are steps to check and to record.
    store.startSubscriptions()
    while !found.isOver, let move = next(store.state) {
      result.moves.append(move)
      switch move {
      case .send(let action): store.send(action)
      case .advance(let duration): run.clock.advance(by: duration)
      }
      run.executor.run()
    }
    result.steps = store.stepCount
    result.violation = found.violation
    finish?(store.state)
    store.cancelEffects()
    run.executor.run()
    return result
  }

  /// Plays the given moves.
  func play(
    _ moves: [Move], keeping kept: Int? = nil,
    prepare: ((Store<R>, ModelRun) -> ((R.State) -> Void)?)? = nil
  ) -> Result {
    var rest = moves[...]
    return play(keeping: kept, prepare: prepare) { _ in rest.popFirst() }
  }

  /// The violation found so far. Only the first one is kept.
  private final class Found: Sendable {
    private struct Change {
      var before: R.State
      var after: R.State
      var step: Step<R.Action>?
    }

    private struct Content {
      var last: Change
      /// The change of the step to keep, once it has been reduced.
      var kept: Change?
      var violation: Violation?
      /// An issue of a step that the observer has not yet received, since issues arrive first.
      var early: StoreIssue?

      /// Records an issue. Its step is the one that returned the effect, which may be much earlier.
      mutating func note(_ issue: StoreIssue, keeping number: Int?) {
        let change = issue.step == number ? kept ?? last : last
        violation = Violation(
          invariant: ModelPlayer.noIssues, detail: issue.description, before: change.before,
          after: change.after, step: change.step, issue: issue,
          isLate: (change.step?.number ?? 0) > issue.step)
      }
    }

    private let kept: Int?
    private let content: Mutex<Content>

    init(_ state: R.State, keeping kept: Int?) {
      self.kept = kept
      let first = Change(before: state, after: state)
      content = Mutex(Content(last: first, kept: kept == 0 ? first : nil))
    }

    /// Whether a violation was found. Read between moves, when observers have received all steps.
    var isOver: Bool { violation != nil }

    var violation: Violation? {
      content.withLock { content in
        if let issue = content.early.take() { content.note(issue, keeping: kept) }
        return content.violation
      }
    }

    func take(_ step: Step<R.Action>, _ state: R.State, _ all: [Invariant<R.State, R.Action>]) {
      let before = content.withLock { content -> R.State? in
        if content.violation != nil { return nil }
        content.last = Change(before: content.last.after, after: state, step: step)
        if step.number == kept { content.kept = content.last }
        if let issue = content.early, issue.step <= step.number {
          content.early = nil
          content.note(issue, keeping: kept)
          return nil
        }
        return content.last.before
      }
      guard let before else { return }
      // Outside the lock, since the closures are user code.
      for invariant in all {
        if let detail = invariant.objection(before, step.action, state, step.number) {
          return object(invariant.name, detail)
        }
      }
    }

    func take(_ issue: StoreIssue) {
      content.withLock { content in
        guard content.violation == nil, content.early == nil else { return }
        if issue.step > content.last.step?.number ?? 0 {
          content.early = issue
        } else {
          content.note(issue, keeping: kept)
        }
      }
    }

    func object(_ invariant: String, _ detail: String) {
      content.withLock { content in
        guard content.violation == nil else { return }
        let change = content.last
        content.violation = Violation(
          invariant: invariant, detail: detail, before: change.before, after: change.after,
          step: change.step)
      }
    }
  }
}
