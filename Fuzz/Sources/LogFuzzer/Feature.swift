import SwiftBoardRecording
import SwiftBoardStore

/// The counter that the tests of recordings record, as far as a replay needs it.
struct CounterState: Codable, Sendable, Equatable {
  var count = 0
  var rolls: [UInt64] = []
  var since: String?
}

enum CounterAction: Codable, Sendable {
  case add(Int)
  case roll(times: Int)
  case stamp
  case stop
}

struct CounterReducer: Reducer {
  func reduce(
    _ state: inout CounterState, _ action: CounterAction, _ journal: DrawJournal
  ) -> [Effect<CounterAction>] {
    switch action {
    case .add(let number): state.count &+= number
    case .roll(let times):
      // A log may ask for more than anybody has time for.
      for _ in 0..<min(max(times, 0), 100) {
        state.rolls.append(UInt64(journal.draw(.random) { .random(0) }.value) ?? 0)
      }
    case .stamp:
      state.since = journal.draw(.date) { LoggedDraw(kind: .date, value: "live") }.value
    case .stop: break
    }
    return []
  }
}

func makeReplayer() -> Replayer<CounterReducer> {
  let journal = DrawJournal()
  return Replayer(
    reducer: CounterReducer(), dependencies: journal, journal: journal,
    schema: LogSchema(
      program: "counter 1.0", feature: "counter", name: "CounterAction", version: 1))
}
