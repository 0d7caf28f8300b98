import EggTimer
import Foundation
import SwiftBoardRecording
import SwiftBoardStore

/// A clock whose minutes pass at once, so that the example takes no time.
struct HastyClock: Clock {
  var now: ContinuousClock.Instant { ContinuousClock.now }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
}

let kitchen = EggTimer.Kitchen(clock: HastyClock())
let store = Store(initialState: EggTimer.State(), reducer: EggTimer(), dependencies: kitchen)

// Records the store: a header with its state, and then every step. `EggTimer` draws no values, so
// no journal is needed.
let folder = FileManager.default.temporaryDirectory.appending(path: "boil-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "egg.actions.jsonl").path
let schema = LogSchema(program: "boil 1.0", feature: "eggs", name: "EggTimer.Action", version: 1)
let info = RecordingInfo(
  schema: schema, created: Int64(Date().timeIntervalSince1970 * 1_000_000), environment: "live",
  seed: 0)
let recorder = try store.record(to: path, info: info, journal: nil)

// The origin is recorded, and a live replay sends only what a user or a link did.
await store.send(.boil(minutes: 4), origin: .user(line: "boil 4", at: "boil:1")).finish()
recorder.stop()
print(store.state.isDone ? "the egg is done" : "the egg is raw")

// Verifies the recording: its actions run through the reducer again, without effects, and each
// state must have the recorded digest.
let replayer = Replayer(
  reducer: EggTimer(), dependencies: kitchen, journal: DrawJournal(), schema: schema)
let summary = try replayer.verify(path: path)
print("verified \(summary.steps) recorded steps")

// Replays it live: the user's actions are sent to another store, whose effects run again and must
// send the recorded actions.
let live = LiveReplay<EggTimer>(schema: schema)
let recording = try live.open(RotatedLog(LogFile(path: path)))
let another = Store(
  initialState: recording.initialState, reducer: EggTimer(), dependencies: kitchen)
let report = try await live.run(recording, on: another)
if let difference = report.difference { print("WRONG \(difference)") }
print("sent \(report.sent) action again, and \(report.agreed) steps agree")

guard summary.steps == 5, report.agreed == 5, report.difference == nil else { exit(1) }
