import SwiftBoardJSON
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardDependencies

private func record(_ message: String, level: LogLevel = .info) -> LogRecord {
  LogRecord(time: DateGenerator.mockStart, level: level, category: "t", message: message)
}

private func lines(_ folder: TemporaryFolder, _ names: [String]) throws -> [String] {
  try names.flatMap { name -> [String] in
    guard access(folder.path(name), F_OK) == 0 else { return [] }
    let text = String(decoding: try folder.read(name), as: UTF8.self)
    #expect(text.isEmpty || text.hasSuffix("\n"), "\(name) ends in a torn line")
    return text.split(separator: "\n").map(String.init)
  }
}

struct JSONLinesSinkTests {
  @Test("one line a record") func oneLineARecord() async throws {
    let folder = try TemporaryFolder()
    let sink = JSONLinesSink(path: folder.path("state/log.jsonl"))
    let logger = LiveLogger(sinks: [sink], date: .fixed())
    #expect(access(folder.path("state"), F_OK) != 0)
    logger.log(
      "hello \"you\"", fields: [LogField("a", "1"), LogField("a", "2"), LogField("b", "")])
    #expect(await logger.flush(within: .seconds(3600)))
    #expect(
      try lines(folder, ["state/log.jsonl"]) == [
        #"{"time":"2026-01-01T00:00:00.000000Z","level":"info","category":"board","#
          + #""message":"hello \"you\"","fields":{"a":"1","a#2":"2","b":""}}"#
      ])
    var status = stat()
    #expect(stat(folder.path("state/log.jsonl"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(stat(folder.path("state"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
  }

  static let messages = [
    "plain", "new\nline\r\n", "\u{1B}[31mred\u{1B}[0m", "\u{0}\u{1}\u{7F}", "\u{9B}31m",
    "\u{2028}\u{2029}", "quote \" and \\", "ö 𝄞 👩‍👩‍👧", "", String(repeating: "\u{1B}", count: 1 << 20),
    String(repeating: "m", count: 1 << 20), String(decoding: [0xFF, 0x41, 0xC3], as: UTF8.self),
    "«secret:x»",
  ]

  @Test("any message is one valid line", arguments: messages.indices) func anyMessageIsOneValidLine(
    index: Int
  ) async throws {
    let message = Self.messages[index]
    let folder = try TemporaryFolder()
    let sink = JSONLinesSink(path: folder.path("log.jsonl"))
    let logger = LiveLogger(sinks: [sink], date: .fixed())
    logger.log(message, category: message, fields: [LogField(message, message)])
    #expect(await logger.flush(within: .seconds(3600)))
    let bytes = try folder.read("log.jsonl")
    #expect(bytes.count { $0 == 0x0A } == 1)
    #expect(bytes.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    let json = try JSON(parsing: String(decoding: bytes.dropLast(), as: UTF8.self))
    #expect(String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes))
    let kept = logger.recent(limit: 1)[0]
    guard case .object(let members) = json else {
      Issue.record("no object")
      return
    }
    #expect(members.first { $0.key == "message" }?.value == .string(kept.message))
    #expect(members.first { $0.key == "category" }?.value == .string(kept.category))
    if message.utf8.count < 100 { #expect(kept.message == message) }
  }

  /// Every form of a secret, in every position, into every sink.
  @Test("no secret reaches a file") func noSecretReachesAFile() async throws {
    let folder = try TemporaryFolder()
    let store = MockPersistenceService.mock
    let logger = LiveLogger(
      sinks: [JSONLinesSink(path: folder.path("log.jsonl")), StoreSink(store: store)],
      date: .fixed())
    logger.redactor.registerSecret(Array(awkward.utf8), name: "n")
    let all = forms(of: awkward)
    for (_, form) in all {
      logger.log(
        "Authorization: \(form)",
        fields: [
          LogField("url", "http://h/?token=\(form)&x=1"),
          LogField("password", form), LogField(form, "body {\"a\":\"\(form)\"}"),
        ])
      logger.log("plain \(form)", category: form)
    }
    #expect(await logger.flush(within: .seconds(3600)))
    let file = String(decoding: try folder.read("log.jsonl"), as: UTF8.self)
    let rows = try await store.logRecords(limit: 10_000, atLeast: nil)
    #expect(rows.count == all.count * 2)
    var texts = [file]
    for record in rows + logger.recent(limit: 10_000) {
      texts += [record.message, record.category]
      texts += record.fields.flatMap { [$0.key, $0.value] }
    }
    for (name, form) in all {
      var line: [UInt8] = []
      LogRecordLine.appendString(form, to: &line)
      let escaped = String(decoding: line.dropFirst().dropLast(), as: UTF8.self)
      for text in texts { #expect(!text.contains(form) && !text.contains(escaped), "\(name)") }
    }
  }

  @Test("rotates by size and count") func rotatesBySizeAndCount() throws {
    let folder = try TemporaryFolder()
    let sink = JSONLinesSink(path: folder.path("log"), maxBytes: 1000, maxFiles: 3)
    for index in 0..<100 { sink.write(record("message \(index)")) }
    #expect(sink.flush(deadline: .lastResort))
    let kept = try lines(folder, ["log.2", "log.1", "log"])
    #expect(access(folder.path("log.3"), F_OK) != 0)
    for name in ["log", "log.1", "log.2"] { #expect(try folder.read(name).count <= 1000) }
    let numbers = kept.compactMap { $0.split(separator: "message ").last?.prefix { $0.isNumber } }
    let expected: [String] = ((100 - kept.count)..<100).map { "\($0)" }
    #expect(numbers.map(String.init) == expected)
    #expect(kept.count > 20)
    #expect(sink.dropped == 0)
  }

  @Test("a line longer than the limit gets a file of its own")
  func aLineLongerThanTheLimitGetsAFileOfItsOwn() throws {
    let folder = try TemporaryFolder()
    let sink = JSONLinesSink(path: folder.path("log"), maxBytes: 200, maxFiles: 3)
    sink.write(record("a"))
    sink.write(record(String(repeating: "b", count: 1000)))
    sink.write(record("c"))
    #expect(sink.flush(deadline: .lastResort))
    #expect(try lines(folder, ["log.2", "log.1", "log"]).count == 3)
  }

  /// Two handles on one path, as two processes have them, rotating all the time.
  @Test("two writers lose and tear nothing") func twoWritersLoseAndTearNothing() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("log")
    let sinks = (0..<2).map { _ in JSONLinesSink(path: path, maxBytes: 4000, maxFiles: 500) }
    await withTaskGroup(of: Void.self) { group in
      for (writer, sink) in sinks.enumerated() {
        group.addTask {
          await onThread {
            for index in 0..<2000 {
              sink.write(record("<\(writer)-\(index)>"))
              // In step with the disk, so that the writers meet in many small batches.
              if index % 16 == 0 { _ = sink.flush(deadline: .lastResort) }
            }
            #expect(sink.flush(deadline: .lastResort))
          }
        }
      }
    }
    let names = ["log"] + (1..<500).map { "log.\($0)" }
    let all = try lines(folder, names)
    #expect(access(folder.path("log.10"), F_OK) == 0)
    let messages = all.compactMap { line in
      line.split(separator: "\"message\":\"").last.map { String($0.dropLast(2)) }
    }
    #expect(
      messages.sorted()
        == (0..<2).flatMap { writer in (0..<2000).map { "<\(writer)-\($0)>" } }.sorted())
    #expect(sinks.map(\.dropped) == [0, 0])
  }

  @Test("full disk drops and recovers") func fullDiskDropsAndRecovers() throws {
    let folder = try TemporaryFolder()
    let isFull = Shared(false)
    let failures = Shared(0)
    let system = FileSystem { call, _ in
      guard call == .write, isFull.value.withLock({ $0 }) else { return nil }
      let count = failures.value.withLock {
        $0 += 1; return $0
      }
      // A part is written first, as on a disk that fills up.
      return count == 1 ? .short : .error(ENOSPC)
    }
    let reports = Shared(0)
    let sink = JSONLinesSink(
      path: folder.path("log"), maxBytes: 1 << 20, maxFiles: 2, system: system
    ) { _ in reports.value.withLock { $0 += 1 } }
    sink.write(record("before"))
    #expect(sink.flush(deadline: .lastResort))
    #expect(reports.value.withLock { $0 } == 0)
    isFull.value.withLock { $0 = true }
    sink.write(record("short"))
    sink.write(record("none"))
    sink.write(record("lost"))
    #expect(sink.flush(deadline: .lastResort))
    #expect(sink.dropped == 3)
    #expect(reports.value.withLock { $0 } == 1, "it is said once")
    #expect(try lines(folder, ["log"]).count == 1, "a part of a line is taken back")
    isFull.value.withLock { $0 = false }
    sink.write(record("after"))
    #expect(sink.flush(deadline: .lastResort))
    let kept = try lines(folder, ["log"])
    #expect(kept.first?.contains("before") == true)
    #expect(kept.last?.contains("after") == true)
    #expect(sink.dropped == 3)
    sink.write(record("later"))
    #expect(sink.flush(deadline: .lastResort))
    let said = try lines(folder, ["log"]).compactMap {
      try JSON(parsing: $0)["message"]?.stringValue
    }
    #expect(said == ["before", "3 records were lost", "after", "later"])
  }

  @Test("a folder that is not there, or goes, costs no later record")
  func closedDescriptorAndLostFolder() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "blocker")
    let sink = JSONLinesSink(path: folder.path("blocker/log"))
    sink.write(record("x"))
    #expect(sink.flush(deadline: .lastResort))
    #expect(sink.dropped == 1)
    #expect(unlink(folder.path("blocker")) == 0)
    sink.write(record("y"))
    #expect(sink.flush(deadline: .lastResort))
    #expect(try lines(folder, ["blocker/log"]).count == 2, "with one that says what was lost")
    // File and folder are removed under the open handle.
    #expect(unlink(folder.path("blocker/log")) == 0)
    #expect(rmdir(folder.path("blocker")) == 0)
    sink.write(record("z"))
    #expect(sink.flush(deadline: .lastResort))
    #expect(try lines(folder, ["blocker/log"]).count == 1)
    #expect(sink.dropped == 1)
  }

  @Test("the end reports records that are lost, and why, unless a line or a full disk did")
  func lossesAtTheEnd() throws {
    let folder = try TemporaryFolder()
    #expect(mkdir(folder.path("log"), 0o700) == 0)
    let reports = Shared<[String]>([])
    let sink = JSONLinesSink(path: folder.path("log")) { message in
      reports.value.withLock { $0.append(message) }
    }
    #expect(sink.shutDown(deadline: .lastResort))
    #expect(reports.value.withLock(\.self) == [], "nothing was written")
    sink.write(record("x"))
    sink.write(record("y"))
    #expect(sink.flush(deadline: .lastResort))
    let reason = "\(folder.path("log")) cannot be written: \(SystemError.text(of: EISDIR))"
    #expect(reports.value.withLock(\.self) == [], "a later line may report them")
    for _ in 0..<2 {
      #expect(sink.shutDown(deadline: .lastResort))
      #expect(reports.value.withLock(\.self) == ["2 records of the log are lost: \(reason)"])
    }
  }

  @Test("a reason is that of the last loss, and what a caller reports the end does not")
  func reasons() throws {
    let folder = try TemporaryFolder()
    #expect(mkdir(folder.path("log"), 0o700) == 0)
    let reports = Shared<[String]>([])
    let sink = JSONLinesSink(path: folder.path("log")) { message in
      reports.value.withLock { $0.append(message) }
    }
    let reason = "\(folder.path("log")) cannot be written: \(SystemError.text(of: EISDIR))"
    sink.write(record("x"))
    #expect(sink.flush(deadline: .lastResort))
    #expect(sink.reportLosses() == reason)
    // It does not fit into the queue, and no system call refuses it.
    sink.write(record(String(repeating: "y", count: 9 << 20)))
    #expect(sink.dropped == 2)
    #expect(sink.reportLosses() == nil)
    sink.write(record("z"))
    #expect(sink.shutDown(deadline: .lastResort))
    #expect(reports.value.withLock(\.self) == ["1 record of the log is lost: \(reason)"])
  }

  @Test("the end reports a file that another process has locked")
  func lockAtTheEnd() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "log")
    let system = FileSystem()
    let other = try system.open(folder.path("log"), O_RDWR)
    #expect(try system.tryLock(other))
    let reports = Shared<[String]>([])
    let sink = JSONLinesSink(path: folder.path("log")) { message in
      reports.value.withLock { $0.append(message) }
    }
    sink.write(record("x"))
    #expect(!sink.shutDown(deadline: .now))
    #expect(
      reports.value.withLock(\.self) == [
        "records of the log are lost: \(folder.path("log")) was not written in time; "
          + "another process may have locked it"
      ])
    system.unlock(other)
    #expect(sink.flush(deadline: .lastResort))
  }

  @Test("torn last line is ended first") func tornLastLineIsEndedFirst() throws {
    let folder = try TemporaryFolder()
    try folder.write("{\"torn\":", to: "log")
    let sink = JSONLinesSink(path: folder.path("log"))
    sink.write(record("x"))
    #expect(sink.flush(deadline: .lastResort))
    let kept = try lines(folder, ["log"])
    #expect(kept.count == 2)
    #expect(kept[0] == "{\"torn\":")
  }

  @Test("links and pipes are refused") func linksAndPipesAreRefused() throws {
    let folder = try TemporaryFolder()
    #expect(symlink("/dev/null", folder.path("link")) == 0)
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    for name in ["link", "pipe"] {
      let sink = JSONLinesSink(path: folder.path(name))
      sink.write(record("x"))
      #expect(sink.flush(deadline: .lastResort))
      #expect(sink.dropped == 1)
    }
  }

  @Test("only errors are synchronised") func onlyErrorsAreSynchronised() throws {
    let folder = try TemporaryFolder()
    let count = Shared(0)
    let system = FileSystem { call, _ in
      if call == .sync { count.value.withLock { $0 += 1 } }
      return nil
    }
    let sink = JSONLinesSink(
      path: folder.path("log"), maxBytes: 1 << 20, maxFiles: 2, system: system)
    for level in [LogLevel.trace, .info, .warning] {
      sink.write(record("x", level: level))
      #expect(sink.flush(deadline: .lastResort))
    }
    #expect(count.value.withLock { $0 } == 0)
    for level in [LogLevel.error, .critical] {
      sink.write(record("x", level: level))
      #expect(sink.flush(deadline: .lastResort))
    }
    #expect(count.value.withLock { $0 } == 2)
  }

  /// The disk hangs: the caller goes on, what finds no place is counted, flush keeps its deadline.
  @Test("a hanging disk delays no caller") func hangingDiskDelaysNobody() throws {
    let folder = try TemporaryFolder()
    let gate = ThreadGate()
    let system = FileSystem { call, _ in
      if call == .write { gate.pass() }
      return nil
    }
    let sink = JSONLinesSink(
      path: folder.path("log"), maxBytes: 64 << 20, maxFiles: 2, system: system)
    sink.write(record("first"))
    gate.waitUntilSomeoneWaits()
    for index in 0..<10_000 { sink.write(record("\(index)")) }
    #expect(sink.dropped == 10_000 - 8192)
    // Real time: it has passed already.
    #expect(!sink.flush(deadline: ContinuousClock().now))
    gate.open()
    #expect(sink.flush(deadline: .lastResort))
    #expect(try lines(folder, ["log"]).count == 8193 + 1)
    #expect(
      try lines(folder, ["log"]).count { $0.contains("\(10_000 - 8192) records were lost") } == 1)
  }

  @Test("dropping the sink writes what waits") func droppingTheSinkWritesWhatWaits() throws {
    let folder = try TemporaryFolder()
    let gate = ThreadGate()
    let written = ThreadGate()
    let count = Shared(0)
    let system = FileSystem(
      intercept: { call, _ in
        if call == .write { gate.pass() }
        return nil
      },
      completed: { call, _ in
        guard call == .write else { return }
        if count.value.withLock({
          $0 += 1; return $0
        }) == 3 {
          written.open()
        }
      })
    var sink: JSONLinesSink? = JSONLinesSink(
      path: folder.path("log"), maxBytes: 1 << 20, maxFiles: 2, system: system)
    for message in ["a", "b", "c"] { sink?.write(record(message)) }
    sink = nil
    gate.open()
    written.pass()
    #expect(try lines(folder, ["log"]).count == 3)
  }
}
