import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// What holds for every logger.
struct LoggerConformanceTests {
  enum Kind: CaseIterable, Sendable {
    case live, mock, preview

    func make() -> any Logger {
      switch self {
      case .live: LiveLogger(date: .fixed(), level: .trace)
      case .mock: MockLogger()
      case .preview: MockLogger.preview
      }
    }
  }

  @Test("keeps what is written", arguments: Kind.allCases) func keepsWhatIsWritten(kind: Kind) {
    let logger = kind.make()
    logger.clear()
    logger.log("hello", level: .info, category: "api", fields: [LogField("a", "b")])
    #expect(
      logger.recent(limit: 10) == [
        LogRecord(
          time: DateGenerator.mockStart, level: .info, category: "api", message: "hello",
          fields: [LogField("a", "b")])
      ])
    logger.clear()
    #expect(logger.recent(limit: 10).isEmpty)
  }

  @Test("the newest records are given, as many as asked for", arguments: Kind.allCases)
  func newestOnes(kind: Kind) {
    let logger = kind.make()
    for index in 0..<5 { logger.log("\(index)") }
    #expect(logger.recent(limit: 2).map(\.message) == ["3", "4"])
    #expect(logger.recent(limit: 0).isEmpty)
    #expect(logger.recent(limit: -1).isEmpty)
  }

  @Test("a record below the level is not kept", arguments: Kind.allCases, LogLevel.allCases)
  func levels(kind: Kind, least: LogLevel) {
    let logger = kind.make()
    logger.clear()
    logger.setLevel(least, category: nil)
    #expect(logger.level(category: nil) == least)
    #expect(logger.level(category: "api") == least)
    for level in LogLevel.allCases {
      #expect(logger.isEnabled(level, category: "api") == (level >= least))
      logger.log("x", level: level, category: "api")
    }
    #expect(logger.recent(limit: 100).map(\.level) == LogLevel.allCases.filter { $0 >= least })
  }

  @Test("categories have levels of their own", arguments: Kind.allCases)
  func categoriesHaveLevelsOfTheirOwn(kind: Kind) {
    let logger = kind.make()
    logger.setLevel(.warning, category: nil)
    logger.setLevel(.debug, category: "api")
    logger.setLevel(.critical, category: "db")
    #expect(logger.isEnabled(.debug, category: "api"))
    #expect(!logger.isEnabled(.trace, category: "api"))
    #expect(!logger.isEnabled(.error, category: "db"))
    #expect(logger.isEnabled(.critical, category: "db"))
    #expect(!logger.isEnabled(.info, category: "board"))
    #expect(logger.isEnabled(.warning, category: "board"))
    #expect(logger.level(category: "api") == .debug)
    logger.setLevel(.trace, category: nil)
    #expect(logger.level(category: "api") == .debug)
    #expect(logger.isEnabled(.trace, category: "board"))
  }

  @Test("nothing is built when disabled", arguments: Kind.allCases) func nothingIsBuiltWhenDisabled(
    kind: Kind
  ) {
    let logger = kind.make()
    logger.setLevel(.error, category: nil)
    let built = Mutex(0)
    func text() -> String {
      built.withLock { $0 += 1 }
      return "x"
    }
    logger.log(text(), level: .info, fields: [LogField("k", text())])
    #expect(built.withLock { $0 } == 0)
    logger.log(text(), level: .error, fields: [LogField("k", text())])
    #expect(built.withLock { $0 } == 2)
  }

  @Test("counts by level", arguments: Kind.allCases) func countsByLevel(kind: Kind) {
    let logger = kind.make()
    let before = logger.statistics().counts
    logger.log("x", level: .error)
    logger.log("x", level: .error)
    let after = logger.statistics()
    #expect((after.counts["error"] ?? 0) - (before["error"] ?? 0) == 2)
    #expect(after.dropped == 0)
    #expect(Set(after.counts.keys) == Set(LogLevel.allCases.map(\.name)))
  }

  @Test("redacts by value and by position", arguments: Kind.allCases)
  func redactsByValueAndByPosition(kind: Kind) {
    let logger = kind.make()
    logger.clear()
    logger.log("early s3cr3t-value", level: .error)
    logger.redactor.registerSecret(Array("s3cr3t-value".utf8), name: "radarr")
    logger.log(
      "GET http://h/?apikey=abc with s3cr3t-value", level: .error, category: "s3cr3t-value",
      fields: [LogField("token", "abc"), LogField("s3cr3t-value", "czNjcjN0LXZhbHVl")])
    let records = logger.recent(limit: 2)
    #expect(
      records.map(\.message) == [
        "early «secret:radarr»", "GET http://h/?apikey=«redacted» with «secret:radarr»",
      ])
    #expect(records[1].category == "«secret:radarr»")
    #expect(
      records[1].fields == [
        LogField("token", "«redacted»"), LogField("«secret:radarr»", "«secret:radarr»"),
      ])
    #expect(logger.redact("s3cr3t-value") == "«secret:radarr»")
  }

  @Test("levels have names") func levelNames() {
    for level in LogLevel.allCases { #expect(LogLevel(name: level.name) == level) }
    #expect(LogLevel(name: "loud") == nil)
  }
}

struct LiveLoggerTests {
  /// Keeps what it gets.
  final class Collector: LogRecordSink {
    let records = Mutex<[LogRecord]>([])
    func write(_ record: LogRecord) { records.withLock { $0.append(record) } }
    var all: [LogRecord] { records.withLock { $0 } }
  }

  @Test("ring holds the newest") func ringHoldsTheNewest() {
    let ring = RingSink(capacity: 3)
    for index in 0..<7 {
      ring.write(LogRecord(time: Int64(index), level: .info, category: "c", message: ""))
    }
    #expect(ring.recent().map(\.time) == [4, 5, 6])
    #expect(ring.recent(limit: 2).map(\.time) == [5, 6])
    ring.clear()
    ring.write(LogRecord(time: 9, level: .info, category: "c", message: ""))
    #expect(ring.recent().map(\.time) == [9])
  }

  @Test("redaction comes before cutting") func redactionComesBeforeCutting() {
    let sink = Collector()
    let logger = LiveLogger(sinks: [sink], date: .fixed())
    let secret = "0123456789-secret-value"
    logger.redactor.registerSecret(Array(secret.utf8), name: "n")
    // The secret straddles the place where the message is cut.
    let message = String(repeating: "a", count: (16 << 10) - 5) + secret + "rest"
    logger.log(message)
    let kept = sink.all[0].message
    #expect(kept.utf8.count < 16 << 10 + 64)
    #expect(!kept.contains("0123"))
    #expect(kept.contains("cut: "))
  }

  @Test("long messages are cut at a character") func longMessagesAreCutAtACharacter() {
    let sink = Collector()
    let logger = LiveLogger(sinks: [sink], date: .fixed())
    for prefix in 0..<4 {
      logger.log(String(repeating: "x", count: prefix) + String(repeating: "𝄞", count: 300_000))
    }
    for record in sink.all {
      #expect(!record.message.unicodeScalars.contains("\u{FFFD}"))
      #expect(record.message.hasSuffix("bytes)"))
      #expect(record.message.utf8.count <= 16 << 10 + 64)
    }
  }

  @Test("fields are bounded") func fieldsAreBounded() {
    let sink = Collector()
    let logger = LiveLogger(sinks: [sink], date: .fixed())
    logger.log(
      "x", fields: (0..<100).map { LogField("k\($0)", String(repeating: "v", count: 9999)) })
    let fields = sink.all[0].fields
    #expect(fields.count == 65)
    #expect(fields[64] == LogField("omitted", "36 fields"))
    #expect(fields.allSatisfy { $0.value.utf8.count < 5000 })
  }

  @Test("logging inside a sink is dropped and counted") func loggingInsideASinkIsDroppedAndCounted()
  {
    final class Loud: LogRecordSink {
      let logger = Mutex<LiveLogger?>(nil)
      let writes = Mutex(0)
      func write(_ record: LogRecord) {
        writes.withLock { $0 += 1 }
        logger.withLock { $0 }?.log("inside a sink", level: .critical)
      }
    }
    let loud = Loud()
    let logger = LiveLogger(sinks: [loud], date: .fixed())
    loud.logger.withLock { $0 = logger }
    logger.log("x")
    #expect(loud.writes.withLock { $0 } == 1)
    #expect(logger.statistics().dropped == 1)
    #expect(logger.recent(limit: 5).map(\.message) == ["x"])
    loud.logger.withLock { $0 = nil }
    logger.log("y")
    #expect(logger.recent(limit: 5).count == 2)
  }

  @Test("flush has a deadline") func flushHasADeadline() async {
    struct Stuck: LogRecordSink {
      func write(_ record: LogRecord) {}
      func flush(deadline: ContinuousClock.Instant) -> Bool { false }
    }
    let collector = Collector()
    #expect(await !LiveLogger(sinks: [Stuck(), collector]).flush(within: .zero))
    #expect(await LiveLogger(sinks: [collector]).flush(within: .zero))
  }

  @Test(
    "a sink that hangs or fails delays neither callers nor other sinks, and says its losses once")
  func queuedSinks() async {
    struct Refusal: Error {}
    let gate = ThreadGate()
    let hanging = QueuedSink(capacity: 10) { _ in gate.pass() }
    let isFailing = Shared(true)
    let kept = Shared<[String]>([])
    let failing = QueuedSink { records in
      if isFailing.value.withLock({ $0 }) { throw Refusal() }
      kept.value.withLock { $0 += records.map(\.message) }
    }
    let good = Shared<[String]>([])
    let other = QueuedSink { records in good.value.withLock { $0 += records.map(\.message) } }
    let logger = LiveLogger(sinks: [hanging, failing, other], date: .fixed())
    logger.log("first")
    gate.waitUntilSomeoneWaits()
    for index in 0..<100 { logger.log("\(index)") }
    // The others are through while the first one hangs.
    #expect(failing.flush(deadline: .lastResort) && other.flush(deadline: .lastResort))
    let numbers: [String] = (0..<100).map { "\($0)" }
    #expect(good.value.withLock { $0 } == ["first"] + numbers)
    #expect(hanging.dropped == 90)
    #expect(failing.dropped == 101)
    #expect(logger.statistics().dropped == 191)
    #expect(logger.recent(limit: 1000).count == 101)
    isFailing.value.withLock { $0 = false }
    for message in ["back", "again"] {
      logger.log(message)
      #expect(failing.flush(deadline: .lastResort))
    }
    #expect(kept.value.withLock { $0 } == ["101 records were lost", "back", "again"])
    gate.open()
    #expect(await logger.flush(within: .seconds(3600)))
  }

  @Test("what causes a record is among its fields, and is asked for only when it is written")
  func cause() async {
    let logger = MockLogger(level: .info)
    logger.log("outside")
    await LogCause.$current.withValue(LogCause(step: 7, job: 3)) {
      logger.log("within", fields: [LogField("k", "v")])
      logger.log("off", level: .debug)
      // Inherited by what the work starts.
      await Task { logger.log("task") }.value
      LogCause.$current.withValue(LogCause(step: 8)) { logger.log("next") }
    }
    #expect(logger.records.map(\.message) == ["outside", "within", "task", "next"])
    let cause = [LogField("step", "7"), LogField("job", "3")]
    #expect(
      logger.records.map(\.fields) == [
        [], [LogField("k", "v")] + cause, cause, [LogField("step", "8")],
      ])
    var filter = LogFilter()
    filter.step = 7
    #expect(logger.records.filter(filter.matches).map(\.message) == ["within", "task"])
  }

  @Test("elements of a pause are processed together, and neither a flush nor the end waits for it")
  func elementsOfAPauseAreProcessedTogether() {
    let batches = Mutex<[[Int]]>([])
    let gate = ThreadGate()
    gate.open()
    var limits = BackgroundWorker<Int>.Limits()
    limits.pause = .seconds(3600)
    var worker: BackgroundWorker<Int>? = BackgroundWorker(limits: limits) { items in
      batches.withLock { $0.append(items) }
      items = []
      gate.pass()
    }
    worker?.add(1)
    gate.waitUntilSomeoneWaits()
    worker?.add(2)
    worker?.add(3)
    #expect(batches.withLock { $0 } == [[1]])
    #expect(worker?.flush(deadline: .lastResort) == true)
    #expect(batches.withLock { $0 } == [[1], [2, 3]])
    gate.waitUntilSomeoneWaits()
    worker?.add(4)
    worker = nil
    gate.waitUntilSomeoneWaits()
    #expect(batches.withLock { $0 } == [[1], [2, 3], [4]])
  }

  @Test("a flush of a process that was stopped past its limit gives the thread its turn")
  func lateFlush() {
    let gate = ThreadGate()
    gate.open()
    var limits = BackgroundWorker<Int>.Limits()
    limits.pause = .seconds(3600)
    let worker = BackgroundWorker<Int>(limits: limits) { items in
      items = []
      gate.pass()
    }
    worker.add(1)
    gate.waitUntilSomeoneWaits()
    worker.add(2)
    // Real time: the limit is that of a process that continues a minute too late.
    #expect(worker.flush(deadline: .now.advanced(by: .seconds(-60))))
  }

  @Test("a note is stored once it is written, and no thread of the pool waits for that")
  func notes() async throws {
    struct Watching: LogRecordSink {
      let isOutsideTask = Shared(false)
      func write(_ record: LogRecord) {}
      func flush(deadline: ContinuousClock.Instant) -> Bool {
        isOutsideTask.value.withLock { $0 = withUnsafeCurrentTask { $0 == nil } }
        return true
      }
    }
    let store = MockPersistenceService.mock
    let watching = Watching()
    let logger = LiveLogger(sinks: [StoreSink(store: store), watching], date: .fixed())
    try await logger.write(note: "x")
    #expect(try await store.logRecords(limit: 9, atLeast: nil).map(\.message) == ["x"])
    #expect(watching.isOutsideTask.value.withLock { $0 })
  }

  /// A sink that does not write in time.
  private struct Stuck: LogRecordSink {
    func write(_ record: LogRecord) {}
    func flush(deadline: ContinuousClock.Instant) -> Bool { false }
  }

  @Test("records are not removed while others wait to be written")
  func lateRemoval() async throws {
    let store = MockPersistenceService.mock
    let logger = LiveLogger(sinks: [StoreSink(store: store), Stuck()], date: .fixed())
    logger.log("x", level: .error)
    await #expect(throws: FileError.self) { try await logger.removeAll(in: store) }
    #expect(try await store.logRecords(limit: 9, atLeast: nil).map(\.message) == ["x"])
  }

  @Test("a note that does not reach the sinks in time, or at all, is an error")
  func failingNotes() async {
    struct Refusal: Error {}
    let failing = QueuedSink { _ in throw Refusal() }
    let muted = LiveLogger(level: .error)
    for (logger, expected) in [
      (LiveLogger(sinks: [Stuck()]), LogNoteError.late),
      (LiveLogger(sinks: [failing]), .dropped(reason: nil)), (muted, .disabled),
    ] {
      let error = await #expect(throws: LogNoteError.self) { try await logger.write(note: "x") }
      #expect(error == expected)
    }
  }

  @Test("a note that is lost has the reason, and the end of the program reports only later losses")
  func lostNote() async throws {
    let folder = try TemporaryFolder()
    #expect(mkdir(folder.path("log"), 0o700) == 0)
    let reports = Shared(0)
    let sink = JSONLinesSink(path: folder.path("log")) { _ in reports.value.withLock { $0 += 1 } }
    let logger = LiveLogger(sinks: [sink])
    let error = await #expect(throws: LogNoteError.self) { try await logger.write(note: "x") }
    let reason = "\(folder.path("log")) cannot be written: \(SystemError.text(of: EISDIR))"
    #expect(error == .dropped(reason: reason))
    #expect(await logger.shutDown(within: .seconds(3600)))
    #expect(reports.value.withLock(\.self) == 0)
    logger.log("y")
    #expect(await logger.shutDown(within: .seconds(3600)))
    #expect(reports.value.withLock(\.self) == 1)
  }

  @Test("the reason of a lost note is that of a sink which has lost something meanwhile")
  func reasonOfAnotherSink() async throws {
    let folder = try TemporaryFolder()
    #expect(mkdir(folder.path("log"), 0o700) == 0)
    let file = JSONLinesSink(path: folder.path("log"))
    file.write(
      LogRecord(time: DateGenerator.mockStart, level: .info, category: "t", message: "earlier"))
    #expect(file.flush(deadline: .lastResort))
    #expect(rmdir(folder.path("log")) == 0)
    let logger = LiveLogger(sinks: [file, QueuedSink { _ in throw CancellationError() }])
    let error = await #expect(throws: LogNoteError.self) { try await logger.write(note: "x") }
    #expect(error == .dropped(reason: nil))
  }

  @Test("store sink hands records over") func storeSinkHandsRecordsOver() async throws {
    let store = MockPersistenceService.mock
    let sink = StoreSink(store: store)
    let logger = LiveLogger(sinks: [sink], date: .fixed())
    for index in 0..<100 { logger.log("\(index)") }
    #expect(await logger.flush(within: .seconds(3600)))
    let records = try await store.logRecords(limit: 1000, atLeast: nil)
    let expected: [String] = (0..<100).map { "\($0)" }
    #expect(records.map(\.message) == expected)
  }
}

/// Runs what blocks on a thread of its own.
func onThread(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
    let worker = BackgroundWorker<Int> { items in
      items = []
      // The worker marks its thread as a sink's, which a test is not.
      LogRecursion.leave()
      body()
      continuation.resume()
    }
    worker.add(0)
  }
}
