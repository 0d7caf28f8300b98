import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardSystem
import Testing

/// A log has dates in microseconds, and no -0. A value that it cannot have exactly was reduced as
/// it is, and a replay reduces another one.
struct RoundedValueTests {
  struct Watch: Reducer {
    struct State: Codable, Sendable, Equatable {
      var started: Date?
      var elapsed = 0.0
      var laps: [Lap] = []
      var inverse = 0.0
    }

    struct Lap: Codable, Sendable, Equatable {
      var at: Date
    }

    enum Action: Codable, Sendable, Equatable {
      case start(Date)
      case stop(Date)
      case laps([Lap])
      case invert(Double)
      case note(JSON)
    }

    func reduce(_ state: inout State, _ action: Action, _: Void) -> [Effect<Action>] {
      switch action {
      case .start(let date): state.started = date
      case .stop(let date):
        state.elapsed = state.started.map { date.timeIntervalSince($0) } ?? 0
      case .laps(let laps): state.laps = laps
      case .invert(let number): state.inverse = 1 / number
      case .note: break
      }
      return []
    }
  }

  private static func date(_ seconds: Double) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 + seconds)
  }

  private struct Recorded {
    var bytes: [UInt8]
    var warnings: [StoreIssue]
    var failure: RecordingFailure?

    var issues: [LogIssue] {
      read(bytes).lines.compactMap { if case .issue(let issue) = $0 { issue } else { nil } }
    }

    /// Whether a replay agrees with the recording.
    func verifies() throws -> Bool {
      do {
        _ = try Replayer(
          reducer: Watch(), dependencies: (), journal: DrawJournal(), schema: Session.schema
        ).replay(RotatedLog(LogFile(bytes: bytes)))
        return true
      } catch ReplayError.diverged {
        return false
      }
    }
  }

  private static func record(
    _ actions: [Watch.Action], state: Watch.State = .init(),
    options: RecordingOptions = .init()
  ) throws -> Recorded {
    let (sink, warnings) = (MemorySink(), Box<[StoreIssue]>([]))
    let recorder = try Recorder<Watch.State, Watch.Action>(
      sink: sink, info: Session.info, state: state, options: options, journal: nil,
      clock: { 0 }, onWarning: { issue in warnings.value.withLock { $0.append(issue) } })
    let store = Store(initialState: state, reducer: Watch())
    store.setHooks { _, _ in recorder.hooks }
    for action in actions { store.send(action) }
    recorder.stop()
    return Recorded(bytes: sink.bytes, warnings: warnings.now, failure: recorder.failure)
  }

  @Test("a date of more than microseconds is an issue of its step, with its path")
  func date() throws {
    let recorded = try Self.record([
      .start(Self.date(0.125)), .stop(Self.date(3.765_432_1)), .stop(Self.date(4.765_432_1)),
    ])
    #expect(recorded.failure == nil)
    #expect(recorded.warnings.map(\.step) == [2])
    #expect(recorded.issues.map(\.n) == [2])
    let message = try #require(recorded.issues.first?.message)
    #expect(message == recorded.warnings.first?.message)
    #expect(message.hasPrefix("the action's stop._0"))
    #expect(message.contains("roundedToMicroseconds()"))
    // This is why it is an issue.
    #expect(try !recorded.verifies())
  }

  @Test("dates that were rounded replay exactly") func rounded() throws {
    let recorded = try Self.record([
      .start(Self.date(0.123_456_7).roundedToMicroseconds()),
      .stop(Self.date(3.765_432_1).roundedToMicroseconds()),
    ])
    #expect(recorded.warnings == [])
    #expect(recorded.issues == [])
    #expect(try recorded.verifies())
  }

  @Test("the path leads through arrays") func path() throws {
    let laps = [Self.date(1), Self.date(0.000_000_3)].map { Watch.Lap(at: $0) }
    let recorded = try Self.record([.laps(laps)])
    #expect(recorded.issues.first?.message.hasPrefix("the action's laps._0[1].at") == true)
  }

  @Test("-0 is an issue too, except as the text of a JSON value") func negativeZero() throws {
    let quiet = try Self.record([.invert(0), .invert(-1), .note(.number("-0")), .note(-0.0)])
    #expect(quiet.issues == [])
    let recorded = try Self.record([.invert(-0.0)])
    #expect(recorded.issues.first?.message.hasPrefix("the action's invert._0 is -0") == true)
    #expect(try !recorded.verifies())
  }

  @Test("a URL with a base is an issue, since it is read back without it") func relativeURL() throws
  {
    struct Visiting: Reducer {
      func reduce(_ state: inout URL?, _ action: [URL], _: Void) -> [Effect<[URL]>] {
        state = action.last?.baseURL
        return []
      }
    }
    let base = try #require(URL(string: "http://h/a/"))
    let whole = try #require(URL(string: "http://h/b"))
    let relative = try #require(URL(string: "b", relativeTo: base))
    for (url, messages) in [
      (whole, []), (relative.absoluteURL, []),
      (
        relative,
        [
          "the action's [1] is a URL with a base, which the log has without it, so that a replay "
            + "may differ; use absoluteURL before a URL enters an action"
        ]
      ),
    ] as [(URL, [String])] {
      let sink = MemorySink()
      let recorder = try Recorder<URL?, [URL]>(
        sink: sink, info: Session.info, state: nil, journal: nil, clock: { 0 })
      let store = Store(initialState: nil, reducer: Visiting())
      store.setHooks { _, _ in recorder.hooks }
      store.send([whole, url])
      recorder.stop()
      #expect(Recorded(bytes: sink.bytes, warnings: []).issues.map(\.message) == messages)
    }
  }

  @Test("the state that a recording begins with is checked before the first step")
  func initialState() throws {
    let state = Watch.State(started: Self.date(0.123_456_7))
    let recorded = try Self.record([.stop(Self.date(3))], state: state)
    #expect(recorded.issues.map(\.n) == [0])
    #expect(recorded.issues.first?.message.hasPrefix("the state's started") == true)
    #expect(try !recorded.verifies())
  }

  @Test("a computed date is an issue only where the log has the whole state")
  func computed() throws {
    struct Halving: Reducer {
      func reduce(_ state: inout Date, _ action: Int, _: Void) -> [Effect<Int>] {
        state = Date(timeIntervalSince1970: state.timeIntervalSince1970 + 1 / Double(action))
        return []
      }
    }
    for (options, steps) in [
      (RecordingOptions(), [Int]()), (RecordingOptions(snapshotEvery: 2), [2]),
    ] {
      let sink = MemorySink()
      let state = Date(timeIntervalSince1970: 0)
      let recorder = try Recorder<Date, Int>(
        sink: sink, info: Session.info, state: state, options: options, journal: nil,
        clock: { 0 })
      let store = Store(initialState: state, reducer: Halving())
      store.setHooks { _, _ in recorder.hooks }
      for action in [3, 7, 11] { store.send(action) }
      recorder.stop()
      let recorded = Recorded(bytes: sink.bytes, warnings: [])
      #expect(recorded.issues.map(\.n) == steps)
      let summary = try Replayer(
        reducer: Halving(), dependencies: (), journal: DrawJournal(), schema: Session.schema
      ).replay(RotatedLog(LogFile(bytes: sink.bytes)))
      #expect(summary.steps == 3)
    }
  }

  @Test("a state with Date.distantPast is recorded and replays") func distantPast() throws {
    let recorded = try Self.record(
      [.start(.distantPast), .stop(.distantFuture)], state: Watch.State(started: .distantPast))
    #expect(recorded.issues == [])
    #expect(try recorded.verifies())
  }
}
