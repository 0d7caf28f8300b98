import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import Testing

/// A log of another day: nothing of it is compared with the day on which it is replayed.
struct OtherDaysTests {
  static let days = [
    "0000-01-01T00:00:00.000000Z", "0001-01-01T00:00:00.000000Z", "1969-12-31T23:59:59.999999Z",
    "1970-01-01T00:00:00.000000Z",
    "1999-12-31T23:59:59.999999Z", "2000-02-29T00:00:00.000001Z", "2038-01-19T03:14:07.999999Z",
    "2038-01-19T03:14:08.000000Z", "2106-02-07T06:28:16.000000Z", "9999-12-31T23:59:59.999999Z",
  ]

  struct Dated: Sendable {
    let journal: DrawJournal
    let today: String
  }

  private struct Calendar: Reducer {
    func reduce(
      _ state: inout CounterState, _ action: CounterAction, _ world: Dated
    ) -> [Effect<CounterAction>] {
      switch action {
      case .stamp:
        state.since =
          world.journal.draw(.date) { LoggedDraw(kind: .date, value: world.today) }.value
      case .add(let number): state.count += number
      default: break
      }
      return []
    }
  }

  private static func replayer(today: String) -> Replayer<Calendar> {
    let journal = DrawJournal()
    return Replayer(
      reducer: Calendar(), dependencies: Dated(journal: journal, today: today), journal: journal,
      schema: Session.schema)
  }

  @Test("a log of any day replays on any other", arguments: days)
  func aLogOfAnyDayReplaysOnAnyOther(day: String) throws {
    let microseconds = try #require(Timestamp.microseconds(parsing: day))
    let sink = MemorySink()
    let journal = DrawJournal()
    var info = Session.info
    info.created = Int64(microseconds)
    // The monotonic clock has an origin of its own, and may be far on.
    let clock = Box<Int64>(.max / 2)
    let recorder = try Recorder<CounterState, CounterAction>(
      sink: sink, info: info, state: CounterState(), options: .init(snapshotEvery: 3),
      journal: journal,
      clock: {
        clock.value.withLock {
          $0 += 86_400_000_000; return $0
        }
      })
    let store = Store(
      initialState: CounterState(), reducer: Calendar(),
      dependencies: Dated(journal: journal, today: day))
    store.setHooks { _, _ in recorder.hooks }
    for n in 1...8 { store.send(n.isMultiple(of: 2) ? .stamp : .add(n)) }
    recorder.stop()
    #expect(recorder.failure == nil)
    #expect(store.state.since == day)

    let file = LogFile(bytes: sink.bytes)
    #expect(try file.reader().header().created == Int64(microseconds))
    for today in Self.days {
      let summary = try Self.replayer(today: today).replay(RotatedLog(file))
      #expect(summary.steps == 8 && summary.digests == 8 && summary.warnings == [])
      #expect(summary.recordedTime == 8 * 86_400_000_000)
      let navigator = try LogNavigator(file, replayer: Self.replayer(today: today))
      #expect(navigator.divergence == nil)
      for n in (0...8).reversed() {
        #expect(try navigator.state(at: n).since == (n < 2 ? nil : day))
      }
      #expect(navigator.header.created == Int64(microseconds))
    }
  }

  /// Without the journal the date of the replay would be drawn, which is found.
  @Test("a date that is not drawn from the log is a divergence")
  func aDateThatIsNotDrawnFromTheLogIsADivergence() throws {
    struct Impure: Reducer {
      func reduce(
        _ state: inout CounterState, _ action: CounterAction, _ world: Dated
      ) -> [Effect<CounterAction>] {
        state.since = world.today
        return []
      }
    }
    let sink = MemorySink()
    let recorder = try Recorder<CounterState, CounterAction>(
      sink: sink, info: Session.info, state: CounterState(), journal: nil, clock: { 0 })
    let store = Store(
      initialState: CounterState(), reducer: Impure(),
      dependencies: Dated(journal: DrawJournal(), today: Self.days[3]))
    store.setHooks { _, _ in recorder.hooks }
    store.send(.stamp)
    recorder.stop()
    let journal = DrawJournal()
    let replayer = Replayer(
      reducer: Impure(), dependencies: Dated(journal: journal, today: Self.days[4]),
      journal: journal, schema: Session.schema)
    let navigator = try LogNavigator(LogFile(bytes: sink.bytes), replayer: replayer)
    #expect(navigator.divergence?.step == 1)
  }
}
