import SwiftBoardJSON
import SwiftBoardStore
import Testing

@testable import SwiftBoardRecording

struct ForkTests {
  private func forked(
    _ bytes: [UInt8], at n: Int, provenance: Bool,
    _ body: (String, LogContinuation, CounterState) throws -> Void
  ) throws {
    try withFolder { folder in
      try write(bytes, to: folder + "/old")
      let navigator = try LogNavigator(LogFile(path: folder + "/old"), replayer: Session.replayer())
      let (continuation, state) = try navigator.fork(
        at: n, to: folder + "/new", provenance: provenance)
      try body(folder + "/new", continuation, state)
    }
  }

  /// What a live store would do behind the fork.
  private func goOn(
    _ path: String, _ continuation: LogContinuation, _ state: CounterState,
    options: RecordingOptions = .init(), steps: Int = 3
  ) throws -> CounterState {
    let journal = DrawJournal()
    let world = CounterWorld(journal, next: CounterWorld.counting(from: 900))
    let store = Store(initialState: state, reducer: CounterReducer(), dependencies: world)
    let time = Box<Int64>(77)
    let recorder = try Recorder<CounterState, CounterAction>(
      continuing: continuation, path: path, state: state, options: options, journal: journal,
      clock: {
        time.value.withLock {
          $0 += 10; return $0
        }
      })
    store.setHooks { _, _ in recorder.hooks }
    for n in 0..<steps {
      store.send(n == 1 ? .roll(times: 1) : .add(1000), origin: .program("fork"))
    }
    recorder.stop(state: store.state)
    #expect(recorder.failure == nil)
    return store.state
  }

  @Test("the first steps are those of the old log and others follow", arguments: 0...7)
  func theFirstStepsAreThoseOfTheOldLogAndOthersFollow(n: Int) throws {
    let old = try Session.example()
    let bodies = split(old).map { $0.dropLast(HashChain.tailLength + 1) }
    try forked(old, at: n, provenance: true) { path, continuation, state in
      let copied = split(try contents(of: path)).map { $0.dropLast(HashChain.tailLength + 1) }
      #expect(copied[0].starts(with: bodies[0]))
      #expect(
        copied.dropFirst().elementsEqual(bodies[1..<copied.count], by: { Array($0) == Array($1) }))
      let steps = read(try contents(of: path)).lines.compactMap(\.step)
      #expect(steps.map(\.n) == Array(1...(n + 1)).dropLast())
      #expect(continuation.step == n)
      guard case .header(let header)? = read(try contents(of: path)).lines.first else { return }
      let sum = header.extra.first { $0.key == "forked" }?.value
      #expect(sum?["file"] == "old")
      #expect(sum?["step"]?.intValue == n)

      let end = try goOn(path, continuation, state)
      var last: CounterState?
      let summary = try Session.replayer().replay(
        RotatedLog(LogFile(path: path)),
        onStep: {
          last = $1; _ = ($0, $2)
        })
      #expect(summary.steps == n + 3)
      #expect(summary.warnings == [])
      #expect(last == end)
      let all = read(try contents(of: path)).lines.compactMap(\.step)
      #expect(all.last?.origin == .program("fork"))
      #expect(zip(all, all.dropFirst()).allSatisfy { $0.t <= $1.t })
    }
  }

  @Test("without provenance the copy is the front of the old log", arguments: 0...7)
  func withoutProvenanceTheCopyIsTheFrontOfTheOldLog(n: Int) throws {
    let old = try Session.example()
    try forked(old, at: n, provenance: false) { path, continuation, state in
      let copy = try contents(of: path)
      #expect(old.starts(with: copy))
      #expect(continuation.size == copy.count)
      let (lines, _, error) = read(copy)
      #expect(error == nil)
      #expect(lines.compactMap(\.step).count == n)
      _ = try goOn(path, continuation, state)
      #expect(try contents(of: path).starts(with: copy))
      _ = try Session.replayer().verify(path: path)
    }
  }

  @Test("marks, issues and unknown lines behind the step come along")
  func marksIssuesAndUnknownLinesBehindTheStepComeAlong() throws {
    let bodies = split(try Session.example()).map { Array($0.dropLast(HashChain.tailLength + 1)) }
    var more = bodies
    more.insert(Array(#"{"k":"novel","x":1"#.utf8), at: 4)
    try forked(sealed(more), at: 2, provenance: true) { path, _, _ in
      let copied = split(try contents(of: path)).map {
        Array($0.dropLast(HashChain.tailLength + 1))
      }
      #expect(copied.count == 5)
      #expect(Array(copied[1...]) == Array(more[1...4]))
    }
  }

  @Test("a log with sparse digests goes on", arguments: [3, 4])
  func aLogWithSparseDigestsGoesOn(n: Int) throws {
    let (bytes, _) = try TravelTests.log(
      9, options: RecordingOptions(durability: .none, digestEvery: 4))
    for more in [0, 1, 6] {
      try forked(bytes, at: n, provenance: true) { path, continuation, state in
        #expect((continuation.digest == nil) == (n == 3))
        _ = try goOn(path, continuation, state, options: .init(digestEvery: 1), steps: more)
        let summary = try Session.replayer().verify(path: path)
        #expect(summary.steps == n + more)
        #expect(summary.warnings == [])
      }
    }
  }

  @Test("a fork of a fork says both") func aForkOfAForkSaysBoth() throws {
    try withFolder { folder in
      let first = LogFile(bytes: try Session.example())
      _ = try LogFork.copy(first, steps: 5, to: folder + "/b")
      let again = try LogFork.copy(LogFile(path: folder + "/b"), steps: 2, to: folder + "/c")
      #expect(again.header.extra.map(\.key) == ["forked", "forked2"])
      #expect(again.header.extra[1].value["file"] == "b")
      let (lines, _, error) = read(try contents(of: folder + "/c"))
      #expect(error == nil)
      #expect(lines.first == .header(again.header))
    }
  }

  @Test("a fork rotates further") func aForkRotatesFurther() throws {
    try forked(try Session.example(), at: 7, provenance: true) { path, continuation, state in
      _ = try goOn(
        path, continuation, state, options: .init(rotation: .init(size: 3000)), steps: 30)
      let chain = try RotatedLog(path: path)
      #expect(chain.segments.count > 1)
      #expect(try chain.check().steps == 37)
      _ = try Session.replayer().replay(chain)
    }
  }

  @Test("steps that are not there are refused and leave no file")
  func stepsThatAreNotThereAreRefusedAndLeaveNoFile() throws {
    try withFolder { folder in
      let log = LogFile(bytes: try Session.example())
      for n in [-1, 8, Int.max] {
        let error = #expect(throws: RecordingError.self) {
          try LogFork.copy(log, steps: n, to: folder + "/b")
        }
        #expect(error?.kind == "noStep")
        #expect(error?.description.hasSuffix("the steps 0 to 7") == true)
        #expect(throws: LogReadError.self) { try LogFile(path: folder + "/b").reader() }
      }
      try write("mine", to: folder + "/b")
      let error = #expect(throws: RecordingError.self) {
        try LogFork.copy(log, steps: 3, to: folder + "/b")
      }
      #expect(error?.kind == "exists")
      #expect(try contents(of: folder + "/b") == Array("mine".utf8))
    }
  }

  @Test("another state or a changed file is not continued")
  func anotherStateOrAChangedFileIsNotContinued() throws {
    try forked(try Session.example(), at: 3, provenance: true) { path, continuation, state in
      var other = state
      other.count += 1
      let error = #expect(throws: RecordingError.self) {
        try self.goOn(path, continuation, other)
      }
      #expect(error?.kind == "state")
      _ = try goOn(path, continuation, state)
      let again = #expect(throws: RecordingError.self) {
        try self.goOn(path, continuation, state)
      }
      #expect(again?.description.contains("changed") == true)
    }
  }
}
