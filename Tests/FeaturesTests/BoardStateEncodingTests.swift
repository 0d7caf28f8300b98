import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import Testing

@testable import SwiftBoardFeatures

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The state by hand and by `Codable`: what one writes and the other does not, no digest would see.
struct BoardStateEncodingTests {
  /// Nothing in it is nil or empty.
  private static let full: BoardState = {
    var settings = BoardSettings()
    settings.environment = .preview
    settings.output = .json
    settings.width = 80
    settings.isVerbose = true
    settings.isTerminal = true
    settings.timeout = 1234
    var context = CommandContext(
      job: 7, line: 3, source: "a \"b\".sb", text: "echo \u{1}é\n", name: "echo",
      prefix: .mayFail, redirect: .init(file: "f", appends: true),
      isBackground: true, output: .plain, timeout: 5)
    context.isVerbose = false
    var state = BoardState(settings: settings)
    state.shell.variables = ["b": "2", "a": "1", "aa": "", "é": "\\", "B": "x"]
    state.shell.tutorial = 3
    state.shell.aliases = ["ll": "log tail", "l": "db list"]
    state.shell.last = "{\"a\":1}"
    state.shell.lastStatus = -1
    state.shell.running = [context, context]
    state.shell.finished = FinishedJob(
      context: context, status: 3, found: .init(lastStatus: 1, last: "null"))
    state.shell.exitCode = 2
    state.api.requests = 4
    state.api.answers = 3
    state.api.pending = [PendingRequest(job: 1, method: "GET", target: "rm/x")]
    state.keychain.isUnlocked = true
    state.keychain.autoLock = 300_000
    state.keychain.names = ["n", "m"]
    state.db.writes = 9
    state.db.collection = "films"
    state.log.notes = 2
    state.log.level = .warning
    state.characters = characters
    state.session.recording = "r.actions.jsonl"
    state.session.position = SessionPosition(step: 3, last: 5)
    return state
  }()

  private static let characters: CharactersState = {
    let character = SeriesCharacter(id: 1, name: "Rick")
    let page = CharacterPage(number: 1, pages: 2, count: 21, characters: [character])
    var state = CharactersState()
    state.route = .detail(id: 1)
    state.service = "http://rm.test/api"
    state.list.show(page)
    state.list.prefetched = 2
    state.list.status = .shown(isStale: true)
    state.detail = CharacterDetail(id: 1)
    state.detail?.item = character
    state.detail?.image = "1.jpeg"
    state.detail?.status = .loading(job: 3)
    for name in ["name", "status", "species", "type", "gender"] {
      state.search.filter[name] = "x"
    }
    state.search.pages = 1
    state.search.count = 1
    state.search.results = state.list.shown[0].rows
    state.search.status = .failed(error: "timeout")
    state.recent = ["name==rick"]
    let options = CharactersOptions(service: "rm", cache: .noCache, retries: 1)
    state.pending = [
      PendingCharacters(job: 3, command: .show(id: 1, options: options), timeout: 5)
    ]
    return state
  }()

  /// What is nil in a value, or empty where elements should show their form.
  private static func holes(_ value: Any, _ path: String) -> [String] {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional || mirror.displayStyle == .collection
      || mirror.displayStyle == .dictionary
    {
      guard !mirror.children.isEmpty else { return [path] }
    }
    return mirror.children.flatMap { holes($0.value, path + "." + ($0.label ?? "")) }
  }

  /// Through `JSONEncoder`, which knows nothing of ours.
  private static func byCodable(_ state: BoardState) throws -> String {
    try JSON(parsing: Array(JSONEncoder().encode(state))).canonical
  }

  private static func byHand(_ state: BoardState) throws -> String {
    String(decoding: try CanonicalEncoder.encode(state), as: UTF8.self)
  }

  @Test("a full state is the same by hand") func aFullStateIsTheSameByHand() throws {
    // What a command shows is not part of recordings.
    #expect(Self.holes(Self.full, "state") == ["state.shell.finished.some.outcome"])
    #expect(try Self.byHand(Self.full) == Self.byCodable(Self.full))
  }

  @Test("an empty state is the same by hand") func anEmptyStateIsTheSameByHand() throws {
    #expect(try Self.byHand(BoardState()) == Self.byCodable(BoardState()))
  }

  @Test("what is written is read") func whatIsWrittenIsRead() throws {
    let bytes = try CanonicalEncoder.encode(Self.full)
    #expect(
      try CanonicalDecoder.decode(
        BoardState.self, from: bytes, userInfo: BoardFeatures.all.userInfo) == Self.full)
  }
}
