import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// What is kept of logs can be read back, whichever process wrote it.
struct LogArchiveTests {
  private func record(_ message: String, level: LogLevel = .info) -> LogRecord {
    LogRecord(time: DateGenerator.mockStart, level: level, category: "t", message: message)
  }

  private func archive(
    _ folder: TemporaryFolder, _ maxFiles: Int = 50, _ sink: JSONLinesSink? = nil
  ) throws -> any LogArchive {
    let sink = sink ?? JSONLinesSink(path: folder.path("log"), maxBytes: 2000, maxFiles: maxFiles)
    return try #require(sink.archive(redactor: Redactor()))
  }

  private func all(_ reader: any LogRecordReader, page: Int = 7) async throws -> [String] {
    var messages: [String] = []
    while case let records = try await reader.next(page), !records.isEmpty {
      #expect(records.count <= page)
      messages += records.map(\.message)
    }
    return messages
  }

  private func fill(_ folder: TemporaryFolder, _ count: Int = 200) -> JSONLinesSink {
    let sink = JSONLinesSink(path: folder.path("log"), maxBytes: 2000, maxFiles: 50)
    for index in 0..<count {
      sink.write(record("m\(index)", level: index % 10 == 0 ? .error : .info))
    }
    #expect(sink.flush(deadline: .lastResort))
    return sink
  }

  @Test("every record of every file comes once and in order, from any place near the end")
  func newest() async throws {
    let folder = try TemporaryFolder()
    let sink = fill(folder)
    let names = (0..<200).map { "m\($0)" }
    let archive = try archive(folder, 50, sink)
    for count in [0, 1, 2, 17, 18, 19, 100, 199, 200, 201, 1_000_000] {
      let reader = try await archive.reader(newest: count, matching: LogFilter(), follows: false)
      #expect(try await all(reader) == names.suffix(count), "\(count)")
    }
    let whole = try await archive.reader(newest: nil, matching: LogFilter(), follows: false)
    #expect(try await all(whole) == names)
    #expect(whole.unreadable == 0)
  }

  @Test("a text is found where it begins with a combining mark")
  func matchingMark() {
    var filter = LogFilter()
    filter.text = "\u{301}x"
    #expect(filter.matches(record("m=\u{301}x")))
    #expect(!filter.matches(record("m=x")))
  }

  @Test("the newest so many are of those that match")
  func matching() async throws {
    let folder = try TemporaryFolder()
    let archive = try archive(folder, 50, fill(folder))
    var filter = LogFilter()
    filter.level = .error
    let errors = try await archive.reader(newest: 3, matching: filter, follows: false)
    #expect(try await all(errors) == ["m170", "m180", "m190"])
    filter = LogFilter()
    filter.text = "m19"
    let found = try await archive.reader(newest: nil, matching: filter, follows: false)
    #expect(try await all(found) == ["m19"] + (190..<200).map { "m\($0)" })
    filter = LogFilter()
    filter.since = DateGenerator.mockStart + 1
    let none = try await archive.reader(newest: 5, matching: filter, follows: false)
    #expect(try await all(none).isEmpty)
  }

  @Test("a field is found as it is shown", arguments: ["status=404", "status", "404", "us=4"])
  func fields(text: String) {
    var filter = LogFilter()
    filter.text = text
    var record = LogRecord(time: 0, level: .info, category: "api", message: "GET")
    record.fields = [LogField("status", "404")]
    #expect(filter.matches(record))
    record.fields = [LogField("bytes", "4")]
    #expect(!filter.matches(record))
  }

  @Test("a field that is not a string is its JSON")
  func otherFields() {
    let line =
      #"{"time":"2026-01-01T00:00:00.000000Z","level":"info","category":"c","message":"m","#
      + #""fields":{"a":1.50,"b":"x","c":[true,null]}}"#
    #expect(
      LogRecordLine.record(Array(line.utf8)[...])?.fields
        == [LogField("a", "1.50"), LogField("b", "x"), LogField("c", "[true,null]")])
  }

  @Test("only the end is read for the newest records, and what is not a record is counted")
  func onlyTheEnd() async throws {
    let folder = try TemporaryFolder()
    var sink: JSONLinesSink? = JSONLinesSink(path: folder.path("log"))
    sink?.write(record("first"))
    #expect(sink?.flush(deadline: .lastResort) == true)
    sink = nil
    let garbage = String(
      repeating: "no record" + String(repeating: "-", count: 90) + "\n", count: 2000)
    let first = String(decoding: try folder.read("log"), as: UTF8.self)
    try folder.write(garbage + first + "{\"time\":1}\n" + first + "{\"torn\":", to: "log")
    let archive = try archive(folder)
    let newest = try await archive.reader(newest: 2, matching: LogFilter(), follows: false)
    #expect(try await all(newest) == ["first", "first"])
    #expect(newest.unreadable == 1)
    let whole = try await archive.reader(newest: nil, matching: LogFilter(), follows: false)
    #expect(try await all(whole) == ["first", "first"])
    #expect(whole.unreadable == 2001)
  }

  @Test("lines longer than a block are read, and a line without an end is passed over")
  func longLines() async throws {
    let folder = try TemporaryFolder()
    let sink = JSONLinesSink(path: folder.path("log"))
    let long = String(repeating: "x", count: 300 << 10)
    for message in ["a", long, "b", long, "c"] { sink.write(record(message)) }
    #expect(sink.flush(deadline: .lastResort))
    let archive = try archive(folder, 5, sink)
    for count in 0...6 {
      let reader = try await archive.reader(newest: count, matching: LogFilter(), follows: false)
      #expect(try await all(reader) == ["a", long, "b", long, "c"].suffix(count))
    }
    let kept = String(decoding: try folder.read("log"), as: UTF8.self)
    try folder.write(
      kept + String(repeating: "y", count: 9 << 20) + "\n" + kept, to: "log")
    let reader = try await archive.reader(newest: 8, matching: LogFilter(), follows: false)
    #expect(
      try await all(reader) == ["b", long, "c", "a", long, "b", long, "c"])
    #expect(reader.unreadable == 1)
  }

  @Test("without a file there is nothing, and what comes later follows")
  func missing() async throws {
    let folder = try TemporaryFolder()
    let archive = try archive(folder)
    let reader = try await archive.reader(newest: 10, matching: LogFilter(), follows: true)
    #expect(try await all(reader).isEmpty)
    let sink = fill(folder, 40)
    #expect(try await all(reader) == (0..<40).map { "m\($0)" })
    for index in 40..<90 { sink.write(record("m\(index)")) }
    #expect(sink.flush(deadline: .lastResort))
    #expect(try await all(reader) == (40..<90).map { "m\($0)" })
    #expect(try await all(reader).isEmpty)
  }

  @Test("who follows passes from a file that is emptied, and from one that has gone, to the next")
  func emptied() async throws {
    let folder = try TemporaryFolder()
    let sink = JSONLinesSink(path: folder.path("log"), maxBytes: 2000, maxFiles: 2)
    let archive = try archive(folder, 2, sink)
    let reader = try await archive.reader(newest: 0, matching: LogFilter(), follows: true)
    sink.write(record("a"))
    #expect(sink.flush(deadline: .lastResort))
    #expect(try await all(reader) == ["a"])
    try await archive.clear()
    sink.write(record("b"))
    #expect(sink.flush(deadline: .lastResort))
    // As long as what was read of the emptied file, so that its size alone does not tell.
    #expect(try await all(reader) == ["b"])
    sink.write(record("c"))
    #expect(sink.flush(deadline: .lastResort))
    #expect(try await all(reader) == ["c"])
    // Far more than two files hold: the first of these lines are gone, the last are not.
    for index in 0..<500 { sink.write(record("m\(index)")) }
    #expect(sink.flush(deadline: .lastResort))
    let followed = try await all(reader)
    #expect(followed.last == "m499")
    #expect(Set(followed).count == followed.count)
    try await archive.clear()
    let rest = try await archive.reader(newest: nil, matching: LogFilter(), follows: false)
    #expect(try await all(rest).isEmpty)
  }

  @Test("what is written behind a clearing is read from its first line on, whoever writes it")
  func cleared() async throws {
    let folder = try TemporaryFolder()
    let sinks = (0..<3).map { _ in JSONLinesSink(path: folder.path("log")) }
    func write(_ index: Int, _ message: String) {
      sinks[index].write(record(message))
      #expect(sinks[index].flush(deadline: .lastResort))
    }
    let archive = try archive(folder, 5, sinks[0])
    let reader = try await archive.reader(newest: 0, matching: LogFilter(), follows: true)
    for index in sinks.indices { write(index, "before \(index)") }
    #expect(try await all(reader).count == 3)
    let long = String(repeating: "x", count: 1000)
    for round in 0..<3 {
      write(round, "unread \(round)")
      try await archive.clear()
      // Longer than what was read of the file before.
      for index in sinks.indices { write(index, "\(round).\(index) \(long)") }
      let names = sinks.indices.map { "\(round).\($0) \(long)" }
      // What a follower had open is still read, and every line after the clearing.
      #expect(try await all(reader) == ["unread \(round)"] + names)
      let whole = try await archive.reader(newest: nil, matching: LogFilter(), follows: false)
      #expect(try await all(whole) == names)
    }
    #expect(reader.unreadable == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["log"])
  }

  @Test("while several writers rotate the files, a reader sees each line once")
  func rotation() async throws {
    let folder = try TemporaryFolder()
    let (writers, lines) = (4, 500)
    let archive = try archive(folder, 400)
    let reader = try await archive.reader(newest: nil, matching: LogFilter(), follows: true)
    let path = folder.path("log")
    let sinks = (0..<writers).map { _ in
      JSONLinesSink(path: path, maxBytes: 2000, maxFiles: 400)
    }
    let (flushes, flushed) = AsyncStream.makeStream(of: Void.self)
    let tasks = sinks.enumerated().map { writer, sink in
      Task {
        await DetachedThread.run {
          for index in 0..<lines {
            sink.write(
              LogRecord(time: 0, level: .info, category: "t", message: "\(writer).\(index)"))
            // Small batches, so that the writers take turns.
            if index % 5 == 0 {
              _ = sink.flush(deadline: .lastResort)
              flushed.yield()
            }
          }
          _ = sink.flush(deadline: .lastResort)
          flushed.yield()
        }
      }
    }
    var seen: [String] = []
    Task {
      for task in tasks { await task.value }
      flushed.finish()
    }
    for await _ in flushes { seen += try await all(reader, page: 64) }
    #expect(try await all(reader).isEmpty)
    #expect(seen.count == writers * lines && Set(seen).count == seen.count)
    for writer in 0..<writers {
      let own = seen.filter { $0.hasPrefix("\(writer).") }
      #expect(own == (0..<lines).map { "\(writer).\($0)" })
    }
    #expect(reader.unreadable == 0)
    #expect(sinks.allSatisfy { $0.dropped == 0 })
  }

  @Test("what became a secret since it was written is not read, and cannot be searched for")
  func secrets() async throws {
    let folder = try TemporaryFolder()
    let logger = LiveLogger(sinks: [JSONLinesSink(path: folder.path("log"))], date: .fixed())
    logger.log("early s3cr3t-value", fields: [LogField("k", "s3cr3t-value")])
    logger.redactor.registerSecret(Array("s3cr3t-value".utf8), name: "radarr")
    let reader = try await logger.archive.reader(
      newest: nil, matching: LogFilter(), follows: false)
    let records = try await reader.next(10)
    #expect(records.map(\.message) == ["early «secret:radarr»"])
    #expect(records.first?.fields == [LogField("k", "«secret:radarr»")])
    var filter = LogFilter()
    filter.text = "s3cr3t"
    let search = try await logger.archive.reader(newest: nil, matching: filter, follows: false)
    #expect(try await search.next(10).isEmpty)
  }

  @Test("records that the disk does not take are an error, and no part of them is shown or removed")
  func late() async throws {
    let folder = try TemporaryFolder()
    _ = fill(folder, 3)
    let archive = LogFileArchive(
      path: folder.path("log"), maxFiles: 5, system: FileSystem(), redactor: Redactor()
    ) { false }
    await #expect(throws: FileError(folder.path("log"), "read", ETIMEDOUT)) {
      _ = try await archive.reader(newest: nil, matching: LogFilter(), follows: false)
    }
    await #expect(throws: FileError(folder.path("log"), "written", ETIMEDOUT)) {
      try await archive.clear()
    }
    #expect(try folder.read("log").isEmpty == false)
  }

  @Test("what is in the place of a log file is named and stays, except links of rotated names")
  func otherFiles() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("log")
    let archive = LogFileArchive(
      path: path, maxFiles: 5, system: FileSystem(), redactor: Redactor()
    ) { true }
    for name in [path, path + ".1"] {
      for make in [
        { mkfifo(name, 0o600) }, { mkdir(name, 0o700) }, { symlink("/dev/null", name) },
      ] as [() -> Int32] {
        try #require(make() == 0)
        let error = FileError(
          .io, path: name,
          message: "\(name) is not a regular file, and the log uses no other; move it away")
        await #expect(throws: error) {
          _ = try await archive.reader(newest: nil, matching: LogFilter(), follows: false)
        }
        if name != path, FileInfo(name, followsLink: false)?.isLink == true {
          try await archive.clear()
          #expect(FileInfo(name, followsLink: false) == nil)
          continue
        }
        await #expect(throws: error) { try await archive.clear() }
        #expect(FileInfo(name, followsLink: false)?.isRegular == false)
        try #require(remove(name) == 0)
      }
    }
  }

  @Test("a logger without a file reads its memory, and follows it")
  func memory() async throws {
    let logger = MockLogger(capacity: 5)
    for index in 0..<8 { logger.log("m\(index)") }
    let archive = logger.archive
    let reader = try await archive.reader(newest: 2, matching: LogFilter(), follows: true)
    #expect(try await all(reader) == ["m6", "m7"])
    for index in 8..<11 { logger.log("m\(index)") }
    #expect(try await all(reader, page: 2) == ["m8", "m9", "m10"])
    let fixed = try await archive.reader(newest: nil, matching: LogFilter(), follows: false)
    logger.log("later")
    #expect(try await all(fixed) == ["m7", "m8", "m9", "m10"])
    try await archive.clear()
    logger.log("last")
    #expect(try await all(reader) == ["last"])
  }
}
