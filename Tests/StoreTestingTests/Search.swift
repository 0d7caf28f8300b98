import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardTesting
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The line that the documentation gives for Swift Testing.
let report = testReporter {
  Issue.record("\($0)", sourceLocation: .init(fileID: $1, filePath: $2, line: $3, column: $4))
}

/// Keeps failures, for tests of the failures themselves.
final class Failures: Sendable {
  private let storage = Mutex<[TestFailure]>([])

  var all: [TestFailure] { storage.withLock { $0 } }
  var messages: [String] { all.map(\.message) }
  var kinds: [TestFailure.Kind] { all.map(\.kind) }
  var lines: [Int] { all.map(\.location.line) }

  var report: TestReporter { { failure in self.storage.withLock { $0.append(failure) } } }
}

/// A search box: what is typed is looked up a moment later, and only the last of it.
struct Search: Reducer {
  struct State: Sendable, Equatable {
    var text = ""
    var results: [String] = []
    var ticks = 0
  }

  enum Action: Sendable, Equatable {
    case typed(String)
    case found([String])
    case clear
    case close
    case twice(String)
    case poll
    case tick
    case fail
    case nothing
  }

  struct World: Sendable {
    var clock: TestClock
    var find: @Sendable (String) async throws -> [String] = { ["\($0)!"] }
  }

  func reduce(_ state: inout State, _ action: Action, _ world: World) -> [Effect<Action>] {
    switch action {
    case .typed(let text):
      state.text = text
      return [
        .task(name: "search") {
          try await world.clock.sleep(for: .milliseconds(300))
          return .found(try await world.find(text))
        }.cancellable(id: "search", cancelInFlight: true)
      ]
    case .found(let results): state.results = results
    case .clear: state = State()
    case .close: return [.cancel(id: "search"), .cancel(id: "poll")]
    case .twice(let text): return [.send(.found([text])), .send(.found([text, text]))]
    case .poll:
      return [
        .run(name: "poll") { send in
          while true {
            try await world.clock.sleep(for: .seconds(1))
            send(.tick)
          }
        }.cancellable(id: "poll")
      ]
    case .tick: state.ticks += 1
    case .fail: return [.task(name: "save") { throw Broken() }]
    case .nothing: break
    }
    return []
  }
}

struct Broken: Error, CustomStringConvertible {
  var description: String { "the disk is full" }
}

extension CasePath where Root == Search.Action, Value == [String] {
  static var found: Self {
    CasePath(embed: Search.Action.found) { if case .found(let all) = $0 { all } else { nil } }
  }
}

func searchStore(
  _ state: Search.State = Search.State(), clock: TestClock = TestClock(),
  report: @escaping TestReporter = report,
  find: @escaping @Sendable (String) async throws -> [String] = { ["\($0)!"] },
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
  column: Int = #column
) -> TestStore<Search> {
  TestStore(
    initialState: state, reducer: Search(), clock: clock,
    dependencies: Search.World(clock: clock, find: find), report: report, fileID: fileID,
    filePath: filePath, line: line, column: column)
}

func looseStore(
  clock: TestClock = TestClock(), report: @escaping TestReporter = report,
  reportSkipped: TestReporter? = nil, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, line: Int = #line, column: Int = #column
) -> NonExhaustiveTestStore<Search> {
  NonExhaustiveTestStore(
    initialState: Search.State(), reducer: Search(), clock: clock,
    dependencies: Search.World(clock: clock), report: report, reportSkipped: reportSkipped,
    fileID: fileID, filePath: filePath, line: line, column: column)
}

/// A recording's bytes in memory.
final class BytesSink: LogSink {
  private let content = Mutex<[UInt8]>([])

  var bytes: [UInt8] { content.withLock { $0 } }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogIOError) -> Int {
    let new = Array(bytes)
    content.withLock { $0.replaceSubrange(min(offset, $0.count)..., with: new) }
    return new.count
  }

  func truncate(to size: Int) throws(LogIOError) {
    content.withLock { $0.removeLast(max(0, $0.count - size)) }
  }

  func synchronize() throws(LogIOError) {}
  func close() {}
}
