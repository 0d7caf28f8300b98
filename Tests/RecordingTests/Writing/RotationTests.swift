import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Synchronization
import Testing

@testable import SwiftBoardRecording

struct RotationTests {
  private func options(
    _ size: Int = 2000, keep: Int? = nil, digestEvery: Int = 1, snapshotEvery: Int? = nil,
    durability: RecordingOptions.Durability = .flush
  ) -> RecordingOptions {
    RecordingOptions(
      durability: durability, digestEvery: digestEvery, snapshotEvery: snapshotEvery,
      rotation: .init(size: size, keep: keep))
  }

  private func session(
    _ path: String, _ options: RecordingOptions, system: FileSystem = FileSystem(),
    onKept: @escaping @Sendable (String, LogIOError) -> Void = { _, _ in }
  ) throws -> Session {
    let rotation = FileRotation(
      path: path, keep: options.rotation?.keep, synchronizes: options.durability == .sync,
      system: system, onKept: onKept)
    return try Session(FileSink(creating: path), rotation: rotation, options: options)
  }

  private func run(_ session: Session, steps: Int = 40) {
    for n in 1...steps {
      switch n % 5 {
      case 0: session.send(.roll(times: 1))
      case 1: session.send(.add(n), by: .effect(name: "e", id: nil, step: max(0, n - 2)))
      case 2:
        session.send(.stamp)
        session.recorder.mark("m\(n)")
        session.fail("i\(n)")
      default: session.send(.add(n), by: .user(line: "add \(n)", at: "a:\(n)"))
      }
    }
  }

  @Test(
    "every file replays alone and all are one",
    arguments: [
      RecordingOptions.Durability.none, .flush, .sync,
    ])
  func everyFileReplaysAloneAndAllAreOne(durability: RecordingOptions.Durability) throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, options(durability: durability))
      run(session)
      session.recorder.stop()
      #expect(session.recorder.failure == nil)
      #expect(session.recorder.step == 40)

      let chain = try RotatedLog(path: path)
      #expect(chain.segments.count > 3)
      #expect(chain.segments.map(\.number) == Array(1...chain.segments.count))
      #expect(chain.segments.last?.path == path)
      var rolled: [UInt64] = []
      var steps = 0
      for part in chain.segments {
        #expect(part.stepsBefore == steps)
        let summary = try Session.replayer().replay(
          RotatedLog(LogFile(path: part.path)), onStep: { _, state, _ in rolled = state.rolls })
        #expect(summary.warnings == [], "each has its end line")
        steps += summary.steps
        let size = try contents(of: part.path).count
        #expect(size < 3500)
      }
      #expect(steps == 40)
      #expect(rolled == session.state.rolls)
      #expect(try Session.replayer().replay(chain).steps == 40)
      #expect(try chain.check().steps == 40)
      #expect(FileRotation.numbers(of: path)?.count == chain.segments.count - 1)
      #expect(access(path + ".next", F_OK) != 0)
    }
  }

  @Test("times go on from file to file") func timesGoOnFromFileToFile() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, options())
      run(session)
      session.recorder.stop()
      var last: Int64 = 0
      for part in try RotatedLog(path: path).segments {
        let reader = try LogFile(path: part.path).reader()
        let header = try reader.header()
        while let entry = try reader.next() {
          guard let step = entry.line.step else { continue }
          #expect(header.created + step.t == Session.info.created + last + 250)
          last += 250
        }
      }
      #expect(last == 40 * 250)
    }
  }

  @Test("only so many files are kept") func onlySoManyFilesAreKept() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, options(keep: 2))
      run(session)
      session.recorder.stop()
      let numbers = try #require(FileRotation.numbers(of: path))
      #expect(numbers.count == 2)
      let chain = try RotatedLog(path: path)
      #expect(chain.segments.count == 3)
      #expect(chain.segments[0].stepsBefore > 0)
      #expect(try chain.check().steps == 40)
      _ = try Session.replayer().replay(chain)
    }
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, options(keep: 0))
      run(session)
      session.recorder.stop()
      #expect(FileRotation.numbers(of: path) == [])
      #expect(try RotatedLog(path: path).check().steps == 40)
    }
  }

  @Test("a large state is not all headers") func aLargeStateIsNotAllHeaders() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, options(1))
      session.send(.roll(times: 200))
      run(session, steps: 20)
      session.recorder.stop()
      let chain = try RotatedLog(path: path)
      #expect(chain.segments.count < 10)
      #expect(try chain.check().steps == 21)
    }
  }

  @Test("digests every few steps still join the files") func digestsEveryFewStepsStillJoinTheFiles()
    throws
  {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, options(digestEvery: 7, snapshotEvery: 3))
      run(session)
      session.recorder.stop(state: session.state)
      let chain = try RotatedLog(path: path)
      #expect(chain.segments.count > 3)
      #expect(try Session.replayer().replay(chain).steps == 40)
      #expect(try chain.check().warnings == [])
    }
  }

  @Test("nothing is rotated without being asked") func nothingIsRotatedWithoutBeingAsked() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let recorder = try Recorder<CounterState, CounterAction>(
        path: path, info: Session.info, state: CounterState(), journal: nil, clock: { 0 })
      for n in 1...100 {
        recorder.hooks.didReduce?(
          Step(number: n, origin: .program("p"), action: .add(0), effects: []), CounterState())
      }
      recorder.stop()
      #expect(FileRotation.numbers(of: path) == [])
      let chain = try RotatedLog(path: path)
      #expect(chain.segments.count == 1)
      #expect(try chain.check().steps == 100)
    }
  }

  @Test("a recording does not begin among the files of another")
  func aRecordingDoesNotBeginAmongTheFilesOfAnother() throws {
    try withFolder { folder in
      try write("mine", to: folder + "/a.7")
      let error = #expect(throws: RecordingError.self) {
        try Recorder<CounterState, CounterAction>(
          path: folder + "/a", info: Session.info, state: CounterState(),
          options: self.options(), journal: nil, clock: { 0 })
      }
      #expect(error?.kind == "exists")
      #expect(access(folder + "/a", F_OK) != 0)
    }
  }

  // MARK: Crashes and faults

  /// Copies a folder before and after each call, with the steps that were acknowledged by then.
  private final class Watch: Sendable {
    let folder: String
    let seen = Mutex<(count: Int, acknowledged: [Int])>((0, []))
    let acknowledged = Box(0)
    /// Fails the call with this number, from 0.
    let failing: Int?
    let calls = Box(0)

    init(_ folder: String, failing: Int? = nil) {
      self.folder = folder
      self.failing = failing
    }

    private func copy() {
      let number = seen.withLock { seen in
        seen.count += 1
        seen.acknowledged.append(acknowledged.now)
        return seen.count - 1
      }
      let target = "\(folder)/copy\(number)"
      mkdir(target, 0o700)
      for name in ["a", "a.next"] + (1...20).map({ "a.\($0)" }) {
        guard let bytes = try? contents(of: "\(folder)/\(name)") else { continue }
        try? write(bytes, to: "\(target)/\(name)")
      }
    }

    /// Looks at the folder before and after every call of a rotation.
    var system: FileSystem {
      FileSystem(
        intercept: { [self] call, _ in
          guard call.isOfRotation else { return nil }
          let number = calls.value.withLock {
            $0 += 1; return $0 - 1
          }
          if number == failing { return .error(EIO) }
          copy()
          return nil
        }, completed: { [self] call, _ in if call.isOfRotation { copy() } })
    }

    /// The folder as it was at every moment, and what had been acknowledged.
    func forEachCopy(_ body: (String, Int) throws -> Void) rethrows {
      for (number, steps) in seen.withLock({ $0.acknowledged }).enumerated() {
        try body("\(folder)/copy\(number)", steps)
      }
    }
  }

  private func record(_ session: Session, _ watch: Watch) {
    for n in 1...40 {
      session.send(.add(n))
      if session.recorder.failure == nil { watch.acknowledged.value.withLock { $0 = n } }
    }
  }

  @Test("a crash between any two calls of a rotation loses nothing")
  func aCrashBetweenAnyTwoCallsOfARotationLosesNothing() throws {
    try withDeepFolder { folder in
      let watch = Watch(folder)
      let session = try session(
        folder + "/a", options(keep: 2, durability: .sync), system: watch.system)
      record(session, watch)
      var moments = 0
      try watch.forEachCopy { copy, acknowledged in
        moments += 1
        let chain = try RotatedLog(path: copy + "/a")
        // The step that caused the rotation is written and not acknowledged yet.
        #expect(try chain.check().steps == acknowledged + 1)
        _ = try Session.replayer().replay(chain)
      }
      #expect(moments > 10)
    }
  }

  @Test("a call that fails stops the recording and loses nothing", arguments: 0..<24)
  func aCallThatFailsStopsTheRecordingAndLosesNothing(failing: Int) throws {
    try withDeepFolder { folder in
      let watch = Watch(folder, failing: failing)
      let session = try session(
        folder + "/a", options(keep: 2, durability: .sync), system: watch.system)
      record(session, watch)
      session.recorder.stop()
      let chain = try RotatedLog(path: folder + "/a")
      let (steps, warnings) = try chain.check()
      #expect(session.state.count == 820, "the store goes on")
      if let failure = session.recorder.failure {
        #expect(session.failures.now.count == 1)
        #expect(failure.step == steps + 1, "the issue names the first step that is not there")
        #expect(steps >= watch.acknowledged.now)
        #expect(access(folder + "/a.next", F_OK) != 0)
      } else {
        // What cannot be removed is no reason to stop.
        #expect(steps == 40)
        #expect(warnings == [])
      }
      _ = try Session.replayer().replay(chain)
    }
  }

  @Test("a file that cannot be removed is kept with all newer ones until it can be")
  func aFileThatCannotBeRemoved() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let isStuck = Box(true)
      let system = FileSystem { call, name in
        call == .remove && name.hasSuffix("a.2") && isStuck.now ? .error(EBUSY) : nil
      }
      let kept = Box<[String]>([])
      let session = try session(path, options(keep: 1), system: system) { name, error in
        kept.value.withLock { $0.append("\(name.suffix(3)) \(error.code)") }
      }
      run(session)
      let numbers = try #require(FileRotation.numbers(of: path))
      #expect(numbers.count > 2)
      #expect(numbers == Array(2...(numbers.last ?? 2)), "there is no gap")
      #expect(kept.now == ["a.2 \(EBUSY)"], "said once")
      #expect(try RotatedLog(path: path).check().steps == 40)

      isStuck.value.withLock { $0 = false }
      run(session)
      session.recorder.stop()
      #expect(session.recorder.failure == nil)
      #expect(FileRotation.numbers(of: path)?.count == 1)
      let chain = try RotatedLog(path: path)
      #expect(try chain.check().steps == 80)
      _ = try Session.replayer().replay(chain)
    }
  }

  @Test("a file that somebody else removed is no reason to keep newer ones")
  func aFileThatIsGone() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let kept = Box<[String]>([])
      let session = try session(path, options(keep: 2)) { name, _ in
        kept.value.withLock { $0.append(name) }
      }
      run(session, steps: 12)
      unlink("\(path).\(try #require(FileRotation.numbers(of: path)?.first))")
      run(session)
      session.recorder.stop()
      #expect(kept.now == [])
      #expect(FileRotation.numbers(of: path)?.count == 2)
    }
  }

  @Test("a next file that does not fit at any byte stops the recording")
  func aNextFileThatDoesNotFitAtAnyByteStopsTheRecording() throws {
    final class Rotation: LogRotation {
      let file = MemorySink()
      let full: MemorySink
      let abandoned = Box(false)
      init(_ capacity: Int) { full = MemorySink(.init(capacity: capacity)) }
      func next() throws(LogIOError) -> any LogSink { full }
      func commit() throws(LogIOError) {}
      func abandon() { abandoned.value.withLock { $0 = true } }
    }
    for capacity in stride(from: 0, to: 700, by: 13) {
      let rotation = Rotation(capacity)
      let session = try Session(rotation.file, rotation: rotation, options: options(700))
      run(session, steps: 8)
      let first = read(rotation.file.bytes)
      #expect(first.error == nil)
      let steps = first.lines.compactMap(\.step).count
      if rotation.abandoned.now {
        #expect(first.warnings == [.cutShort(afterStep: steps)], "it was not stopped")
        #expect(session.recorder.step == steps)
        #expect(session.recorder.failure?.step == steps + 1)
        #expect(session.recorder.failure?.io?.code == ENOSPC)
      } else {
        #expect(first.warnings == [])
        #expect(first.lines.last?.kind == "end")
        let second = read(rotation.full.bytes)
        #expect(second.error == nil)
        #expect(
          session.recorder.failure?.step ?? 9
            == steps + second.lines.compactMap(\.step).count + 1)
      }
      #expect(session.failures.now.count <= 1)
    }
  }

  @Test("no other recorder gets in between") func noOtherRecorderGetsInBetween() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let attempts = Box(0)
      let tries: @Sendable () -> Void = {
        attempts.value.withLock { $0 += 1 }
        let error = #expect(throws: RecordingError.self) { try FileSink(creating: path) }
        #expect(error == .exists(path: path))
        let descriptor = open(path, O_RDWR)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        close(descriptor)
      }
      let system = FileSystem(
        intercept: { call, _ in
          if call.isOfRotation { tries() }
          return nil
        }, completed: { call, _ in if call.isOfRotation { tries() } })
      let session = try session(path, options(), system: system)
      run(session)
      #expect(attempts.now > 8)
      session.recorder.stop()
    }
  }

  @Test("without links files are renamed") func withoutLinksFilesAreRenamed() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let system = FileSystem { call, _ in call == .link ? .error(EPERM) : nil }
      let session = try session(path, options(), system: system)
      run(session)
      session.recorder.stop()
      #expect(try RotatedLog(path: path).check().steps == 40)
    }
  }

  @Test(
    "what a crash left is in no recorder's way",
    arguments: [
      "", #"{"k"#, #"{"k":"log","version":1,"prog"#, "{\"k\":\"log\"}\n", "{\"k\":\"log\"\0\0",
      "\0",
    ])
  func leftover(content: String) throws {
    try withFolder { folder in
      let path = folder + "/a"
      try write(content, to: path + ".next")
      #expect(chmod(path + ".next", 0o600) == 0)
      let session = try session(path, options())
      run(session)
      session.recorder.stop()
      #expect(session.recorder.failure == nil)
      #expect(try RotatedLog(path: path).check().steps == 40)
    }
  }

  @Test(
    "a file of the user is in the way of a recording",
    arguments: [
      ("a.next", "{\"k\":\"log\"}\n{\"k\":\"end\"}\n", 0o600), ("a.next", "", 0o644),
      ("a.next", "{\"k\":\"log\"}", 0o640), ("a.3", "text", 0o600),
    ])
  func obstacle(name: String, content: String, mode: mode_t) throws {
    try withFolder { folder in
      try write(content, to: "\(folder)/\(name)")
      #expect(chmod("\(folder)/\(name)", mode) == 0)
      #expect(RotatedLog.obstacle(at: folder + "/a") == "\(folder)/\(name)")
    }
  }

  @Test(
    "a file that appears in the way of the next one ends the recording, which is cut short",
    arguments: ["a.next", "a.1"])
  func laterObstacle(name: String) throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, options())
      try write("text", to: "\(folder)/\(name)")
      run(session)
      session.recorder.stop()
      #expect(session.recorder.failure != nil)
      #expect(try contents(of: "\(folder)/\(name)") == Array("text".utf8))
      let summary = try Session.replayer().replay(RotatedLog(LogFile(path: path))) { _, _, _ in }
      #expect(summary.warnings == [.cutShort(afterStep: summary.steps)])
      #expect(summary.steps > 0 && summary.steps < 40)
    }
  }

  // MARK: Chains that are none

  private func withChain(_ body: (String, RotatedLog) throws -> Void) throws {
    try withFolder { folder in
      let session = try session(folder + "/a", options())
      run(session)
      session.recorder.stop()
      try body(folder + "/a", try RotatedLog(path: folder + "/a"))
    }
  }

  @Test("a missing file is named") func aMissingFileIsNamed() throws {
    try withChain { path, _ in
      unlink(path + ".2")
      let error = #expect(throws: LogReadError.self) { try RotatedLog(path: path) }
      #expect(error?.description == "\(path).2 is missing: the files before and after it are there")
      #expect(error?.kind == "gap")
    }
    try withFolder { folder in
      let error = #expect(throws: LogReadError.self) { try RotatedLog(path: folder + "/none") }
      #expect(error?.kind == "missing")
    }
  }

  @Test("swapped and foreign files are found") func swappedAndForeignFilesAreFound() throws {
    try withChain { path, _ in
      rename(path + ".1", path + ".x")
      rename(path + ".2", path + ".1")
      rename(path + ".x", path + ".2")
      #expect(throws: LogReadError.self) { try RotatedLog(path: path) }
    }
    try withChain { path, _ in
      rename(path + ".2", path + ".x")
      rename(path + ".3", path + ".2")
      rename(path + ".x", path + ".3")
      let chain = try RotatedLog(path: path)
      let error = #expect(throws: LogReadError.self) { try chain.check() }
      guard case .broken(let found, _, _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(found == path + ".2")
    }
    try withChain { path, _ in
      unlink(path + ".2")
      try write(try Session.example(), to: path + ".2")
      let chain = try RotatedLog(path: path)
      #expect(throws: LogReadError.self) { try chain.check() }
    }
  }

  @Test("a file cut short in the middle is found") func aFileCutShortInTheMiddleIsFound() throws {
    try withChain { path, chain in
      let bytes = try contents(of: path + ".2")
      try cut(path + ".2", to: bytes.count - (split(bytes).last?.count ?? 0))
      #expect(throws: LogReadError.self) { try chain.check() }
      #expect(throws: ReplayError.self) { try Session.replayer().replay(chain) }
    }
  }

  @Test("every changed byte of a chain is found") func everyChangedByteOfAChainIsFound() throws {
    try withChain { path, chain in
      var generator = SeededRandom(seed: 3)
      for part in chain.segments {
        let bytes = try contents(of: part.path)
        for _ in 0..<20 {
          var broken = bytes
          // The very last byte is a line feed, without which the last line is torn.
          let place = Int(generator.next() % UInt64(bytes.count - 1))
          broken[place] ^= 1 << (generator.next() % 8)
          unlink(part.path)
          try write(broken, to: part.path)
          #expect(throws: LogReadError.self) { try RotatedLog(path: path).check() }
        }
        unlink(part.path)
        try write(bytes, to: part.path)
      }
      #expect(try RotatedLog(path: path).check().steps == 40)
    }
  }
}

/// A folder with folders in it, gone afterwards.
func withDeepFolder(_ body: (String) throws -> Void) throws {
  try withFolder { folder in
    defer {
      for number in 0..<1000 {
        let copy = "\(folder)/copy\(number)"
        guard access(copy, F_OK) == 0 else { break }
        for name in ["a", "a.next"] + (1...20).map({ "a.\($0)" }) { unlink("\(copy)/\(name)") }
        rmdir(copy)
      }
    }
    try body(folder)
  }
}

extension FileSystem.Call {
  /// Whether a rotation makes the call, and not the file that steps are written to.
  fileprivate var isOfRotation: Bool {
    ![.write, .sync, .truncate, .unlock, .info, .infoOfName].contains(self)
  }
}
