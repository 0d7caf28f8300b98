import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardDependencies

private struct Numbers: DeferredBatch {
  var values: [Int] = []

  var isEmpty: Bool { values.isEmpty }
}

/// Recent searches and cached answers are written behind the calls that bring them, and the log of
/// a database that has nothing else is left to the next run.
@Suite("writes that wait for others")
struct DeferredWritesTests {
  @Test("what comes during a write, and after it, is written together")
  func together() async {
    let batches = Mutex<[[Int]]>([])
    let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    // A pause that only `flush` ends.
    let writes = DeferredWrites<Numbers>(every: .seconds(3600)) { batch in
      hasBegun.yield()
      if batch.values == [1] { for await _ in gate { break } }
      batches.withLock { $0.append(batch.values) }
    }
    func add(_ number: Int) -> [Int]? {
      writes.add { waiting, writing in
        waiting.values.append(number)
        return writing?.values
      }
    }
    #expect(add(1) == nil)
    for await _ in begun { break }
    #expect(add(2) == [1])
    #expect(add(3) == [1])
    open.yield()
    await writes.flush()
    #expect(batches.withLock { $0 } == [[1], [2, 3]])
    _ = add(4)
    await writes.flush()
    #expect(batches.withLock { $0 } == [[1], [2, 3], [4]])
    // Nothing waits: it returns at once.
    await writes.flush()
  }

  @Test("the error of a write that failed is thrown once")
  func failed() async {
    let writes = DeferredWrites<Numbers>(every: .seconds(3600)) {
      (batch) throws(PersistenceError) in
      guard batch.values != [1] else {
        throw PersistenceError(.full, operation: "add", message: "no space")
      }
    }
    writes.add { waiting, _ in waiting.values.append(1) }
    await writes.flush()
    #expect(
      await failure { () throws(PersistenceError) in try writes.throwFailure() }?.kind == .full)
    writes.add { waiting, _ in waiting.values.append(2) }
    await writes.flush()
    #expect(throws: Never.self) { try writes.throwFailure() }
  }

  @Test("a caller that is cancelled does not wait for a write")
  func cancelled() async {
    let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let writes = DeferredWrites<Numbers>(every: .seconds(3600)) { _ in
      hasBegun.yield()
      for await _ in gate { break }
    }
    writes.add { waiting, _ in waiting.values.append(1) }
    for await _ in begun { break }
    let waiting = Task { await writes.flush() }
    waiting.cancel()
    await waiting.value
    open.yield()
    await writes.flush()
  }

  @Test("what waits can be dropped, and a caller that waits for it goes on")
  func dropped() async {
    let batches = Mutex<[[Int]]>([])
    let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let writes = DeferredWrites<Numbers>(every: .seconds(3600)) { batch in
      hasBegun.yield()
      for await _ in gate { break }
      batches.withLock { $0.append(batch.values) }
    }
    writes.add { waiting, _ in waiting.values.append(1) }
    for await _ in begun { break }
    writes.add { waiting, _ in waiting.values.append(2) }
    // Whether it comes before or after the drop, it waits for no batch that is gone.
    async let flushed: Void = writes.flush()
    writes.dropWaiting()
    open.yield()
    await flushed
    await writes.flush()
    #expect(batches.withLock { $0 } == [[1]])
  }

  @Test("an answer is found before it is in the file, also one that was confirmed")
  func answers() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service(writesTogether: true)
    let body = Data("body".utf8)
    for key in ["a", "\u{E9}", "e\u{301}"] {
      try await service.storeResponse(
        CachedResponse(
          key: key, service: "s", status: 200, headers: [], body: body, stored: 1, expires: nil))
      #expect(try await service.cachedResponse(key)?.body == body)
    }
    #expect(try await service.cachedResponses().map(\.key) == ["a", "e\u{301}", "\u{E9}"])
    try await service.storeResponse(
      CachedResponse(
        key: "a", service: "s", status: 200, headers: [HTTPHeader("ETag", "x")], body: body,
        stored: 7, expires: 9))
    let confirmed = try await service.cachedResponse("a")
    #expect(confirmed?.headers.value(of: "ETag") == "x")
    #expect(confirmed?.stored == 7)
    try await service.close()

    let other = folder.service()
    #expect(try await other.cachedResponse("a")?.stored == 7)
    #expect(try await other.cachedResponse("a")?.body == body)
    try await other.close()
  }

  @Test("the last searches of many are kept, each once and in order")
  func searches() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service(limits: PersistenceLimits(searches: 3), writesTogether: true)
    for number in 0..<500 {
      try await service.addSearch("\(number % 7)", scope: "s", at: Int64(number))
    }
    // 499 is 2 of seven.
    let found = try await service.searches(scope: "s", containing: nil)
    #expect(found.map(\.text) == ["2", "1", "0"])
    #expect(found.map(\.at) == [499, 498, 497])
    try await service.close()
    let other = folder.service()
    #expect(try await other.searches(scope: "s", containing: nil) == found)
    try await other.close()
  }

  // MARK: The log

  @Test("a log of what may be lost is left to the next run, any other is folded in")
  func leftLog() async throws {
    let folder = try DatabaseFolder()
    let first = folder.service()
    try await first.addSearch("one", scope: "s", at: 1)
    try await first.close()
    #expect(try folder.names.contains("main.sqlite-wal"))

    let second = folder.service()
    #expect(try await second.searches(scope: "s", containing: nil).map(\.text) == ["one"])
    try await second.close()
    #expect(try folder.names.contains("main.sqlite-wal"))

    let third = folder.service()
    try await third.setPreference("p", to: "1")
    try await third.close()
    #expect(try !folder.names.contains("main.sqlite-wal"))
    #expect(try await third.searches(scope: "s", containing: nil).map(\.text) == ["one"])
    try await third.close()
  }

  @Test("what was cleared stays in no log")
  func clearedLog() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.storeResponse(
      CachedResponse(
        key: "k", service: "s", status: 200, headers: [], body: Data("cleared-body".utf8),
        stored: 1, expires: nil))
    _ = try await service.clearResponses(service: nil)
    try await service.addSearch("one", scope: "s", at: 1)
    _ = try await service.removeSearches("two", scope: "s")
    try await service.close()
    #expect(try folder.names.allSatisfy { !$0.hasSuffix("-wal") })
  }

  @Test("a log from before the start of the machine makes a read check the file, and is left")
  func oldLog() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    let body = "\"" + String(repeating: "x", count: 3000) + "\""
    _ = try await service.putEntries(
      StoredEntries(documents: (0..<50).map { Document("\($0)", body) }), onExisting: .refuse)
    try await service.setPreference("p", to: "1")
    try await service.close()
    try await service.addSearch("one", scope: "s", at: 1)
    try await service.close()
    func age(_ path: String) {
      let times = [timeval](repeating: timeval(tv_sec: 1, tv_usec: 0), count: 2)
      #expect(utimes(path, times) == 0)
    }
    age(folder.main + "-wal")
    let files = ["", "-wal"].map { folder.main + $0 }
    let left = try files.map(DatabaseFolder.bytes)
    let reading = folder.service()
    #expect(try await reading.preference("p") == "1")
    try await reading.close()
    #expect(try files.map(DatabaseFolder.bytes) == left)
    let whole = folder.service()
    try await whole.addSearch("two", scope: "s", at: 2)
    try await whole.close()

    try await service.addSearch("three", scope: "s", at: 3)
    try await service.close()
    var bytes = try DatabaseFolder.bytes(folder.main)
    for index in (bytes.count - 40_960)..<bytes.count { bytes[index] = 0 }
    try DatabaseFolder.write(bytes, to: folder.main)
    // Killed, or left: only what is asked for is read.
    let unchecked = folder.service()
    #expect(try await unchecked.preference("p") == "1")
    try await unchecked.close()
    age(folder.main + "-wal")
    let found = await failure { () throws(PersistenceError) in
      try await folder.service().preference("p")
    }
    #expect(found?.kind == .corrupted)
    #expect(found?.message.contains("the machine stopped") == true)
  }
}
