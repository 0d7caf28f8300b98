import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import Testing

struct ReplayTests {
  private func divergence(
    _ bytes: [UInt8], _ replayer: Replayer<CounterReducer> = Session.replayer()
  ) throws -> Divergence? {
    do {
      _ = try replayer.replay(RotatedLog(LogFile(bytes: bytes)))
      return nil
    } catch {
      guard case .diverged(let divergence) = error else { throw error }
      #expect(error.kind == "diverged")
      return divergence
    }
  }

  @Test("a replay passes through the same states") func aReplayPassesThroughTheSameStates() throws {
    var seen: [(Int, CounterState, Int64)] = []
    let bytes = try Session.example()
    let summary = try Session.replayer().replay(RotatedLog(LogFile(bytes: bytes))) {
      seen.append(($0.number, $1, $2))
    }
    #expect(seen.map(\.0) == [1, 2, 3, 4, 5, 6, 7])
    #expect(seen.map(\.1.count) == [2, 2, 2, 1, 8, 8, 8])
    #expect(seen.last?.1.rolls == [100, 101, 102])
    #expect(seen.last?.1.since == "2026-11-20T22:45:01.250331Z")
    #expect(seen.last?.2 == summary.recordedTime)
    #expect(summary.steps == 7)
    #expect(summary.digests == 7)
    #expect(summary.grade == .fine)
    #expect(summary.warnings == [])
  }

  @Test("a replay can stop early") func aReplayCanStopEarly() throws {
    let bytes = try Session.example()
    let summary = try Session.replayer().replay(RotatedLog(LogFile(bytes: bytes)), until: 3)
    #expect(summary.steps == 3)
  }

  @Test("an impure reducer is caught with the changed path")
  func anImpureReducerIsCaughtWithTheChangedPath() throws {
    let sink = MemorySink()
    let session = try Session(sink)
    session.send(.stamp)
    session.send(.add(1))
    let found = try #require(
      try divergence(sink.bytes, Session.replayer(ambient: CounterAmbient.ticking())))
    #expect(found.step == 2)
    #expect(found.line == 3)
    guard case .digest(_, _, let changes, let since)? = found.differences.first else {
      Issue.record("no digest")
      return
    }
    #expect(since == 1)
    #expect(changes == [StateDiff.Change(path: "count", old: 0, new: 2)])
    #expect(found.description.contains("count: 0 -> 2"))
  }

  @Test("a snapshot tells what the recorded state was") func aSnapshotTellsWhatTheRecordedStateWas()
    throws
  {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(snapshotEvery: 1))
    session.send(.add(5))
    let found = try #require(try divergence(sink.bytes, Session.replayer(ambient: { 1 })))
    guard case .digest(_, _, let changes, nil)? = found.differences.first else {
      Issue.record("not against the snapshot")
      return
    }
    #expect(changes == [StateDiff.Change(path: "count", old: 5, new: 6)])
  }

  @Test("steps without digest are checked by the next one")
  func stepsWithoutDigestAreCheckedByTheNextOne() throws {
    let sink = MemorySink()
    let session = try Session(sink, options: RecordingOptions(digestEvery: 3))
    for _ in 0..<4 { session.send(.add(1)) }
    session.recorder.stop(state: session.state)
    #expect(try divergence(sink.bytes) == nil)
    let found = try #require(try divergence(sink.bytes, Session.replayer(ambient: { 1 })))
    #expect(found.step == 3)
  }

  @Test("other draws are caught") func otherDrawsAreCaught() throws {
    let sink = MemorySink()
    let session = try Session(sink)
    session.send(.roll(times: 2))
    var lines = read(sink.bytes).lines
    guard case .step(var step) = lines[1] else { return }
    step.draws = [.random(100)]
    lines[1] = .step(step)
    let short = try #require(try divergence(LogLine.encode(lines)))
    #expect(short.differences.first == .draws(.exhausted(index: 1, asked: .random)))

    step.draws = [.random(100), .clock(microseconds: 1)]
    lines[1] = .step(step)
    let kind = try #require(try divergence(LogLine.encode(lines)))
    #expect(
      kind.differences.first
        == .draws(.kind(index: 1, asked: .random, logged: .clock(microseconds: 1))))

    step.draws = [.random(100), .random(101), .random(102)]
    lines[1] = .step(step)
    let long = try #require(try divergence(LogLine.encode(lines)))
    #expect(long.differences == [.draws(.unused(drawn: 2, logged: 3))])
  }

  @Test("other effects are caught") func otherEffectsAreCaught() throws {
    let sink = MemorySink()
    let session = try Session(sink)
    session.send(.add(1), effects: [EffectDescriptor(kind: .task, name: "save")])
    let found = try #require(try divergence(sink.bytes))
    #expect(
      found.differences == [
        .effects(expected: [LogEffect(name: "save", kind: "task")], found: [])
      ])
    #expect(found.description.contains("expected task save, found none"))
  }

  @Test("a log that was cut short replays as far as it goes")
  func aLogThatWasCutShortReplaysAsFarAsItGoes() throws {
    let log = try Session.example()
    let summary = try Session.replayer().replay(
      RotatedLog(LogFile(bytes: Array(log.dropLast(400)))))
    #expect(summary.steps > 0)
    #expect(summary.warnings.contains(.cutShort(afterStep: summary.steps)))
  }

  @Test("damage runs nothing") func damageRunsNothing() throws {
    var log = try Session.example()
    log[log.count - 10] ^= 1
    var steps = 0
    do {
      _ = try Session.replayer().replay(RotatedLog(LogFile(bytes: log))) { _, _, _ in
        steps += 1
      }
      Issue.record("damage was not found")
    } catch {
      #expect(error.kind == "damage")
    }
    #expect(steps == 0)
  }

  @Test("files are verified") func filesAreVerified() throws {
    try withFolder { folder in
      let path = folder + "/a.actions.jsonl"
      try write(try Session.example(), to: path)
      #expect(try Session.replayer().verify(path: path).steps == 7)
      do throws(ReplayError) {
        _ = try Session.replayer().verify(path: folder + "/none")
        Issue.record("it was found")
      } catch {
        #expect(error.kind == "missing")
      }
    }
  }
}

enum CounterAmbient {
  /// 1, 2, 3 ...: what an impure reducer might read.
  static func ticking() -> @Sendable () -> Int {
    let next = CounterWorld.counting()
    return { Int(next()) }
  }
}
