import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardRecording
import SwiftBoardStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// The sample world, with services of one's own in it.
let client = AllowedHosts(["radarr.example"], before: MockAPIClient.preview)
let sink = TextSink()
let tally = Tally()
var dependencies = Dependencies.preview
dependencies.apiClient = client
dependencies.logger = LiveLogger(sinks: [sink], date: dependencies.date)
dependencies.analytics = LiveAnalytics(
  providers: [tally], redactor: dependencies.logger.redactor)
dependencies.analytics.setConsent(true)

// A board with this feature, and one of the board's own beside it.
let features = FeatureList(Pulse.feature, BoardFeatures.log, program: "pulse 1.0")
let output = Output()
let board = Board(
  features: features, state: BoardState(features: features), dependencies: dependencies, seed: 1,
  sink: { if $0.stream == .standardOutput { output.add($0.text) } })
let session = LineExecutor(board: board, redirects: RedirectFiles(report: { output.add($0) }))
let recording = "\(FileManager.default.temporaryDirectory.path)/pulse-\(getpid()).jsonl"
try board.record(to: recording)

let up = await session.run("pulse check radarr.example")
let down = await session.run("open swiftboard://pulse/elsewhere.example")
let unknown = await session.run("db list films")
let pulse = board.store.state[Pulse.feature]
await board.close()

// The recording replays with the same features, and no service is asked.
var checked: [String] = []
let replayed = try Replayer(features).replay(RotatedLog(LogFile(path: recording))) { _, state, _ in
  checked = state[Pulse.feature].isUp.keys.sorted()
}
try? FileManager.default.removeItem(atPath: recording)

func differs<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) -> Bool {
  guard found != expected else { return false }
  print("WRONG \(what): \(found) instead of \(expected)")
  return true
}

let isWrong = [
  differs("answer", up.value, 200), differs("text", up.text, "radarr.example: 200\n"),
  differs("exit code", down.exitCode, ExitCode.unavailable),
  differs("unknown command", unknown.failure?.error, "usage"),
  differs("state", pulse.isUp, ["radarr.example": true, "elsewhere.example": false]),
  differs("date", pulse.lastCheck, DateGenerator.mockStart),
  differs("printed", output.text, "radarr.example: 200\n"),
  differs("replay", checked, ["elsewhere.example", "radarr.example"]),
  differs("warnings", replayed.warnings, []),
  // The board counts its own commands as well.
  differs(
    "events", tally.all, ["pulse.answered": 1, "shell.open": 1, "shell.rejected": 1]),
  differs("services shut down", client.wasShutDown, true),
].contains(true)
if isWrong { exit(1) }
for line in sink.lines { print(line) }
print("all as expected")
