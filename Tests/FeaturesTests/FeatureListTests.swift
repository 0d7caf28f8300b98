import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// What every feature of the board keeps to.
struct FeatureListTests {
  /// The first command of an example, as an action.
  private static func action(_ example: String) throws -> BoardAction {
    let (path, command) = try Commands.parse(words(example))
    let name = path.joined(separator: ".")
    return command.action(context(example, name, job: 7))
  }

  @Test func everyStateIsInARecording() throws {
    let json = try JSON(parsing: try CanonicalEncoder.encode(BoardState()))
    #expect(Set(json.members?.map(\.key) ?? []) == Set(["settings"] + BoardFeatures.all.names))
  }

  @Test(arguments: BoardFeatures.all.names)
  func everyCommandIsSeenToBeginAndToEnd(feature: String) throws {
    var examples = 0
    let specs = BoardFeatures.all.commands.specs.filter { spec in
      feature == "shell"
        ? !BoardFeatures.all.names.contains(spec.path[0]) : spec.path[0] == feature
    }
    for example in specs.flatMap(\.examples) {
      let action = try Self.action(example)
      examples += 1
      #expect(action.started?.job == 7, "'started' knows nothing of '\(example)'")
      let json = try JSON(parsing: try CanonicalEncoder.encode(action))
      #expect(json.members?.map(\.key) == [feature], "\(example)")
      #expect(
        try CanonicalDecoder.decode(
          BoardAction.self, from: json, userInfo: BoardFeatures.all.userInfo) == action,
        "\(example)")
      var state = BoardState()
      let effects = BoardReducer(BoardFeatures.all).reduce(&state, action, World().dependencies)
      let isOver = state.shell.finished != nil
      // The rounds of a watch are run between the steps.
      let isWatch = example.hasPrefix("watch ")
      #expect(isOver || !effects.isEmpty || isWatch, "'\(example)' waits for ever")
      #expect(isOver == state.shell.running.isEmpty, "\(example)")
    }
    #expect(examples > 0)
  }

  @Test func subscriptionsAreThoseOfTheBody() {
    let reducer = BoardReducer(BoardFeatures.all)
    let dependencies = World().dependencies
    var state = BoardState()
    #expect(reducer.subscriptions(state, dependencies).isEmpty)
    for feature in BoardFeatures.all.features { feature.changes.atTerminal(&state) }
    let declared = reducer.subscriptions(state, dependencies)
    #expect(declared.map(\.descriptor.name) == ["keychain.idle"])
    #expect(
      declared.map(\.descriptor)
        == reducer.body.subscriptions(state, dependencies).map(\.descriptor))
  }

  // MARK: Volatile members

  @Test(arguments: BoardFeatures.all.volatile)
  func everyVolatilePathLeadsSomewhere(path: String) throws {
    let pattern = try JSONPathPattern(parsing: path)
    #expect(BoardFeatures.all.names.contains { path.hasPrefix("\($0).") })
    let answers = try Self.answers.map { try JSON(parsing: try CanonicalEncoder.encode($0)) }
    #expect(
      answers.contains { Self.reaches($0, pattern.steps[...]) },
      "\(path): add an action with this member to FeatureListTests.answers")
  }

  @Test("a recording without the bodies that were sent is replayed like one with them")
  func earlierRecordings() {
    #expect(BoardFeatures.all.volatile.contains("api.answered.answer.sentBody"))
  }

  private static func reaches(
    _ json: JSON, _ steps: ArraySlice<JSONPathPattern.Step>
  ) -> Bool {
    guard let step = steps.first else { return true }
    let rest = steps.dropFirst()
    switch json {
    case .object(let members):
      return members.contains { step.matches(key: $0.key) && reaches($0.value, rest) }
    case .array(let elements):
      return elements.enumerated().contains { index, element in
        step.matches(index: index, element) && reaches(element, rest)
      }
    default: return false
    }
  }

  /// Actions that have every member that may be volatile.
  private static let answers: [BoardAction] = {
    let headers = [
      "Date", "Age", "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
      "Transfer-Encoding", "Upgrade",
    ]
    var answer = APIAnswer(
      method: "GET", url: "http://h/", status: 200, httpVersion: "1.1",
      headers: headers.map { HTTPHeader($0, "x") }, bytes: 0, timing: APITiming(), verdict: .miss,
      redirects: 0, attempts: 1)
    answer.proxy = "http://p:1 (http_proxy)"
    answer.sentBody = SentBody(text: "{}", bytes: 2)
    var requests = APIState()
    requests.keep(answer, 1)
    let cached = CachedResponseSummary(
      key: "k", service: "s", status: 200, bytes: 0, stored: 1, expires: 2)
    let document = Document(collection: "c", id: "1", body: "{}", updated: 1)
    let status = KeychainStatus(path: "p", exists: true, unlocked: true)
    let version = KeychainAcceptance.Version(generation: 1, written: 1)
    let acceptance = KeychainAcceptance(
      reason: .rolledBack, remembered: version, found: version, generation: 2)
    let statistics = PersistenceStatistics(paths: ["p"], bytes: 1, schemaVersion: 1, tables: [])
    let asked = CharactersRequest(job: 1)
    let page = CharacterPage(number: 1, pages: 1, count: 0, characters: [])
    let failure = Failure(code: 74, error: "busy", message: "m")
    let record = LogRecord(
      time: 1, level: .info, category: "api", message: "m", fields: [LogField("verdict", "MISS")])
    return [
      .shell(.diagnosed(job: 1, findings: [])),
      .api(.bootstrapped(job: 1, known: APIKnown(services: []), failure: failure)),
      .api(.answered(job: 1, answer: answer)),
      .api(
        .succeeded(
          job: 1, result: .tested(name: "n", status: 200, milliseconds: 1, proxy: "http://p:1"))),
      .api(
        .succeeded(
          job: 1,
          result: .testedProgram(name: "n", program: "p", version: "1", milliseconds: 1))),
      .api(.succeeded(job: 1, result: .recent(searches: [RecentSearch(text: "t", at: 1)]))),
      .api(.succeeded(job: 1, result: .cache(responses: [cached]))),
      .api(.succeeded(job: 1, result: .statistics(statistics: APIStatistics(requests)))),
      .db(.succeeded(job: 1, result: .document(document: document))),
      .db(.succeeded(job: 1, result: .documents(documents: [document]))),
      .db(.listed(job: 1, documents: [document])),
      .db(.contents(job: 1, contents: DatabaseContents(), failure: failure)),
      .db(.succeeded(job: 1, result: .put(collection: "c", id: "1", isNew: true))),
      .db(.succeeded(job: 1, result: .healthy(missing: "p"))),
      .db(.succeeded(job: 1, result: .paths(paths: ["p"]))),
      .db(.succeeded(job: 1, result: .statistics(statistics: statistics))),
      .keychain(.succeeded(job: 1, result: .created(status: status))),
      .keychain(.succeeded(job: 1, result: .accepted(acceptance: acceptance))),
      .keychain(.succeeded(job: 1, result: .status(status: status))),
      .keychain(.succeeded(job: 1, result: .checked(status: status))),
      .keychain(.succeeded(job: 1, result: .checkedFile(status: status))),
      .log(.succeeded(job: 1, result: .records(records: [record], unreadable: 1))),
      .log(.listed(job: 1, records: [record], end: LogListEnd(count: 1, counts: [:]))),
      .log(.succeeded(job: 1, result: .noted, counts: [:])),
      .log(.bootstrapped(level: .info)),
      .keychain(.bootstrapped(status: status, failure: failure)),
      .keychain(.named(request: nil, names: ["k"])),
      BoardAction(
        .bootstrapped(recent: ["name==a"], failure: failure), of: BoardFeatures.characters),
      BoardAction(
        .bootstrapped(consent: true, inEffect: true, failure: failure), of: BoardFeatures.analytics),
      BoardAction(
        .read(job: 1, stored: true, inEffect: true, providers: []), of: BoardFeatures.analytics),
      .log(
        .succeeded(
          job: 1, result: .statistics(statistics: LoggerStatistics(counts: [:], dropped: 0)))),
      .log(.succeeded(job: 1, result: .exported(count: 1, path: "p", unreadable: 1))),
      BoardAction(
        .succeeded(job: 1, result: .status(consent: true, providers: [])),
        of: BoardFeatures.analytics),
      BoardAction(
        .succeeded(job: 1, result: .events(events: [])), of: BoardFeatures.analytics),
      .characters(.recent(job: 1, searches: [RecentSearch(text: "t", at: 1)])),
      .characters(.list(action: .loaded(request: asked, answer: ServiceAnswer(page)))),
      .characters(.search(action: .loaded(request: asked, answer: ServiceAnswer(page)))),
      .characters(.search(action: .recalled(texts: ["t"]))),
      .characters(
        .detail(
          action: .loaded(
            request: asked, answer: ServiceAnswer(SeriesCharacter(id: 1, name: "n"))))),
      .media(.answered(job: 1, answer: .library(library: MediaLibrary([])), masked: nil)),
      .media(
        .answered(
          job: 1,
          answer: .queue(
            queue: MediaQueue([
              .init(id: 1, title: "t", size: 2, left: 1, timeLeft: "00:01:00", status: "s")
            ])), masked: nil)),
      .downloads(
        .answered(
          job: 1,
          answer: .queue(
            queue: DownloadQueue([
              .init(id: "1", name: "n", status: .queued, size: 2, left: 1, secondsLeft: 1)
            ])), masked: nil)),
    ]
  }()
}
