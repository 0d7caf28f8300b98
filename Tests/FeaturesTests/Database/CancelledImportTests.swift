import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardFeatures

/// Imports that are cancelled while they write.
@Suite("a cancelled import")
struct CancelledImportTests {
  /// An export of two parts. An import that has read the first one waits until it is cancelled.
  private final class EndlessFile: FileService {
    /// Yields when an import has written what is in the first part.
    let waits: AsyncStream<Void>
    private let begun: AsyncStream<Void>.Continuation
    private let parts: [Data]
    /// The number of times that the file was opened.
    private let count = Mutex(0)

    init(documents: Int) {
      func line(_ id: Int) -> String {
        #"{"document":{"collection":"c","id":"\#(id)","updated":1,"body":1}}"# + "\n"
      }
      let head = #"{"swiftboard":"db export","version":1}"# + "\n"
      parts = [head + (0..<documents).map(line).joined(), line(documents)].map { Data($0.utf8) }
      (waits, begun) = AsyncStream.makeStream(of: Void.self)
    }

    func read(_ path: String, limit: Int) async throws(FileError) -> Data { Data(parts.joined()) }
    func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {}

    func input(_ path: String) async throws(FileError) -> FileInput {
      let isImport = count.withLock { count in
        count += 1
        return count.isMultiple(of: 2)
      }
      let next = Mutex(0)
      return FileInput(size: nil, isRepeatable: true) { [parts, begun] () throws(FileError) in
        let number = next.withLock { next in
          next += 1
          return next - 1
        }
        if number == 1, isImport {
          let (never, _) = AsyncStream.makeStream(of: Void.self)
          begun.yield()
          for await _ in never {}
        }
        return number < parts.count ? parts[number] : nil
      }
    }
  }

  private func lines(_ file: EndlessFile) -> Lines {
    let world = World()
    var dependencies = world.dependencies
    dependencies.files = file
    return Lines(world, dependencies: dependencies)
  }

  @Test(
    "an interrupt ends it with 130 and with what it has written", arguments: [0, 499, 500, 1200])
  func interrupted(documents: Int) async throws {
    let file = EndlessFile(documents: documents)
    let lines = lines(file)
    var waits = file.waits.makeAsyncIterator()
    let line = Task { await lines.run("db import f") }
    await waits.next()
    #expect(lines.session.interrupt() == .command)
    #expect(await line.value == 130)
    let written = documents / 500 * 500
    #expect(
      try await lines.world.persistence.documents(DocumentQuery(collection: "c")).count == written)
    let counts = written == 0 ? "" : "; \(written) entries were added and 0 replaced before"
    #expect(lines.allPrinted.contains("error: cancelled\(counts)\n"), "\(lines.allPrinted)")
    let help = "help: import the file again with --existing keep"
    #expect(lines.allPrinted.contains(help) == (written > 0), "\(lines.allPrinted)")
    let state = lines.board.store.state
    #expect(state.shell.running.isEmpty)
    #expect(state.db.changes == [])
    // The next one ends itself too.
    #expect(await lines.run("db list c --limit 1") == 0)
    await lines.board.close()
  }

  @Test("'cancel' ends one in the background, with what it has written")
  func background() async throws {
    let file = EndlessFile(documents: 500)
    let lines = lines(file)
    var waits = file.waits.makeAsyncIterator()
    #expect(await lines.run("db import f &") == 0)
    await waits.next()
    #expect(await lines.run("cancel 1") == 0)
    #expect(await lines.board.wait(for: 1) == 130)
    #expect(
      lines.allPrinted.contains(
        "[1] cancelled; 500 entries were added and 0 replaced before: db import"),
      "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("one that is cancelled before it writes ends at once")
  func whileChecked() {
    let store = World().looseStore()
    store.send(
      .db(
        .run(
          context: context("db import f", "db.import"),
          command: .import(path: "f", existing: .keep))))
    store.send(.shell(.cancelled(job: 1)))
    #expect(store.state.shell.running.isEmpty)
    store.skipReceivedActions()
  }

  private func begin(_ request: ImportRequest, _ state: inout DatabaseState) {
    _ = DatabaseReducer().reduce(&state, .checked(request: request, taken: nil), .mock)
  }

  @Test("in an earlier recording a cancelled import ends at once")
  func earlier() throws {
    let json = #"{"existing":"keep","job":1,"path":"f"}"#
    let request = try CanonicalDecoder.decode(ImportRequest.self, from: Array(json.utf8))
    var state = DatabaseState()
    begin(request, &state)
    #expect(state.changes == [])
    #expect(!BoardFeatures.db.endsCancelled(state, 1))
    begin(ImportRequest(job: 1, path: "f", existing: .keep), &state)
    #expect(BoardFeatures.db.endsCancelled(state, 1))
  }

  @Test("in a later recording imports alone end themselves")
  func later() throws {
    var state = try CanonicalDecoder.decode(
      DatabaseState.self, from: Array(#"{"isLoaded":false,"writes":0}"#.utf8))
    begin(ImportRequest(job: 1, path: "f", existing: .keep), &state)
    #expect(state.imports == [1] && state.changes == nil)
    #expect(BoardFeatures.db.endsCancelled(state, 1))
    state.changes?.begin(2)
    #expect(!BoardFeatures.db.endsCancelled(state, 2))
    state.endChange(1)
    #expect(state.imports == nil)
  }

  @Test("a board that is closed, as a signal does it, says what was written before")
  func closed() async throws {
    let file = EndlessFile(documents: 500)
    let lines = lines(file)
    var waits = file.waits.makeAsyncIterator()
    let line = Task { await lines.run("db import f") }
    await waits.next()
    await lines.board.close()
    #expect(await line.value == 130)
    #expect(
      lines.allPrinted.contains("error: cancelled; 500 entries were added and 0 replaced before\n"),
      "\(lines.allPrinted)")
  }
}
