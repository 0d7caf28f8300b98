import BenchmarkProcesses
import BenchmarkSupport
import CSystemSQLite
import SwiftBoardRecording
import SwiftBoardStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// L1 to L6: what it costs to record a step, to verify one, and to go to one. All with a real clock
/// and, but for L2, with real files.
func logBenchmarks() -> [Measurement] {
  guard let folder = LogFolder() else {
    print("no folder for files in /var/tmp: the log is not measured")
    return []
  }
  defer { folder.remove() }
  return recording(in: folder) + verifying(in: folder) + synchronizing(in: folder)
    + againstSQLite(in: folder)
}

private let schema = LogSchema(program: "benchmarks", feature: "tally", name: "Tally", version: 1)

/// Swallows what is written.
private final class NullSink: LogSink {
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogIOError) -> Int {
    bytes.count
  }
  func truncate(to size: Int) throws(LogIOError) {}
  func synchronize() throws(LogIOError) {}
  func close() {}
}

/// A folder for the files, on a disk rather than in memory.
private final class LogFolder {
  private let path: String
  private var names: Set<String> = []

  init?() {
    path = "/var/tmp/swiftboard-benchmarks.\(getpid())"
    guard mkdir(path, 0o700) == 0 else { return nil }
  }

  /// A path at which there is no file.
  func new(_ name: String) -> String {
    let file = "\(path)/\(name)"
    if !names.insert(name).inserted { unlink(file) }
    return file
  }

  func remove() {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}

private func microseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}

private func recorded<R: Reducer>(
  _ reducer: R, _ state: R.State, path: String?, _ options: RecordingOptions
) -> (store: Store<R>, recorder: Recorder<R.State, R.Action>)?
where R.State: Codable, R.Action: Codable, R.Dependencies == Int {
  let info = RecordingInfo(schema: schema, created: 0, environment: "bench", seed: 0)
  let store = Store(initialState: state, reducer: reducer, dependencies: 1)
  let recorder: Recorder<R.State, R.Action>?
  if let path {
    recorder = try? Recorder(
      path: path, info: info, state: state, options: options, journal: nil, clock: microseconds)
  } else {
    recorder = try? Recorder(
      sink: NullSink(), info: info, state: state, options: options, journal: nil,
      clock: microseconds)
  }
  guard let recorder else { return nil }
  store.setHooks { _, _ in recorder.hooks }
  return (store, recorder)
}

private let undigested = RecordingOptions(durability: .none, digestEvery: .max)

// MARK: L1, L2

private func recording(in folder: LogFolder) -> [Measurement] {
  let steps = 200_000
  guard let byHand = BufferedFile(folder.new("by-hand")),
    let plain = recorded(Tally(), .init(), path: folder.new("plain"), undigested),
    let quick = recorded(QuickTally(), .init(), path: folder.new("quick"), undigested),
    let paged = recorded(Pages(), .init(), path: nil, RecordingOptions(durability: .none))
  else { return [] }
  defer {
    plain.recorder.stop(state: plain.store.state)
    quick.recorder.stop(state: quick.store.state)
    paged.recorder.stop()
  }
  var best = (plain: Double.infinity, quick: Double.infinity, hand: Double.infinity)
  var (json, jsonPage) = (Double.infinity, Double.infinity)
  let encoder = JSONEncoder()
  let page = opaque(paged.store.state)
  for _ in 0..<9 {
    json = min(
      json,
      nanosecondsOnce(steps / 10) {
        for index in 0..<steps / 10 { encode(PlainLine(index), encoder) }
      })
    jsonPage = min(
      jsonPage,
      nanosecondsOnce(steps / 40) {
        for index in 0..<steps / 40 {
          encode(PlainLine(index), encoder)
          encode(page, encoder)
        }
      })
    best.hand = min(
      best.hand,
      nanosecondsOnce(steps) { for index in 0..<steps { byHand.line(opaque(index & 1023)) } })
    best.plain = min(
      best.plain,
      nanosecondsOnce(steps) {
        for index in 0..<steps { plain.store.send(opaque(.add(index & 1023))) }
      })
    best.quick = min(
      best.quick,
      nanosecondsOnce(steps) {
        for index in 0..<steps { quick.store.send(opaque(.add(index & 1023))) }
      })
  }
  let pages = nanoseconds(operations: steps / 4) {
    for index in 0..<steps / 4 { paged.store.send(opaque(.add(index & 1023))) }
  }
  return [
    Measurement(
      id: "L1", name: "record a step, plain Codable", ours: best.plain, limit: json,
      limitName: "JSONEncoder", goal: 0.35),
    Measurement(
      id: "L1", name: "record a step, the quick way", ours: best.quick, limit: best.hand,
      limitName: "a line by hand", goal: 2.2),
    Measurement(
      id: "L2", name: "the same, digest of 1 kB each step", ours: pages, limit: jsonPage,
      limitName: "JSONEncoder, state and action", goal: 0.5),
  ]
}

/// A step's line as a value, for the coders of the toolchain.
private struct PlainLine: Codable {
  var k = "step"
  var n: Int
  var t: Int64
  var by = ["program": ""]
  var action: Tally.Action

  init(_ number: Int) {
    n = number
    t = microseconds()
    action = .add(opaque(number & 1023))
  }
}

private func encode(_ value: some Encodable, _ encoder: JSONEncoder) {
  guard let bytes = try? encoder.encode(value) else { return print("JSONEncoder failed") }
  _ = opaque(bytes.count)
}

/// A step's line with nothing left out but its sum, written by hand to a file with a buffer.
private final class BufferedFile {
  private static let size = 1 << 16

  private let descriptor: Int32
  private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
  private var count = 0
  private var number = 0

  init?(_ path: String) {
    descriptor = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
  }

  deinit {
    close(descriptor)
    buffer.deallocate()
  }

  func line(_ amount: Int) {
    if count > BufferedFile.size - 256 {
      precondition(write(descriptor, buffer, count) == count, "L1 lost lines")
      count = 0
    }
    number += 1
    put(#"{"k":"step","n":"#)
    put(number)
    put(#","t":"#)
    put(Int(microseconds()))
    put(#","by":{"program":""},"action":{"add":{"_0":"#)
    put(amount)
    put("}}}\n")
  }

  @inline(__always)
  private func put(_ text: StaticString) {
    (buffer + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    count += text.utf8CodeUnitCount
  }

  private func put(_ number: Int) {
    var (length, bound) = (1, 10)
    while number >= bound {
      length += 1
      bound *= 10
    }
    var rest = number
    for place in stride(from: count + length - 1, through: count, by: -1) {
      buffer[place] = 0x30 + UInt8(rest % 10)
      rest /= 10
    }
    count += length
  }
}

// MARK: L3

private func verifying(in folder: LogFolder) -> [Measurement] {
  let steps = 1_000_000
  let options = RecordingOptions(durability: .none, digestEvery: 100)
  let (plainPath, quickPath) = (folder.new("plain-million"), folder.new("quick-million"))
  guard let plain = recorded(Tally(), .init(), path: plainPath, options),
    let quick = recorded(QuickTally(), .init(), path: quickPath, options)
  else { return [] }
  for index in 0..<steps {
    plain.store.send(.add(index & 1023))
    quick.store.send(.add(index & 1023))
  }
  let visits = (
    plain: visiting(Tally(), plain.recorder, plainPath),
    quick: visiting(QuickTally(), quick.recorder, quickPath)
  )
  plain.recorder.stop(state: plain.store.state)
  quick.recorder.stop(state: quick.store.state)

  var best = (plain: Double.infinity, quick: Double.infinity)
  var (json, byHand) = (Double.infinity, Double.infinity)
  let decoder = JSONDecoder()
  let lines = (try? JSONEncoder().encode(PlainLine(512))) ?? Data()
  for _ in 0..<5 {
    json = min(
      json,
      nanosecondsOnce(steps / 40) {
        for _ in 0..<steps / 40 {
          guard let line = try? decoder.decode(PlainLine.self, from: lines) else { return }
          _ = opaque(line.n)
        }
      })
    byHand = min(
      byHand,
      nanosecondsOnce(steps) {
        if sumByHand(quickPath) != quick.store.state.count { print("L3: the sum differs") }
      })
    best.plain = min(
      best.plain,
      nanosecondsOnce(steps) {
        if !verify(Tally(), plainPath, steps) { print("L3: the log does not verify") }
      })
    best.quick = min(
      best.quick,
      nanosecondsOnce(steps) {
        if !verify(QuickTally(), quickPath, steps) { print("L3: the log does not verify") }
      })
  }
  var table = [
    Measurement(
      id: "L3", name: "verify a step of 1 000 000, plain", ours: best.plain, limit: json,
      limitName: "JSONDecoder", goal: 0.3),
    Measurement(
      id: "L3", name: "verify a step, the quick way", ours: best.quick, limit: byHand,
      limitName: "read, parse, reduce by hand", goal: 5),
    Measurement(
      id: "L5", name: "the first goto of 1 000 000, plain", ours: visits.plain / 1e6,
      limit: best.plain * Double(steps) / 1e6, limitName: "verifying them", goal: 0.02, unit: "ms"),
    Measurement(
      id: "L5", name: "the first goto, the quick way", ours: visits.quick / 1e6,
      limit: best.quick * Double(steps) / 1e6, limitName: "verifying them", goal: 0.02, unit: "ms"),
  ]
  for (form, path) in [("plain", plainPath), ("quick", quickPath)] {
    guard let peak = peakOfVerifying(form, path) else { continue }
    table.append(
      Measurement(
        id: "L3", name: "memory of verifying them, \(form)", ours: peak, limit: 64,
        limitName: "64 MB, the program and all", goal: 1, unit: "MB"))
  }
  return table
}

/// Nanoseconds of the first visit of the recording that is being written, the dearest of several
/// steps.
private func visiting<R: Reducer>(
  _ reducer: R, _ recorder: Recorder<R.State, R.Action>, _ path: String
) -> Double where R.State: Codable, R.Action: Codable, R.Dependencies == Int {
  stride(from: recorder.step, to: 0, by: -recorder.step / 23).map { step in
    nanoseconds(rounds: 3, operations: 1) {
      let replayer = Replayer(
        reducer: reducer, dependencies: 1, journal: DrawJournal(), schema: schema)
      guard let navigator = try? recorder.navigator(path: path, replayer: replayer),
        let state = try? navigator.state(at: step)
      else { return print("L5: step \(step) is not found") }
      _ = opaque(state)
    }
  }.max() ?? 0
}

/// The amount of a step's line, after its number and its time; `nil` for another line.
private func amount(of line: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
  var index = line.startIndex
  func skip(_ text: StaticString) -> Bool {
    for offset in 0..<text.utf8CodeUnitCount {
      guard index < line.endIndex, line[index] == text.utf8Start[offset] else { return false }
      index += 1
    }
    return true
  }
  func number() -> Int {
    var value = 0
    while index < line.endIndex, line[index] >= 0x30, line[index] <= 0x39 {
      value = value &* 10 &+ Int(line[index] - 0x30)
      index += 1
    }
    return value
  }
  guard skip(#"{"k":"step","n":"#), number() > 0, skip(#","t":"#) else { return nil }
  _ = opaque(number())
  while index < line.endIndex {
    if line[index] == 0x5F, skip(#"_0":"#) { return number() }
    index += 1
  }
  return nil
}

/// Reads the steps' lines through a buffer, parses number, time and amount of each, and reduces.
private func sumByHand(_ path: String) -> Int {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return 0 }
  defer { close(descriptor) }
  var (state, reducer) = (QuickTally.State(), opaque(QuickTally()))
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  var kept = 0
  while true {
    let count = buffer.withUnsafeMutableBytes {
      read(descriptor, $0.baseAddress! + kept, $0.count - kept)
    }
    guard count > 0 else { return state.count }
    let end = kept + count
    var start = 0
    buffer.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < end {
        guard bytes[index] == 0x0A else {
          index += 1
          continue
        }
        if let amount = amount(of: bytes[start..<index]) {
          _ = reducer.reduce(&state, .add(amount), 1)
        }
        index += 1
        start = index
      }
    }
    kept = end - start
    buffer.replaceSubrange(0..<kept, with: buffer[start..<end])
  }
}

private func verify<R: Reducer>(_ reducer: R, _ path: String, _ steps: Int?) -> Bool
where R.State: Codable, R.Action: Codable, R.Dependencies == Int {
  let replayer = Replayer(reducer: reducer, dependencies: 1, journal: DrawJournal(), schema: schema)
  guard let summary = try? replayer.verify(path: path) else { return false }
  return steps == nil || summary.steps == steps
}

func verifyAlone(_ form: String, _ path: String) -> Bool {
  form == "plain" ? verify(Tally(), path, nil) : verify(QuickTally(), path, nil)
}

/// Megabytes that a process of its own takes at most.
private func peakOfVerifying(_ form: String, _ path: String) -> Double? {
  let words = [CommandLine.arguments[0], "--verify", form, path]
  guard let cost = ChildProcess.run(words), cost.status == 0 else { return nil }
  return cost.memory
}

// MARK: L4

private func synchronizing(in folder: LogFolder) -> [Measurement] {
  let steps = 100
  let barePath = folder.new("bare-sync")
  let descriptor = open(barePath, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
  guard descriptor >= 0,
    let synced = recorded(
      Tally(), .init(), path: folder.new("sync"),
      RecordingOptions(durability: .sync, digestEvery: .max))
  else { return [] }
  defer {
    close(descriptor)
    synced.recorder.stop(state: synced.store.state)
  }
  // As long as a step's line.
  let line = [UInt8](repeating: 0x20, count: 124) + [0x0A]
  var offset = 0
  let times = pair(rounds: 25, operations: steps) {
    for index in 0..<steps { synced.store.send(.add(index)) }
  } limit: {
    for _ in 0..<steps {
      offset += pwrite(descriptor, line, line.count, off_t(offset))
      #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) != 0 { fsync(descriptor) }
      #else
        fdatasync(descriptor)
      #endif
    }
  }
  return [
    Measurement(
      id: "L4", name: "durable step", ours: times.ours / 1_000, limit: times.limit / 1_000,
      limitName: "write + fdatasync", goal: 1.1, unit: "µs")
  ]
}

// MARK: L6

private func againstSQLite(in folder: LogFolder) -> [Measurement] {
  let steps = 100_000
  guard let database = Rows(folder.new("rows.sqlite")),
    let quick = recorded(QuickTally(), .init(), path: folder.new("against"), undigested)
  else { return [] }
  // What SQLite keeps beside its file.
  for name in ["rows.sqlite-wal", "rows.sqlite-shm"] { _ = folder.new(name) }
  defer { quick.recorder.stop(state: quick.store.state) }
  let times = pair(operations: steps) {
    for index in 0..<steps { quick.store.send(opaque(.add(index & 1023))) }
  } limit: {
    for _ in 0..<steps / 1_000 { database.insert(1_000) }
  }
  return [
    Measurement(
      id: "L6", name: "append a step, the quick way", ours: times.ours, limit: times.limit,
      limitName: "SQLite, 1 000 a transaction", goal: 0.25)
  ]
}

/// A table of steps in SQLite, with the settings that are fastest and still leave a whole database
/// behind.
private final class Rows {
  private var database: OpaquePointer?
  private var insertion: OpaquePointer?
  private var number: Int64 = 0

  init?(_ path: String) {
    guard sqlite3_open(path, &database) == SQLITE_OK else { return nil }
    for line in [
      "pragma journal_mode = wal", "pragma synchronous = normal",
      "create table steps (n integer primary key, t integer, by text, action text) strict",
    ] where sqlite3_exec(database, line, nil, nil, nil) != SQLITE_OK {
      return nil
    }
    let text = "insert into steps values (?, ?, ?, ?)"
    guard sqlite3_prepare_v2(database, text, -1, &insertion, nil) == SQLITE_OK else { return nil }
  }

  deinit {
    sqlite3_finalize(insertion)
    sqlite3_close(database)
  }

  func insert(_ count: Int) {
    let (by, action): (StaticString, StaticString) = (#"{"program":""}"#, #"{"add":{"_0":512}}"#)
    sqlite3_exec(database, "begin", nil, nil, nil)
    for _ in 0..<count {
      number += 1
      sqlite3_bind_int64(insertion, 1, number)
      sqlite3_bind_int64(insertion, 2, microseconds())
      bind(3, by)
      bind(4, action)
      precondition(sqlite3_step(insertion) == SQLITE_DONE, "L6 lost a row")
      sqlite3_reset(insertion)
    }
    sqlite3_exec(database, "commit", nil, nil, nil)
  }

  private func bind(_ column: Int32, _ text: StaticString) {
    text.withUTF8Buffer { text in
      // No destructor: the text is static.
      _ = sqlite3_bind_text(
        insertion, column, UnsafeRawPointer(text.baseAddress!).assumingMemoryBound(to: CChar.self),
        Int32(text.count), nil)
    }
  }
}
