import SwiftBoardStore

/// A test that searches for sequences of actions that break an invariant, and shrinks them.
///
/// Each seed gives one sequence. Its moves come from generators, which receive the current state,
/// and are played on a store whose effects run on a `ManualExecutor` and sleep on a `TestClock`. A
/// move may also advance time. After every step, including steps of effects, all invariants are
/// checked, and the store must not have reported an issue.
///
/// The first sequence that breaks an invariant is shrunk to a minimal one that breaks the same
/// invariant or causes the same issue. None of its moves can be removed, and if it has at most ten
/// moves, no part of it is sufficient. When moves are removed, the generators of later moves run
/// again, so that they could have generated every sequence.
///
/// ```swift
/// let model = ModelTest(
///   initialState: Account.State(), reducer: Account(),
///   moves: [
///     .send { _, random in .deposit(Int.random(in: 1...9, using: &random)) },
///     .send { state, random in .withdraw(Int.random(in: 1...9, using: &random)) },
///     .advance(by: .seconds(1)),
///   ],
///   invariants: [Invariant("the balance is never negative") { $0.balance >= 0 }]
/// ) { run in AccountWorld(clock: run.clock) }
///
/// model.check(seeds: 1...1000, length: 100, report: report)
/// ```
/// Equal seeds give equal sequences on every machine, if the reducer and its dependencies are
/// deterministic and effects wait only for the run's clock and executor.
public struct ModelTest<R: Reducer>: Sendable {
  /// The reducer's state.
  public typealias State = R.State
  /// The reducer's action.
  public typealias Action = R.Action

  let initialState: State
  let reducer: R
  let moves: [MoveGenerator<State, Action>]
  let invariants: [Invariant<State, Action>]
  let interleaves: Bool
  let allowsIssues: Bool
  let shrink: @Sendable (Action) -> [Action]
  let dependencies: @Sendable (ModelRun) -> R.Dependencies

  /// Creates a model of the moves and invariants of a store. Nothing runs before `check`.
  ///
  /// - Parameters:
  ///   - moves: The generators of moves. One is chosen by weight. If it returns no move, another
  ///     one is chosen.
  ///   - invariants: The conditions after every step, checked in this order.
  ///   - interleaves: Whether the seed also determines the order of ready tasks. Otherwise they run
  ///     in the order in which they became ready.
  ///   - allowsIssues: Whether the store may report issues.
  ///   - shrink: Returns simpler replacements for an action of a counterexample, the simplest
  ///     first: `.add(9)` → `[.add(1)]`. Durations are not changed.
  ///   - dependencies: Creates the dependencies of a run, on the run's clock and without state of
  ///     earlier runs.
  public init(
    initialState: State, reducer: R, moves: [MoveGenerator<State, Action>],
    invariants: [Invariant<State, Action>], interleaves: Bool = false, allowsIssues: Bool = false,
    shrink: @escaping @Sendable (_ action: Action) -> [Action] = { _ in [] },
    dependencies: @escaping @Sendable (_ run: ModelRun) -> R.Dependencies
  ) {
    self.initialState = initialState
    self.reducer = reducer
    self.moves = moves
    self.invariants = invariants
    self.interleaves = interleaves
    self.allowsIssues = allowsIssues
    self.shrink = shrink
    self.dependencies = dependencies
  }

  /// Plays one sequence for each seed, and reports the first one that breaks an invariant, after
  /// shrinking.
  ///
  /// - Parameters:
  ///   - seeds: The seeds of the sequences. The environment variable `SWIFTBOARD_SEED` replaces
  ///     them by a single one.
  ///   - length: The maximum number of moves of a sequence.
  ///   - shrinkLimit: The maximum number of runs for shrinking.
  ///   - report: Receives the counterexample.
  /// - Complexity: O(seeds × length) steps. Shrinking adds about O(minimal length × log length)
  ///   runs, at most `shrinkLimit`.
  @discardableResult
  public func check(
    seeds: ClosedRange<UInt64> = 1...100, length: Int = 100, shrinkLimit: Int = 10_000,
    report: TestReporter, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: Int = #line, column: Int = #column
  ) -> ModelCheck<State, Action> {
    check(
      seeds, length, shrinkLimit, report,
      TestLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    ) { _, _ in nil }
  }

  /// Checks the model, and records a minimal sequence if a seed fails.
  ///
  /// - Parameter record: Records a minimal sequence. Returns the location of the recording, or the
  ///   reason that there is none.
  func check(
    _ seeds: ClosedRange<UInt64>, _ length: Int, _ shrinkLimit: Int, _ report: TestReporter,
    _ location: TestLocation, record: (_ seed: UInt64, [ModelMove<Action>]) -> String?
  ) -> ModelCheck<State, Action> {
    let chosen = Seeds(seeds, environment: environment(seedVariable)) { text in
      report(TestFailure(kind: .expectation, message: text, location: location))
    }
    var result = ModelCheck<State, Action>()
    var moveCount = 0
    for seed in chosen.toRun {
      let player = ModelPlayer(model: self, seed: seed)
      var random = SeededRandom(seed: seed)
      var drawn: [DrawnMove<Action>] = []
      let run = player.play { state in
        guard drawn.count < length, let next = draw(state, &random) else { return nil }
        drawn.append(next)
        return next.move
      }
      result.sequences += 1
      result.steps += run.steps
      moveCount += run.moves.count
      guard let violation = run.violation else { continue }
      let counterexample = minimal(drawn, violation, player, shrinkLimit, record)
      result.counterexample = counterexample
      report(
        TestFailure(
          kind: .invariantBroken, message: counterexample.description, location: location))
      break
    }
    if moveCount == 0, result.counterexample == nil {
      report(
        TestFailure(
          kind: .expectation,
          message:
            "The model made no move in \(count(result.sequences, "sequence")), so nothing was tested: "
            + "its generators gave none, their weights are 0, or the length is.",
          location: location))
    }
    return result
  }

  /// Chooses a move by weight, or returns `nil` if no generator has one now.
  private func draw(_ state: State, _ random: inout SeededRandom) -> DrawnMove<Action>? {
    var candidates = Array(moves.indices)
    while !candidates.isEmpty {
      let total = candidates.reduce(0) { $0 + moves[$1].weight }
      guard total > 0 else { return nil }
      var position = Int.random(in: 0..<total, using: &random)
      var index = 0
      while position >= moves[candidates[index]].weight {
        position -= moves[candidates[index]].weight
        index += 1
      }
      let generator = candidates[index]
      let before = random
      if let move = moves[generator].make(state, &random) {
        return DrawnMove(move: move, generator: generator, random: before)
      }
      candidates.remove(at: index)
    }
    return nil
  }

  /// Generates a move again in this state with the same random numbers, or returns `nil` if the
  /// generator has none. A move that shrinking has simplified is not changed.
  private func redraw(_ drawn: DrawnMove<Action>, _ state: State) -> DrawnMove<Action>? {
    var random = drawn.random
    guard let move = moves[drawn.generator].make(state, &random) else { return nil }
    var again = drawn
    if !drawn.isSimplified { again.move = move }
    return again
  }

  private func minimal(
    _ moves: [DrawnMove<Action>], _ violation: ModelPlayer<R>.Violation, _ player: ModelPlayer<R>,
    _ budget: Int, _ record: (UInt64, [ModelMove<Action>]) -> String?
  ) -> Counterexample<State, Action> {
    var last = violation
    var shrinker = Shrinker<DrawnMove<Action>>(
      budget: budget,
      smaller: { drawn in
        guard case .send(let action) = drawn.move else { return [] }
        return shrink(action).map { drawn.simplified(.send($0)) }
      },
      attempt: { candidate in
        var rest = candidate[...]
        var played: [DrawnMove<Action>] = []
        let run = player.play { state in
          // A removed move may have led to the state that a later move requires.
          while let drawn = rest.popFirst() {
            guard let next = redraw(drawn, state) else { continue }
            played.append(next)
            return next.move
          }
          return nil
        }
        guard let found = run.violation, found.isSame(as: violation) else { return nil }
        last = found
        return played
      })
    let shortest = shrinker.shrink(moves).map(\.move)
    if last.isLate, let issue = last.issue,
      let found = player.play(shortest, keeping: issue.step).violation, found.isSame(as: violation)
    {
      last = found
    }
    return Counterexample(
      seed: player.seed, invariant: violation.invariant, detail: last.detail, moves: shortest,
      foundIn: moves.count, isMinimal: shrinker.budget > 0, step: last.step, before: last.before,
      after: last.after, recording: record(player.seed, shortest))
  }
}

/// A move, with the data for generating it again.
private struct DrawnMove<Action: Sendable> {
  var move: ModelMove<Action>
  /// The index of its generator.
  let generator: Int
  /// The random source that it was generated from.
  let random: SeededRandom
  /// Whether shrinking has replaced the generated move by it.
  private(set) var isSimplified = false

  func simplified(_ move: ModelMove<Action>) -> DrawnMove {
    var simpler = self
    simpler.move = move
    simpler.isSimplified = true
    return simpler
  }
}
