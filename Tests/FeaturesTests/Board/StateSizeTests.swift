import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// What stays in the state of a recording is under 4 MB, whatever is typed and answered.
struct StateSizeTests {
  private static let limit = 4 << 20

  private func size(_ lines: Lines) throws -> Int {
    try CanonicalEncoder.encode(lines.board.store.state).count
  }

  @Test("variables, aliases and last values of any number and length leave the state small")
  func shell() async throws {
    let lines = Lines(World())
    for number in 0..<100 {
      #expect(await lines.run("set v\(number) \(Self.text(60_000, number))") == 0)
    }
    #expect(await lines.run("set long \(Self.text(1_000_000, 1))") == 0)
    for number in 0..<10 {
      _ = await lines.run("-alias a\(number) echo \(Self.text(60_000, number))")
    }
    #expect(lines.allPrinted.contains("there is no room for 'a4'"), "\(lines.allPrinted)")
    #expect(lines.board.store.state.shell.aliases?.count == 4)
    #expect(try size(lines) < Self.limit)
    // What is not in the JSON is still there for the lines to come.
    for number in [0, 50, 99] {
      #expect(await lines.run("echo $v\(number)") == 0)
      #expect(lines.allPrinted.hasSuffix(Self.text(60_000, number) + "\n"))
    }
    #expect(await lines.run("set again $long") == 0)
    #expect(await lines.run("echo {{last.again}}") == 0)
    #expect(lines.allPrinted.hasSuffix(Self.text(1_000_000, 1) + "\n"))
    #expect(try size(lines) < Self.limit)
    await lines.board.close()
  }

  @Test("a long value is in the state by its job, length and digest, which 'state' shows")
  func references() async throws {
    let lines = Lines(World())
    let text = Self.text(StateText.longest, 0)
    #expect(await lines.run("set short \(text)") == 0)
    #expect(await lines.run("set long \(text)x") == 0)
    #expect(lines.board.store.state.shell.last?.reference?.job == 2)
    #expect(lines.board.store.state.shell.variables["short"]?.reference == nil)
    let condition = "shell.variables.long.bytes == \(StateText.longest + 1)"
    #expect(await lines.run("assert \"\(condition) and shell.variables.long.job == 2\"") == 0)
    let reference = try #require(lines.board.store.state.shell.variables["long"]?.reference)
    #expect(reference.digest.hasPrefix("xxh64:"))
    await lines.board.close()
  }

  @Test("a value that is not in the state of a recording is missed by its line, not empty")
  func absent() async throws {
    var state = BoardState()
    state.shell.set("long", to: Self.text(StateText.longest + 1, 0), job: 1)
    state.shell.last = StateText(Self.text(StateText.longest + 1, 0), job: 1)
    let read = try CanonicalDecoder.decode(
      BoardState.self, from: CanonicalEncoder.encode(state), userInfo: BoardFeatures.all.userInfo)
    #expect(read.shell.variables["long"] == state.shell.variables["long"])
    #expect(read.shell.last == state.shell.last && read.shell.last?.text == nil)
    var expansion = LineExpansion(read.shell, scriptArguments: [])
    for text in ["echo $long", "echo {{last}}", "echo {{last.a}}"] {
      guard case .commands(let list) = LineParser.parse(text) else {
        Issue.record("no command: \(text)")
        continue
      }
      let error = #expect(throws: UsageError.self) {
        try expansion.arguments(list.commands[0].words)
      }
      #expect(error?.message.contains("has 65537 bytes") == true, "\(error as Any)")
      #expect(error?.kind == .malformedData)
    }
  }

  @Test("what services answer leaves the state small, however long their texts are")
  func services() throws {
    var state = BoardState()
    let long = String(repeating: "x", count: 300_000)
    var answer = APIAnswer(method: "GET", url: "http://h/", status: 200)
    answer.text = JSON.string(String(repeating: "x", count: RecentAnswer.longestBody - 2)).text
    for job in 1...10_000 { state.api.keep(answer, job) }
    state.api.note(
      services: (0..<5000).map { APIService(name: "s\($0)", baseURL: "http://h\($0)/") })
    state.api.note(saved: (0..<5000).map { "request \($0) \(long.prefix(200))" })
    let items = (0..<1000).map { MediaItem(id: $0, title: long) }
    state.media.library = MediaState.Library(MediaLibrary(items), of: "films")
    #expect(state.media.library?.count == 1000 && state.media.library?.items.isEmpty == true)
    #expect(try CanonicalEncoder.encode(state).count < Self.limit)
    #expect(state.api.services?.count == 1000 && state.api.saved?.isEmpty == false)
    for number in 0..<1500 {
      state.db.note(.preferenceSaved(name: "p\(number)"), of: 1)
      state.log.note(.debug, of: "c\(number)")
    }
    #expect(state.log.levels?.count == 100)
  }

  @Test("names are known up to a number, however many there are")
  func names() {
    var state = BoardState()
    state.keychain.note((0..<1500).map { "n\($0)" })
    #expect(state.keychain.names?.count == 1000)
    state.keychain.note(KeychainResult.saved(name: "another"))
    #expect(state.keychain.names?.count == 1000)
    state.db.show(DatabaseContents())
    for number in 0..<150 { state.db.note(.preferenceSaved(name: "p\(number)"), of: 1) }
    #expect(state.db.preferences?.count == 100)
  }

  /// Text of so many bytes that nothing else has.
  private static func text(_ count: Int, _ number: Int) -> String {
    "t\(number)-" + String(repeating: "x", count: count - "t\(number)-".utf8.count)
  }
}
