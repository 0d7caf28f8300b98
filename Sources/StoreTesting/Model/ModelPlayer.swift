import SwiftBoardStore
import Synchronization

/// Plays moves on a real store and checks invariants after every step.
struct ModelPlayer<R: Reducer> {
  typealias Move = ModelMove<R.Action>

  /// A step after which something does not hold; without a step, the first state.
  struct Violation: Sendable {
    let invariant: String
    let detail: String
    let before: R.State
    let after: R.State
    let step: Step<R.Action>?
  }

  struct Result {
    var moves: [Move] = []
    var steps = 0
    var violation: Violation?
  }

  static var noIssues: String { "the store reports no issue" }

  let model: ModelTest<R>
  let seed: UInt64

  /// - Parameters:
  ///   - next: Gives the next move, of the present state; `nil` ends the run.
  ///   - prepare: Gets the store before the first move; gives what is to be done at the end, with the last state.
  func play(
    prepare: ((Store<R>, ModelRun) -> ((R.State) -> Void)?)? = nil, _ next: (R.State) -> Move?
  ) -> Result {
    let run = ModelRun(seed: seed, interleaves: model.interleaves)
    let found = Found(model.initialState)
    let model = model
    let store = Store(
      initialState: model.initialState, reducer: model.reducer,
      dependencies: model.dependencies(run), executor: run.executor,
      onIssue: { issue in
        if !model.allowsIssues { found.object(Self.noIssues, issue.description) }
      })
    store.observe { step, state in found.take(step, copy state, model.invariants) }
    let finish = prepare?(store, run)
    var result = Result()
    if let broken = model.invariants.first(where: { !$0.holdsAtFirst(model.initialState) }) {
      found.object(broken.name, "")
    }
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

  /// Plays these moves.
  func play(_ moves: [Move], prepare: ((Store<R>, ModelRun) -> ((R.State) -> Void)?)? = nil)
    -> Result
  {
    var rest = moves[...]
    return play(prepare: prepare) { _ in rest.popFirst() }
  }

  /// What was found wrong so far; only the first counts.
  private final class Found: Sendable {
    private struct Content {
      var before: R.State
      var after: R.State
      var step: Step<R.Action>?
      var violation: Violation?
    }

    private let content: Mutex<Content>

    init(_ state: R.State) {
      content = Mutex(Content(before: state, after: state))
    }

    var isOver: Bool { content.withLock { $0.violation != nil } }
    var violation: Violation? { content.withLock { $0.violation } }

    func take(_ step: Step<R.Action>, _ state: R.State, _ all: [Invariant<R.State, R.Action>]) {
      let before = content.withLock { content -> R.State? in
        if content.violation != nil { return nil }
        content.before = content.after
        content.after = state
        content.step = step
        return content.before
      }
      guard let before else { return }
      // Outside the lock: these closures are the user's.
      for invariant in all {
        if let detail = invariant.objection(before, step.action, state, step.number) {
          return object(invariant.name, detail)
        }
      }
    }

    func object(_ invariant: String, _ detail: String) {
      content.withLock { content in
        guard content.violation == nil else { return }
        content.violation = Violation(
          invariant: invariant, detail: detail, before: content.before, after: content.after,
          step: content.step)
      }
    }
  }
}
