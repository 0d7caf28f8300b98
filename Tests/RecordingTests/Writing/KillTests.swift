import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardSystem
import Testing

/// A process that records is killed at any moment; what it had acknowledged is in its files.
///
/// The process is this test program once more, with only `recorder` to run. Set `SWIFTBOARD_KILLS`
/// for more than 20 rounds.
struct KillTests {
  private static let place = "SWIFTBOARD_RECORD_UNTIL_KILLED"
  /// A descriptor that the test library does not use.
  private static let acknowledgements = STDIN_FILENO

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The other process: records until it is killed, and says each step's number behind it.
  @Test("the recorder that is killed", .enabled(if: variable(place) != nil))
  func recorder() throws {
    let path = try #require(Self.variable(Self.place))
    let journal = DrawJournal()
    let store = Store(
      initialState: CounterState(), reducer: CounterReducer(), dependencies: CounterWorld(journal))
    let recorder = try Recorder<CounterState, CounterAction>(
      path: path, info: Session.info, state: CounterState(),
      options: RecordingOptions(
        durability: path.hasSuffix("sync") ? .sync : .flush, digestEvery: 3, snapshotEvery: 10,
        rotation: .init(size: 6000)),
      journal: journal, clock: { 0 })
    store.setHooks { _, _ in recorder.hooks }
    for step in 1...Int32.max {
      store.send(step % 7 == 0 ? .stamp : .add(1))
      guard recorder.failure == nil else { return }
      var number = step
      guard write(Self.acknowledgements, &number, 4) == 4 else { return }
    }
  }

  #if os(Linux)
    @Test("what was acknowledged survives kill at any moment")
    func whatWasAcknowledgedSurvivesKillAtAnyMoment() throws {
      let rounds = Self.variable("SWIFTBOARD_KILLS").flatMap { Int($0) } ?? 20
      var generator = SystemRandomNumberGenerator()
      var (lost, inRotation) = (0, 0)
      for round in 0..<rounds {
        try withFolder { folder in
          let path = folder + (round % 5 == 0 ? "/sync" : "/log")
          let enough = Int.random(in: 1...300, using: &generator)
          let acknowledged = try kill(path, after: enough)
          #expect(acknowledged >= enough)
          let chain = try RotatedLog(path: path)
          let steps = try chain.check().steps
          if steps < acknowledged { lost += 1 }
          if access(path + ".next", F_OK) == 0 { inRotation += 1 }
          _ = try Session.replayer().replay(chain)
          let navigator = try LogNavigator(chain, replayer: Session.replayer())
          #expect(navigator.stepCount == steps && navigator.divergence == nil)
          #expect(try navigator.state(at: acknowledged).count == acknowledged - acknowledged / 7)
        }
      }
      #expect(lost == 0)
      // For runs of many rounds.
      if rounds > 20 { print("\(rounds) kills, \(inRotation) of them within a rotation") }
    }

    /// Kills the other process behind so many acknowledgements and returns how many there were.
    private func kill(_ path: String, after enough: Int) throws -> Int {
      let ends = try Descriptor.pipe()
      let ignored = open("/dev/null", O_WRONLY | O_CLOEXEC)
      var variables = [Self.place: path, "PATH": "/usr/bin:/bin"]
      variables["LD_LIBRARY_PATH"] = Self.variable("LD_LIBRARY_PATH")
      let started = Result {
        try ChildProgram(
          [
            "/proc/self/exe", "--testing-library", "swift-testing", "--filter",
            "KillTests/recorder\\(",
          ],
          environment: variables, input: ends.write, output: ignored, error: ignored)
      }
      close(ends.write)
      close(ignored)
      defer { close(ends.read) }
      let child = try started.get()

      var (count, isKilled) = (0, false)
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let found: Int = buffer.withUnsafeMutableBytes { memory in
          read(ends.read, memory.baseAddress, memory.count)
        }
        if found < 0, errno == EINTR { continue }
        guard found > 0 else { break }
        count += found
        if !isKilled, count / 4 >= enough {
          isKilled = true
          send(SIGKILL, to: child.id)
        }
      }
      #expect(child.wait() == 128 + SIGKILL, "the recorder ended by itself")
      return count / 4
    }
  #endif
}

/// `kill` by a name that no method here has.
private func send(_ signal: Int32, to process: pid_t) {
  _ = kill(process, signal)
}
