import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Synchronization
import Testing

@testable import SwiftBoardFeatures

/// The reducer alone: what it decides, and what it knows afterwards.
@Suite("db, its reducer")
struct DatabaseReducerTests {
  typealias Database = AnyReducer<DatabaseState, DatabaseAction, Dependencies>

  let world = World()

  private func store(_ state: DatabaseState = DatabaseState()) -> TestStore<Database> {
    TestStore(
      initialState: state, reducer: BoardFeatures.db.reducer, clock: world.clock,
      dependencies: world.dependencies, report: report)
  }

  private func run(_ job: Int, _ command: DatabaseCommand) -> DatabaseAction {
    .run(context: context("db", "db", job: job), command: command)
  }

  private func put(_ id: String, _ body: String = "1") -> DatabaseCommand {
    .put(collection: "c", id: id, body: .json(text: body))
  }

  private func contents(_ count: Int) -> DatabaseContents {
    DatabaseContents(collections: count == 0 ? [] : [.init("c", count: count)])
  }

  @Test("the first command loads the names, and later ones adjust them by their results")
  func names() {
    let store = store()
    store.send(run(1, put("1"))) {
      $0.collection = "c"
      $0.pending = [.begins(job: 1, command: put("1"))]
      $0.reads = [1]
    }
    store.receive(.contents(job: 1, contents: DatabaseContents())) {
      $0.isLoaded = true
      $0.reads = []
      $0.collections = [:]
      $0.preferences = []
      $0.pending = nil
      $0.changes = [1]
    }
    store.receive(.succeeded(job: 1, result: .put(collection: "c", id: "1", isNew: true))) {
      $0.changes = []
      $0.writes = 1
      $0.collections = ["c": 1]
    }
    store.send(run(2, put("1"))) { $0.changes = [2] }
    store.receive(.succeeded(job: 2, result: .put(collection: "c", id: "1", isNew: false))) {
      $0.changes = []
      $0.writes = 2
    }
    store.send(run(3, .remove(collection: "c", id: "1"))) { $0.changes = [3] }
    let item = DatabaseItem.document(collection: "c", id: "1")
    store.receive(.succeeded(job: 3, result: .removed(name: "c/1", item: item))) {
      $0.changes = []
      $0.writes = 3
      $0.collections = [:]
    }
    store.send(run(4, .preferenceSet(name: "theme", json: "1"))) { $0.changes = [4] }
    store.receive(.succeeded(job: 4, result: .preferenceSaved(name: "theme"))) {
      $0.changes = []
      $0.writes = 4
      $0.preferences = ["theme"]
    }
    store.finish()
    #expect(world.persistence.calls.map(\.name).count { $0 == "contents" } == 1)
  }

  @Test("names that cannot be loaded keep no command from its own answer")
  func namesThatFail() {
    world.persistence.failNext("contents", with: .busy)
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, put("1")))
      store.receive { if case .contents(job: 1, nil, _?) = $0 { true } else { false } }
      store.receive(.succeeded(job: 1, result: .put(collection: "c", id: "1", isNew: true)))
      #expect(store.state.collections == ["c": 1] && store.state.pending == nil)
    }
    store.finish()
  }

  @Test("a document that is shown is kept, and of a long one its size and digest")
  func document() async throws {
    let long = "\"" + String(repeating: "x", count: 70_000) + "\""
    let documents = [("1", #"{"name":"Rick"}"#), ("2", long)]
    for (id, body) in documents {
      try await world.persistence.putDocument(
        Document(collection: "c", id: id, body: body, updated: 1))
    }
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, .get(collection: "c", id: "1")))
      store.skipReceivedActions()
      #expect(store.state.document?.body?["name"]?.stringValue == "Rick")
      store.send(run(2, .get(collection: "c", id: "2")))
      store.skipReceivedActions()
      #expect(store.state.document?.body == nil && store.state.document?.bytes == 70_002)
      #expect(store.state.document?.digest?.count == 64)
      store.send(run(3, .get(collection: "c", id: "3")))
      store.receive {
        guard case .failed(job: 3, let failure) = $0 else { return false }
        return failure.code == 66 && failure.message == "there is no document c/3"
      }
    }
    store.finish()
  }

  @Test("an empty list asks whether there is such a collection, and does without an answer")
  func emptyList() {
    let query = DocumentQuery(collection: "c")
    let missing = MissingCollection("c", among: [])
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, .list(query: query)))
      store.receive(.contents(job: 1, contents: DatabaseContents()))
      store.receive(.listed(job: 1, documents: [], rest: query, count: 0))
      store.receive(.succeeded(job: 1, result: .documents(documents: [], missing: missing)))
      world.persistence.failNext("collections", with: .busy)
      store.send(run(2, .list(query: query)))
      store.receive(.listed(job: 2, documents: [], rest: query, count: 0))
      store.receive(.succeeded(job: 2, result: .documents(documents: [])))
    }
    store.finish()
  }

  @Test("the effect of a list says only what came: the reducer decides that a whole list ends it")
  func wholeList() async throws {
    let documents = (0..<2).map { Document(collection: "c", id: "\($0)", body: "1", updated: 1) }
    for document in documents { try await world.persistence.putDocument(document) }
    var state = DatabaseState()
    state.isLoaded = true
    let store = store(state)
    let query = DocumentQuery(collection: "c")
    let whole = DatabaseAction.listed(job: 1, documents: documents, rest: query, count: 2)
    store.nonExhaustively { store in
      store.send(run(1, .list(query: query)))
      store.receive(whole)
      #expect(store.state.query?.found == 2 && store.state.query?.isComplete == true)
    }
    store.finish()
    #expect(DatabaseOutcomes.outcome(of: whole)?.value.elements?.count == 2)
    #expect(DatabaseOutcomes.partialOutcome(of: whole) == nil, "its rows are written once")
  }

  @Test("a list of all documents says how many the collection has")
  func list() async throws {
    for number in 0..<3 {
      try await world.persistence.putDocument(
        Document(collection: "c", id: "\(number)", body: "\(number % 2)", updated: 1))
    }
    var state = DatabaseState()
    state.isLoaded = true
    state.collections = ["c": nil as Int?]
    let store = store(state)
    let limited = DocumentQuery(collection: "c", limit: 2)
    store.nonExhaustively { store in
      store.send(run(1, .list(query: limited)))
      store.skipReceivedActions()
      #expect(store.state.query?.found == 2 && store.state.query?.isComplete == true)
      #expect(store.state.collections == ["c": nil as Int?], "not all of them were listed")
      store.send(run(2, .list(query: DocumentQuery(collection: "c"))))
      store.skipReceivedActions()
      #expect(store.state.query?.query == DocumentQuery(collection: "c"))
      #expect(store.state.collections == ["c": 3])
    }
    store.finish()
  }

  @Test("collections are told apart by their bytes, as the database tells them apart")
  func unicodeForms() throws {
    var state = DatabaseState()
    state.isLoaded = true
    state.collections = [:]
    for (job, name) in ["\u{e9}", "e\u{301}", "e\u{301}"].enumerated() {
      state.note(.put(collection: name, id: "\(job)", isNew: true), of: job)
    }
    let counts: [ByteText: Int?] = ["\u{e9}": 1, "e\u{301}": 2]
    #expect(state.collections == counts)
    let bytes = try CanonicalEncoder.encode(state)
    #expect(try CanonicalDecoder.decode(DatabaseState.self, from: bytes) == state)
    let text = String(decoding: bytes, as: UTF8.self)
    let members = "{\"e\u{301}\":2,\"\u{e9}\":1}"
    #expect(text.utf8.contains(Array(members.utf8)), "\(text)")
  }

  @Test("in earlier recordings, one of two names that differ in their Unicode form is known")
  func unicodeFormsOfEarlierRecordings() throws {
    var state = try CanonicalDecoder.decode(
      DatabaseState.self, from: Array(#"{"collections":{},"isLoaded":true,"writes":0}"#.utf8))
    for (job, name) in ["\u{e9}", "e\u{301}"].enumerated() {
      state.note(.put(collection: name, id: "\(job)", isNew: true), of: job)
    }
    #expect(state.collections == ["\u{e9}": 2])
  }

  @Test("an import is checked, written, and the names are loaded again")
  func importing() async throws {
    let lines = [
      #"{"swiftboard":"db export","version":1}"#,
      #"{"document":{"collection":"c","id":"1","updated":1,"body":1}}"#,
    ]
    try await world.files.write(
      Data(lines.joined(separator: "\n").utf8), to: "f", mode: .create)
    let store = store()
    let command = DatabaseCommand.import(path: "f", existing: .refuse)
    var request = ImportRequest(job: 1, path: "f", existing: .refuse)
    var counts = DatabaseImport()
    counts.added = 1
    let result = DatabaseResult.imported(path: "f", counts: counts)
    store.send(run(1, command))
    store.receive(.checked(request: request, taken: nil)) { $0.changes = [1] }
    store.receive(.imported(request: request, counts: counts)) {
      $0.pending = [.ends(job: 1, result: result)]
      $0.reads = [1]
    }
    store.receive(.contents(job: 1, contents: contents(1))) {
      $0.isLoaded = true
      $0.reads = []
      $0.collections = ["c": 1]
      $0.preferences = []
      $0.pending = nil
    }
    store.receive(.succeeded(job: 1, result: result)) {
      $0.writes = 1
      $0.changes = []
    }
    // The same again is refused by the reducer, and nothing is written.
    request.job = 2
    store.send(run(2, command))
    let taken = ImportConflict(line: 2, name: "the document c/1")
    store.receive(.checked(request: request, taken: taken))
    store.nonExhaustively { store in
      store.receive {
        guard case .failed(job: 2, let failure) = $0 else { return false }
        return failure.code == 73
          && failure.message == "f:2: the document c/1 is here already, so nothing was imported"
      }
    }
    store.finish()
  }

  @Test("in the state of an earlier recording nothing is loaded or known")
  func earlier() throws {
    var state = try JSONDecoder().decode(DatabaseState.self, from: Data(#"{"writes":0}"#.utf8))
    #expect(state.isLoaded == nil)
    let store = store(state)
    state.writes = 1
    state.collection = "c"
    store.nonExhaustively { store in
      store.send(run(1, put("1")))
      store.receive(.succeeded(job: 1, result: .put(collection: "c", id: "1", isNew: true)))
      store.send(run(2, .get(collection: "c", id: "1")))
      store.skipReceivedActions()
      #expect(store.state == state)
    }
    store.finish()
  }

  /// What came of a command that read documents while another one put the second of them.
  enum Read: CaseIterable {
    case stats, list, collections, nextLine

    /// The actions from the line to the answer.
    func actions(found count: Int) -> [DatabaseAction] {
      let contents = DatabaseContents(collections: [.init("c", count: count)])
      let query = DocumentQuery(collection: "c")
      let documents = (1...count).map {
        Document(collection: "c", id: "\($0)", body: "1", updated: 1)
      }
      func run(_ command: DatabaseCommand) -> DatabaseAction {
        .run(context: context("db", "db", job: 1), command: command)
      }
      return switch self {
      case .stats: [run(.stats), .contents(job: 1, contents: contents)]
      case .list:
        [
          run(.list(query: query)),
          .listed(job: 1, documents: documents, rest: query, count: count),
        ]
      case .collections:
        [
          run(.collections),
          .succeeded(job: 1, result: .collections(collections: contents.collections)),
        ]
      case .nextLine: [.bootstrap, .contents(job: 0, contents: contents)]
      }
    }
  }

  /// Reduces actions in the given order, whatever effects they begin.
  private func state(
    _ state: DatabaseState, after actions: [DatabaseAction]
  ) -> DatabaseState {
    var state = state
    for action in actions {
      _ = BoardFeatures.db.reducer.reduce(&state, action, world.dependencies)
    }
    return state
  }

  /// The collections as a line shows them that reads the state, which loads them if they are not
  /// known.
  private func shown(_ state: DatabaseState, of contents: DatabaseContents) -> [ByteText: Int?]? {
    guard let bootstrap = BoardFeatures.db.bootstrap(state) else { return state.collections }
    return self.state(state, after: [bootstrap, .contents(job: 0, contents: contents)]).collections
  }

  /// A state in which the first document is known.
  private var one: DatabaseState {
    state(DatabaseState(), after: [.bootstrap, .contents(job: 0, contents: contents(1))])
  }

  @Test(
    "a command that reads beside one that puts: the counts are the database's",
    arguments: Read.allCases, [1, 2])
  func readBesidePut(read: Read, found: Int) {
    let (first, answer) = (read.actions(found: found)[0], read.actions(found: found)[1])
    let put = run(2, put("2"))
    let saved = DatabaseAction.succeeded(
      job: 2, result: .put(collection: "c", id: "2", isNew: true))
    for order in [
      [first, put, saved, answer], [first, put, answer, saved], [put, first, saved, answer],
      [put, first, answer, saved],
    ] {
      let state = state(one, after: order)
      #expect(shown(state, of: contents(2)) == ["c": 2], "\(order)")
      #expect(state.collections == ["c": 2], "no step after the last one has a wrong number")
      #expect(state.reads == [] && state.changes == [])
    }
    let order = [first, answer, put, saved]
    #expect(found == 2 || state(one, after: order).collections == ["c": 2], "one after another")
  }

  @Test("stats beside an import that writes a part and fails: the counts are the database's")
  func readBesideFailedImport() {
    let request = ImportRequest(job: 2, path: "f", existing: .keep)
    let begun = DatabaseAction.checked(request: request, taken: nil)
    let failed = DatabaseAction.failed(
      job: 2, failure: Failure(code: 74, error: "full", message: "full"))
    let (first, answer) = (Read.stats.actions(found: 1)[0], Read.stats.actions(found: 1)[1])
    for order in [
      [first, begun, answer, failed], [first, begun, failed, answer],
      [begun, first, answer, failed],
      [begun, first, failed, answer],
    ] {
      let state = state(one, after: order)
      #expect(state.isLoaded == false)
      #expect(shown(state, of: contents(2)) == ["c": 2], "\(order)")
    }
  }

  @Test("a number that was read beside a put is loaded again by the next command")
  func loadedAgain() {
    let order = [run(1, .stats), run(2, put("2"))]
    var state = state(one, after: order + [.contents(job: 1, contents: contents(2))])
    #expect(state.isLoaded == false)
    state = self.state(state, after: [run(3, .get(collection: "c", id: "1"))])
    #expect(state.pending == [.begins(job: 3, command: .get(collection: "c", id: "1"))])
  }

  @Test("a read that is cancelled is forgotten")
  func cancelledRead() {
    var state = state(one, after: [run(1, .stats), run(2, .collections)])
    #expect(state.reads == [1, 2])
    for job in [1, 2] { BoardFeatures.db.cancelled(&state, job) }
    #expect(state.reads == [])
  }

  @Test("in earlier recordings every answer replaces what is known")
  func readsOfEarlierRecordings() throws {
    let json = #"{"changes":[],"collections":{"c":1},"isLoaded":true,"writes":0}"#
    let earlier = try CanonicalDecoder.decode(DatabaseState.self, from: Array(json.utf8))
    let state = state(
      earlier,
      after: [
        run(1, .stats), run(2, put("2")), .contents(job: 1, contents: contents(2)),
        .succeeded(job: 2, result: .put(collection: "c", id: "2", isNew: true)),
      ])
    #expect(state.collections == ["c": 3] && state.isLoaded == true && state.reads == nil)
  }

  /// The feature with effects whose actions come late, and in any order.
  private struct Late: Reducer {
    enum Action: Sendable { case sent(DatabaseAction), answered(DatabaseAction) }

    func reduce(
      _ state: inout DatabaseState, _ action: Action, _ dependencies: Dependencies
    ) -> [Effect<Action>] {
      switch action {
      case .sent(let action):
        BoardFeatures.db.reducer.reduce(&state, action, dependencies).map {
          $0.map { .answered($0) }
        }
      case .answered(let action): .task(name: "late") { .sent(action) }
      }
    }
  }

  @Test("commands at the same time, in any order of their effects: the counts are the database's")
  func interleavings() async throws {
    let worlds = Mutex<[(MockPersistenceService, DatabaseState)]>([])
    let exported =
      [#"{"swiftboard":"db export","version":1}"#]
      + ["c", "d"].map { #"{"document":{"collection":"\#($0)","id":"1","updated":1,"body":1}}"# }
    let file = Data(exported.joined(separator: "\n").utf8)
    let exploration = explore(seeds: 1...300, report: report) { run in
      let persistence = MockPersistenceService()
      var dependencies = Dependencies.mock
      dependencies.persistence = persistence
      dependencies.files = MockFileService(["f": file])
      let store = Store(
        initialState: DatabaseState(), reducer: Late(), dependencies: dependencies,
        executor: run.executor)
      var random = SeededRandom(seed: run.seed)
      for job in 1...12 {
        let id = String(Int.random(in: 1...2, using: &random))
        let command: DatabaseCommand? =
          switch Int.random(in: 0..<10, using: &random) {
          case 0: .stats
          case 1: .list(query: DocumentQuery(collection: "c"))
          case 2: .collections
          case 3: .import(path: "f", existing: .keep)
          case 4: nil
          case 5...7: put(id)
          default: .remove(collection: "c", id: id)
          }
        if let command {
          store.send(.sent(self.run(job, command)))
        } else if let bootstrap = BoardFeatures.db.bootstrap(store.state) {
          store.send(.sent(bootstrap))
        }
        for _ in 0..<Int.random(in: 0...6, using: &random) { _ = run.executor.step() }
      }
      run.executor.run()
      let ended = store.state
      run.expect(
        ended.pending == nil && ended.changes == [] && ended.reads == [], "\(ended)")
      if let bootstrap = BoardFeatures.db.bootstrap(ended) { store.send(.sent(bootstrap)) }
      run.executor.run()
      worlds.withLock { $0.append((persistence, store.state)) }
    }
    #expect(exploration.orders > 1)
    for (persistence, state) in worlds.withLock({ $0 }) {
      let contents = try await persistence.contents(limit: 9)
      let counts = Dictionary(
        uniqueKeysWithValues: contents.collections.map { (ByteText($0.name), $0.count) })
      #expect(state.collections == counts)
    }
  }

  @Test("an import that ends early says what it has written, and the names are loaded again")
  func incompleteImport() async throws {
    let lines =
      [#"{"swiftboard":"db export","version":1}"#]
      + (1...500).map { #"{"document":{"collection":"c","id":"\#($0)","updated":1,"body":1}}"# }
      + [#"{"index":{"collection":"c","path":"a"}}"#]
    try await world.files.write(
      Data(lines.joined(separator: "\n").utf8), to: "f", mode: .create)
    world.persistence.failNext("makeDocumentIndex", with: .full)
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, .stats))
      store.send(run(2, .import(path: "f", existing: .refuse)))
      store.receive {
        guard case .failed(job: 2, let failure) = $0 else { return false }
        return failure.code == 74
          && failure.message.hasSuffix("; 500 entries were added and 0 replaced before")
      }
      #expect(store.state.isLoaded == false)
      store.send(run(3, .stats))
      store.receive {
        if case .contents(job: 3, .some, _) = $0 { true } else { false }
      }
      store.skipReceivedActions()
      #expect(store.state.collections == ["c": 500])
    }
  }

  /// What is known of the names; `docs/features.md` has the same as a table.
  enum Names: Hashable { case notLoaded, waiting, known }
  enum NamesEvent: Hashable { case run, stats, contents, checked, imported, succeeded }

  static let names = TransitionTable<Names, NamesEvent> {
    From(.notLoaded).on(.run, .stats, .imported).to(.waiting)
    From(.waiting).on(.contents).to(.known)
    From(.known).on(.stats).to(.waiting)
    From(.known).on(.checked).to(.notLoaded)
    From(.notLoaded).on(.checked).stays
    From(.known).on(.run, .succeeded).stays
  }

  @Test("a model: names are loaded once, and again by stats and imports; what is known is bounded")
  func model() {
    let monitor = TransitionMonitor<DatabaseState, DatabaseAction, Names, NamesEvent>(Self.names) {
      $0.pending != nil ? .waiting : $0.isLoaded == true ? .known : .notLoaded
    } action: { action in
      switch action {
      case .run(_, .stats, _): .stats
      case .run(_, .import, _), .checked(_, taken: .some), .missing, .failed: nil
      case .checked(_, taken: nil): .checked
      case .run: .run
      case .bootstrap: nil
      case .contents: .contents
      case .imported: .imported
      case .succeeded, .listed: .succeeded
      }
    }
    @Sendable func job(_ random: inout SeededRandom) -> Int {
      Int.random(in: 1...Int(Int32.max), using: &random)
    }
    @Sendable func document(_ random: inout SeededRandom) -> (collection: String, id: String) {
      ("c\(Int.random(in: 1...3, using: &random))", "\(Int.random(in: 1...3, using: &random))")
    }
    let model = ModelTest(
      initialState: DatabaseState(), reducer: BoardFeatures.db.reducer,
      moves: [
        .send { _, random in
          let (collection, id) = document(&random)
          return run(
            job(&random), .put(collection: collection, id: id, body: .json(text: "1")))
        },
        .send { _, random in
          let (collection, id) = document(&random)
          return run(job(&random), .remove(collection: collection, id: id))
        },
        .send { _, random in
          run(
            job(&random), .list(query: DocumentQuery(collection: document(&random).collection)))
        },
        .send { _, random in run(job(&random), .stats) },
        .send { _, random in run(job(&random), .import(path: "f", existing: .keep)) },
      ],
      invariants: [
        .transitions(monitor),
        Invariant("no collection that is known is empty, while none changes") {
          (state: DatabaseState) in
          state.changes != []
            || (state.collections ?? [:]).values.allSatisfy { $0.map { $0 > 0 } ?? true }
        },
        Invariant("the last list found no more than it may have") { (state: DatabaseState) in
          state.query.map { $0.found <= 3 } ?? true
        },
      ], interleaves: true
    ) { _ in
      var dependencies = Dependencies.mock
      let lines = [
        #"{"swiftboard":"db export","version":1}"#,
        #"{"document":{"collection":"c1","id":"1","updated":1,"body":1}}"#,
      ]
      dependencies.files = MockFileService(["f": Data(lines.joined(separator: "\n").utf8)])
      return dependencies
    }
    model.check(seeds: 1...60, length: 30, report: report)
    monitor.checkCoverage(report: report)
  }

  @Test("a command that is cancelled waits no more")
  func cancelled() {
    var state = DatabaseState()
    state.pending = [.begins(job: 1, command: .stats)]
    BoardFeatures.db.cancelled(&state, 1)
    #expect(state.pending == nil)
  }

  @Test("of many collections the first hundred are known, whatever is put")
  func bounded() {
    var state = DatabaseState()
    state.isLoaded = true
    state.collections = Dictionary(uniqueKeysWithValues: (0..<100).map { (ByteText("\($0)"), 1) })
    let store = store(state)
    store.nonExhaustively { store in
      store.send(run(1, put("1")))
      store.skipReceivedActions()
      #expect(store.state.collections?.count == 100)
    }
    store.finish()
  }

  @Test("a body of more than 64 KiB is not in the state while the names are loaded")
  func largeBody() {
    let store = store()
    let body = "\"" + String(repeating: "x", count: DatabaseState.largestDocument) + "\""
    store.nonExhaustively { store in
      store.send(run(1, put("1", body)))
      #expect(store.state.pending == nil)
      store.receive(.succeeded(job: 1, result: .put(collection: "c", id: "1", isNew: true)))
      #expect(store.state.isLoaded == false)
      store.send(run(2, put("2")))
      store.receive(.contents(job: 2, contents: contents(1)))
      store.receive(.succeeded(job: 2, result: .put(collection: "c", id: "2", isNew: true)))
      #expect(store.state.collections == ["c": 2])
    }
    store.finish()
  }
}
