import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardTesting
import Testing

/// A replay that waits between two steps, on a clock that the test advances.
struct ReplayPacerTests {
  private struct Told: Equatable, CustomStringConvertible {
    let step: Int
    let moment: Duration
    var description: String { "\(step) at \(moment)" }

    init(_ step: Int, _ moment: Duration) {
      self.step = step
      self.moment = moment
    }
  }

  private enum End {
    case summary(ReplaySummary)
    case error(any Error)
  }

  /// A replay under way, and what became of it.
  private final class Play: Sendable {
    let clock: TestClock
    private let log = Box<[Told]>([])
    private let result = Box<End?>(nil)
    private let task = Box<Task<Void, Never>?>(nil)

    init(
      _ chain: RotatedLog, _ pace: ReplayPace?, from first: Int = 0, until last: Int? = nil,
      on clock: TestClock = TestClock(), sleepingOn sleeping: (any Clock<Duration>)? = nil,
      nextStep: ReplayPacer.NextStep? = nil,
      onStep: @escaping @Sendable (Int) async throws -> Void = { _ in }
    ) {
      self.clock = clock
      let (log, result, sleeping) = (log, result, sleeping ?? clock)
      let play = Task(executorPreference: clock.executor) {
        let end: End
        do {
          end = .summary(
            try await Self.play(chain, pace, first, last, sleeping, nextStep) { step in
              log.value.withLock { $0.append(Told(step, clock.now.offset)) }
              try await onStep(step)
            })
        } catch {
          end = .error(error)
        }
        result.value.withLock { $0 = end }
      }
      task.value.withLock { $0 = play }
      clock.executor.run()
    }

    private static func play(
      _ chain: RotatedLog, _ pace: ReplayPace?, _ first: Int, _ last: Int?,
      _ clock: some Clock<Duration>, _ nextStep: ReplayPacer.NextStep?,
      _ onStep: (Int) async throws -> Void
    ) async throws -> ReplaySummary {
      var steps: [(number: Int, time: Int64)] = []
      let summary = try Session.replayer().replay(chain, until: last) { step, _, time in
        if step.number >= first { steps.append((step.number, time)) }
      }
      var pacer = ReplayPacer(pace, clock: clock, nextStep: nextStep)
      for step in steps {
        guard try await pacer.wait(until: step.time) else { break }
        try await onStep(step.number)
      }
      return summary
    }

    var told: [Told] { log.now }
    var steps: [Int] { told.map(\.step) }
    var summary: ReplaySummary? {
      if case .summary(let summary)? = result.now { summary } else { nil }
    }
    var error: (any Error)? { if case .error(let error)? = result.now { error } else { nil } }

    func cancel() {
      cancelNow()
      clock.executor.run()
    }

    func cancelNow() { task.now?.cancel() }
  }

  /// Steps that count by 1, recorded at these milliseconds.
  private static func recording(_ milliseconds: [Int64]) throws -> RotatedLog {
    RotatedLog(LogFile(bytes: try bytes(milliseconds)))
  }

  private static func bytes(_ milliseconds: [Int64]) throws -> [UInt8] {
    let sink = MemorySink()
    let time = Box<Int64>(0)
    let recorder = try Recorder<CounterState, CounterAction>(
      sink: sink, info: Session.info, state: CounterState(), journal: nil, clock: { time.now })
    record(milliseconds, time, recorder)
    return sink.bytes
  }

  private static func record(
    _ milliseconds: [Int64], _ time: Box<Int64>,
    _ recorder: Recorder<CounterState, CounterAction>
  ) {
    for (index, moment) in milliseconds.enumerated() {
      time.value.withLock { $0 = moment * 1000 }
      recorder.hooks.willReduce?(index + 1)
      recorder.hooks.didReduce?(
        Step(number: index + 1, origin: .program("test"), action: .add(1), effects: []),
        CounterState(count: index + 1))
    }
    recorder.stop()
  }

  /// Says to go on when it is told to.
  private final class Key: Sendable {
    private let stream: AsyncStream<Bool>
    private let continuation: AsyncStream<Bool>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func press(_ goesOn: Bool = true) { continuation.yield(goesOn) }

    func wait() async throws -> Bool {
      for await goesOn in stream { return goesOn }
      throw CancellationError()
    }
  }

  // MARK: Pace

  @Test("steps come when they are due") func stepsComeWhenTheyAreDue() throws {
    let play = Play(
      try Self.recording([1000, 1500, 4500, 14_500]),
      try ReplayPace(speed: 2, idleLimit: .seconds(3)))
    #expect(play.told == [Told(1, .zero)])
    play.clock.advance(by: .milliseconds(249))
    #expect(play.steps == [1])
    play.clock.advance(by: .milliseconds(1))
    #expect(play.steps == [1, 2])
    #expect(play.clock.run())
    #expect(
      play.told == [
        Told(1, .zero), Told(2, .milliseconds(250)), Told(3, .milliseconds(1750)),
        Told(4, .milliseconds(4750)),
      ])
    #expect(play.summary?.steps == 4)
    #expect(play.summary?.recordedTime == 14_500_000)
    #expect(play.summary?.digests == 4)
  }

  @Test("without a pace the time is not asked for") func withoutAPaceNobodyAsksForTheTime() throws {
    let unused = UnimplementedClock { Issue.record(Comment(rawValue: $0.message)) }
    let play = Play(try Self.recording([1000, 9000, 99_000]), nil, sleepingOn: unused)
    #expect(play.steps == [1, 2, 3])
    #expect(play.summary?.steps == 3)
  }

  @Test("what somebody does at a step delays no other step")
  func busy() throws {
    let clock = TestClock()
    let play = Play(
      try Self.recording([0, 1000, 2000, 2100, 4000]), try ReplayPace(), on: clock,
      onStep: { _ in try await clock.sleep(for: .milliseconds(300)) })
    #expect(play.clock.run())
    // Only steps that arrive while the player is busy are late.
    #expect(
      play.told == [
        Told(1, .zero), Told(2, .seconds(1)), Told(3, .seconds(2)), Told(4, .milliseconds(2300)),
        Told(5, .seconds(4)),
      ])
  }

  /// Wakes each sleeper 10 ms too late.
  private struct LateClock: Clock {
    let base: TestClock
    var now: TestClock.Instant { base.now }
    var minimumResolution: Duration { .milliseconds(10) }
    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
      try await base.sleep(until: deadline.advanced(by: .milliseconds(10)))
    }
  }

  @Test("a clock that wakes late is not later at each step")
  func lateClock() throws {
    let clock = TestClock()
    let play = Play(
      try Self.recording((0..<100).map { $0 * 1000 }), try ReplayPace(speed: 10), on: clock,
      sleepingOn: LateClock(base: clock))
    #expect(clock.run())
    #expect(
      play.told.dropFirst().map(\.moment) == (1..<100).map { .milliseconds($0 * 100 + 10) })
  }

  @Test("who was held up for long goes on at the pace from there")
  func heldUp() throws {
    let clock = TestClock()
    let play = Play(
      try Self.recording([0, 1000, 2000, 3000, 4000]), try ReplayPace(), on: clock,
      onStep: { if $0 == 2 { try await clock.sleep(for: .seconds(60)) } })
    #expect(clock.run())
    #expect(
      play.told.map(\.moment)
        == [.zero, .seconds(1), .seconds(61), .seconds(62), .seconds(63)])
  }

  // MARK: From and until

  @Test("only a part is played and the rest is replayed at once")
  func onlyAPartIsPlayedAndTheRestIsReplayedAtOnce() throws {
    let chain = try Self.recording([1000, 2000, 30_000, 31_000, 33_000, 90_000])
    let play = Play(chain, try ReplayPace(), from: 3, until: 5)
    #expect(play.clock.run())
    #expect(play.told == [Told(3, .zero), Told(4, .seconds(1)), Told(5, .seconds(3))])
    #expect(play.summary?.steps == 5)
    let none = Play(chain, try ReplayPace(), from: 7)
    #expect(none.told == [] && none.summary?.steps == 6)
  }

  // MARK: Stepping

  @Test("each step waits for a word") func eachStepWaitsForAWord() throws {
    let key = Key()
    let play = Play(try Self.recording([0, 5000, 9000]), nil) { try await key.wait() }
    #expect(play.steps == [])
    for count in 1...3 {
      key.press()
      play.clock.executor.run()
      #expect(play.steps == Array(1...count))
    }
    #expect(play.summary?.steps == 3)
  }

  @Test("a word ends the replay before the step") func aWordEndsItBeforeTheStep() throws {
    let key = Key()
    let play = Play(try Self.recording([0, 5000, 9000]), nil, from: 2) { try await key.wait() }
    key.press()
    play.clock.executor.run()
    #expect(play.steps == [2])
    key.press(false)
    play.clock.executor.run()
    #expect(play.steps == [2])
    #expect(play.error == nil)
  }

  @Test("the time that somebody took to say so makes nothing late")
  func wordsAndPace() throws {
    let key = Key()
    let play = Play(try Self.recording([0, 100, 200]), try ReplayPace()) { try await key.wait() }
    let clock = play.clock
    clock.advance(by: .seconds(10))
    key.press()
    clock.executor.run()
    #expect(play.told == [Told(1, .seconds(10))])
    // Asked for only when it is due.
    clock.advance(by: .milliseconds(99))
    #expect(clock.sleepers.count == 1)
    clock.advance(by: .milliseconds(501))
    key.press()
    clock.executor.run()
    #expect(clock.run())
    key.press()
    clock.executor.run()
    #expect(
      play.told == [
        Told(1, .seconds(10)), Told(2, .milliseconds(10_600)), Told(3, .milliseconds(10_700)),
      ])
    #expect(play.summary?.steps == 3)
  }

  @Test("what the word throws is thrown") func whatTheWordThrowsIsThrown() throws {
    struct Gone: Error {}
    let play = Play(try Self.recording([0]), nil) { throw Gone() }
    #expect(play.error is Gone)
    #expect(play.steps == [])
  }

  // MARK: Cancelling

  @Test("a cancelled replay ends in its pause") func aCancelledReplayEndsInItsPause() throws {
    let play = Play(try Self.recording([0, 1000, 60_000, 61_000]), try ReplayPace())
    play.clock.advance(by: .seconds(5))
    #expect(play.steps == [1, 2])
    play.cancel()
    #expect(play.error is CancellationError)
    #expect(play.clock.sleepers == [])
    #expect(play.steps == [1, 2])
  }

  @Test("a cancelled replay ends while it waits for a word")
  func aCancelledReplayEndsWhileItWaitsForAWord() throws {
    let key = Key()
    let play = Play(try Self.recording([0, 1000]), nil) { try await key.wait() }
    key.press()
    play.clock.executor.run()
    play.cancel()
    #expect(play.error is CancellationError)
    #expect(play.steps == [1])
  }

  @Test("a cancelled replay ends between two steps that wait for nothing")
  func aCancelledReplayEndsBetweenTwoStepsThatWaitForNothing() throws {
    let canceller = Box<(@Sendable () -> Void)?>(nil)
    let key = Key()
    let play = Play(
      try Self.recording([0, 0, 0]), nil,
      onStep: { step in
        if step == 1 { _ = try await key.wait() }
        if step == 2 { canceller.now?() }
      })
    canceller.value.withLock { $0 = { play.cancelNow() } }
    key.press()
    play.clock.executor.run()
    #expect(play.error is CancellationError)
    #expect(play.steps == [1, 2])
  }
}
