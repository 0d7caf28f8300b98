import SwiftBoardStore

/// Finds sequences of actions that break an invariant, and makes them short.
///
/// Each seed is one sequence: moves are drawn from generators, which see the present state, and
/// played on a real store, whose effects run on a `ManualExecutor` and sleep on a `TestClock`;
/// letting time pass is one of the moves. After every step, including steps of effects, every
/// invariant is checked, and the store must not have reported an issue. The first sequence that
/// breaks one is shrunk to a minimal one that breaks the same invariant, or makes the same issue:
/// no move of it can be left out, and up to ten moves no part of it is enough. When moves are left
/// out, the generators of later moves run again, so that every sequence is one that they can make.
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
/// Equal seeds give equal sequences, on every machine, as long as the reducer and its dependencies
/// leave nothing to chance and effects wait for nothing but the run's clock and executor.
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

  /// A model of what may happen to a store, and of what has to hold. Nothing is run before `check`.
  ///
  /// - Parameters:
  ///   - moves: Where moves come from. One is drawn by weight; where it has none to give, another
  ///     is asked.
  ///   - invariants: What has to hold after every step, asked in this order.
  ///   - interleaves: Whether the seed decides the order of ready tasks as well. Otherwise they run
  ///     as they became ready.
  ///   - allowsIssues: Whether the store may report issues.
  ///   - shrink: What to try in an action's place to make a counterexample simpler, the simplest
  ///     first: `.add(9)` → `[.add(1)]`. Durations stay as they are.
  ///   - dependencies: Makes the dependencies of a run anew: on the run's clock, with nothing left
  ///     from the run before.
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

  /// Plays one sequence a seed, and reports the first that breaks an invariant, shrunk.
  ///
  /// - Parameters:
  ///   - seeds: One sequence each. The environment variable `SWIFTBOARD_SEED` puts a single one in
  ///     their position.
  ///   - length: The most moves of a sequence.
  ///   - shrinkLimit: The most runs to spend on shrinking.
  ///   - report: Receives the counterexample.
  /// - Complexity: O(seeds × length) steps; shrinking adds about O(minimal length × log length)
  ///   runs, `shrinkLimit` at most.
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

  /// - Parameter record: Records a minimal sequence; says where that is, or why not.
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

  /// A move that makes sense now, by weight; `nil` if none does.
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

  /// The move as its generator makes it in this state, of the same chance; `nil` if it makes none.
  /// One that shrinking has made simpler stays what it is.
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
          // What was left out may have made the state in which a move after it makes sense.
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

/// A move, and what it takes to ask its generator for it again.
private struct DrawnMove<Action: Sendable> {
  var move: ModelMove<Action>
  /// Its position among the generators.
  let generator: Int
  /// The chance that it was made of.
  let random: SeededRandom
  /// Shrinking has put it in place of the one that was drawn.
  private(set) var isSimplified = false

  init(move: ModelMove<Action>, generator: Int, random: SeededRandom) {
    self.move = move
    self.generator = generator
    self.random = random
  }

  func simplified(_ move: ModelMove<Action>) -> DrawnMove {
    var simpler = self
    simpler.move = move
    simpler.isSimplified = true
    return simpler
  }
}
