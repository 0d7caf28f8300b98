import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

/// Failures of test stores, as issues of the test.
let report: TestReporter = { failure in
  Issue.record(
    Comment(rawValue: failure.message),
    sourceLocation: SourceLocation(
      fileID: failure.location.fileID, filePath: failure.location.filePath,
      line: failure.location.line, column: failure.location.column))
}

/// A board in memory with its mocks at hand, whose clock is the test's.
struct World {
  let clock = TestClock()
  let api = MockAPIClient()
  let keychain: MockKeychainService
  let persistence = MockPersistenceService()
  let files = MockFileService()
  let logger = MockLogger()

  /// What no state, action, line or record may hold. The quote makes JSON write it otherwise.
  static let secret = #"s3cr3t"k&y+0123"#

  init(_ keychain: MockKeychainService? = nil) {
    self.keychain =
      keychain ?? MockKeychainService(entries: ["radarr": Data(Self.secret.utf8)])
  }

  var dependencies: Dependencies {
    var dependencies = Dependencies.mock
    dependencies.apiClient = api
    dependencies.keychainService = RedactingKeychain(keychain, redactor: logger.redactor)
    dependencies.persistence = persistence
    dependencies.files = files
    dependencies.logger = logger
    dependencies.clock = BoardClock(
      now: { [clock] in clock.now.offset.microseconds },
      sleep: { [clock] in try await clock.sleep(for: $0) })
    return dependencies
  }

  func store(_ state: BoardState = BoardState()) -> TestStore<BoardReducer> {
    TestStore(
      initialState: state, reducer: BoardReducer(BoardFeatures.all), clock: clock,
      dependencies: dependencies,
      report: report)
  }

  func looseStore(_ state: BoardState = BoardState()) -> NonExhaustiveTestStore<BoardReducer> {
    NonExhaustiveTestStore(
      initialState: state, reducer: BoardReducer(BoardFeatures.all), clock: clock,
      dependencies: dependencies,
      report: report)
  }
}

/// The words of a line, with variables and references that all have a value.
func words(_ line: String, _ last: JSON = JSON.object([])) throws -> [Argument] {
  guard case .commands(let list) = LineParser.parse(line) else {
    throw UsageError("no commands: \(line)")
  }
  return try list.commands[0].words.map { word in
    try word.expanded(variables: { _ in "value" }, last: { _ in last })
  }
}

/// The board's command table, as these tests use it: commands, parsing, help.
enum Commands {
  static var all: [CommandSpec<BoardCommand>] { BoardFeatures.all.commands.specs }

  static func parse(_ words: [Argument]) throws -> (path: [String], command: BoardCommand) {
    let match = try BoardFeatures.all.commands.parse(words: words)
    return (match.path, match.output)
  }

  static func help(_ path: [String]) throws -> String {
    try BoardFeatures.all.commands.help(for: path)
  }
}

/// The action that a line starts, as the board makes it.
func action(_ line: String, job: Int = 1) throws -> BoardAction {
  let (path, command) = try Commands.parse(words(line))
  return command.action(context(line, path.joined(separator: "."), job: job))
}

func context(_ line: String, _ name: String, job: Int = 1) -> CommandContext {
  CommandContext(job: job, line: job, source: "test.sb", text: line, name: name)
}

/// What a line prints, and its exit code: through the store, as the board does it.
struct Printed {
  var output = ""
  var errors = ""
  var status: Int32 = 0
}

/// Runs lines one after the other to their end, and prints what they print.
func run(
  _ lines: [String], in world: World, settings: BoardSettings = BoardSettings()
) throws -> [Printed] {
  let store = world.looseStore(BoardState(settings: settings))
  var renderer = BoardRenderer(BoardFeatures.all, isReplay: false)
  var all: [Printed] = []
  for (index, line) in lines.enumerated() {
    var printed = Printed()
    func note(_ action: BoardAction) {
      for output in renderer.outputs(of: action, in: store.state, at: 0) {
        if output.stream == .standardOutput {
          printed.output += output.text
        } else {
          printed.errors += output.text
        }
      }
    }
    let first = try action(line, job: index + 1)
    store.send(first)
    note(first)
    while let next = store.received.first {
      store.receive(next)
      note(next)
    }
    printed.status = store.state.shell.lastStatus
    all.append(printed)
  }
  store.finish()
  return all
}

func run(
  _ line: String, in world: World = World(), settings: BoardSettings = BoardSettings()
) throws -> Printed {
  try run([line], in: world, settings: settings)[0]
}

extension BoardSettings {
  static func output(_ format: OutputFormat, width: Int? = nil) -> BoardSettings {
    var settings = BoardSettings()
    settings.output = format
    settings.width = width
    return settings
  }
}

/// The forms in which a secret could slip through.
func secretForms(_ secret: String = World.secret) -> [String] {
  let json = String(JSON.string(secret).text.dropFirst().dropLast())
  return [secret, json, Data(secret.utf8).base64EncodedString(), "s3cr3t%22k%26y%2B0123"]
}

/// The board's features as members of its states and actions, which these tests read often.
extension BoardState {
  init(settings: BoardSettings = BoardSettings()) {
    self.init(features: BoardFeatures.all, settings: settings)
  }

  var api: APIState {
    get { self[BoardFeatures.api] }
    _modify { yield &self[BoardFeatures.api] }
  }
  var keychain: KeychainState {
    get { self[BoardFeatures.keychain] }
    _modify { yield &self[BoardFeatures.keychain] }
  }
  var db: DatabaseState {
    get { self[BoardFeatures.db] }
    _modify { yield &self[BoardFeatures.db] }
  }
  var log: LogState {
    get { self[BoardFeatures.log] }
    _modify { yield &self[BoardFeatures.log] }
  }
  var analytics: AnalyticsState {
    get { self[BoardFeatures.analytics] }
    _modify { yield &self[BoardFeatures.analytics] }
  }
  var characters: CharactersState {
    get { self[BoardFeatures.characters] }
    _modify { yield &self[BoardFeatures.characters] }
  }
  var media: MediaState {
    get { self[BoardFeatures.media] }
    _modify { yield &self[BoardFeatures.media] }
  }
  var downloads: DownloadsState {
    get { self[BoardFeatures.downloads] }
    _modify { yield &self[BoardFeatures.downloads] }
  }
}

extension BoardAction {
  static func api(_ action: APIAction) -> Self { Self(action, of: BoardFeatures.api) }
  static func keychain(_ action: KeychainAction) -> Self {
    Self(action, of: BoardFeatures.keychain)
  }
  static func db(_ action: DatabaseAction) -> Self { Self(action, of: BoardFeatures.db) }
  static func log(_ action: LogAction) -> Self { Self(action, of: BoardFeatures.log) }
  static func characters(_ action: CharactersAction) -> Self {
    Self(action, of: BoardFeatures.characters)
  }
  static func media(_ action: MediaAction) -> Self { Self(action, of: BoardFeatures.media) }
  static func downloads(_ action: DownloadsAction) -> Self {
    Self(action, of: BoardFeatures.downloads)
  }

  var api: APIAction? { action(of: BoardFeatures.api) }
  var keychain: KeychainAction? { action(of: BoardFeatures.keychain) }
  var db: DatabaseAction? { action(of: BoardFeatures.db) }
}
