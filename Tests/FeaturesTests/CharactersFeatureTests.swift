import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTestSupport
import SwiftBoardTesting
import Synchronization
import Testing

@testable import SwiftBoardFeatures

/// The reducer alone: what it decides, and what its effects bring.
@Suite("characters, its reducer")
struct CharactersReducerTests {
  typealias Characters = AnyReducer<CharactersState, CharactersAction, Dependencies>

  /// The address of the service where the board has none of its own.
  static let address = CharactersRequest.usualAddress

  let world = World()

  private func store(_ state: CharactersState = CharactersState()) -> TestStore<Characters> {
    TestStore(
      initialState: state, reducer: BoardFeatures.characters.reducer, clock: world.clock,
      dependencies: world.dependencies, report: report)
  }

  private func run(_ job: Int, _ command: CharactersCommand) -> CharactersAction {
    .run(context: context("characters", "characters", job: job), command: command)
  }

  static func filter(_ name: String) -> CharacterFilter {
    var filter = CharacterFilter()
    filter.name = name
    return filter
  }

  /// A page of characters as the service writes it.
  static func json(_ names: [String], count: Int, pages: Int, first: Int = 1) -> MockAnswer {
    let results = names.enumerated().map { index, name in
      """
      {"id":\(first + index),"name":"\(name)","status":"Alive","species":"Human","type":"",\
      "gender":"Male","origin":{"name":"Earth","url":""},"location":{"name":"Earth","url":""},\
      "image":"","episode":["1","2"]}
      """
    }
    return .json(
      #"{"info":{"count":\#(count),"pages":\#(pages)},"results":[\#(results.joined(separator: ","))]}"#
    )
  }

  /// The same page as an action has it.
  static func page(
    _ names: [String], count: Int, pages: Int, number: Int = 1, first: Int = 1
  ) -> CharacterPage {
    CharacterPage(
      number: number, pages: pages, count: count,
      characters: names.enumerated().map { index, name in
        SeriesCharacter(
          id: first + index, name: name, status: "Alive", species: "Human", gender: "Male",
          origin: "Earth", location: "Earth", episodes: 2)
      })
  }

  @Test("a page of the list: the service, the request, the answer, and the next page in the cache")
  func list() {
    world.api.answer(
      "GET", "\(Self.address)/character?page=1",
      with: Self.json(["Rick", "Morty"], count: 3, pages: 2))
    world.api.answer(
      "GET", "\(Self.address)/character?page=2",
      with: Self.json(["Summer"], count: 3, pages: 2, first: 3))
    let store = store()
    let command = CharactersCommand.list(page: 1, options: CharactersOptions())
    let request = CharactersRequest(job: 1)
    let page = Self.page(["Rick", "Morty"], count: 3, pages: 2)

    store.send(run(1, command)) { $0.pending = [PendingCharacters(job: 1, command: command)] }
    store.receive(.resolved(job: 1, service: nil)) { $0.service = Self.address }
    store.receive(.list(action: .load(request: request, page: 1))) {
      $0.list.status = .loading(job: 1)
    }
    store.receive(.list(action: .loaded(request: request, answer: ServiceAnswer(page)))) {
      $0.list.pages = 2
      $0.list.count = 3
      $0.list.shown = [CharacterList.Page(page)]
      $0.list.status = .shown(isStale: false)
      $0.pending = []
    }
    // Only once nothing was asked for a moment.
    #expect(world.api.requests.count == 1)
    store.advance(by: .milliseconds(300))
    store.receive(.list(action: .prefetched(page: 2))) { $0.list.prefetched = 2 }
    store.finish()

    // The next page comes from the cache.
    let next = self.store(store.state)
    next.nonExhaustively { next in
      next.send(run(2, .list(page: 2, options: CharactersOptions())))
      next.skipReceivedActions()
      #expect(next.state.list.shown.map(\.number) == [1, 2])
      #expect(next.state.list.shown.last?.rows.map(\.name) == ["Summer"])
      #expect(next.state.list.page == 2 && next.state.pending.isEmpty)
    }
    next.finish()
    #expect(world.api.requests.map(\.url).count == 2)
  }

  @Test("the next page is not asked for while commands follow, and its failure is only logged")
  func prefetch() {
    world.api.answer(
      "GET", "\(Self.address)/character?page=1", with: Self.json(["Rick"], count: 2, pages: 2))
    world.api.answer("GET", "\(Self.address)/character?page=2", with: .status(500))
    let store = store()
    store.nonExhaustively { store in
      for job in 1...3 {
        store.send(run(job, .list(page: 1, options: CharactersOptions())))
        store.skipReceivedActions()
        store.advance(by: .milliseconds(200))
      }
      #expect(world.api.requests.count == 1, "the page is in the cache, and no other was asked for")
      store.advance(by: .milliseconds(100))
      store.receive(.list(action: .prefetchFailed(page: 2)))
      #expect(store.state.list.prefetched == nil)
      #expect(store.state.list.status == .shown(isStale: false))
    }
    store.finish()
    #expect(world.logger.records.contains { $0.message.contains("page 2 was not prefetched") })
  }

  @Test("another command ends the wait for the next page, noCache has none, and one comes once")
  func noPrefetch() {
    world.api.answer { request in
      request.url.contains("/character/")
        ? .status(404) : Self.json(["Rick"], count: 2, pages: 2)
    }
    let store = store()
    var asked: [String] { world.api.requests.map { String($0.url.suffix(6)) } }
    store.nonExhaustively { store in
      store.send(run(1, .list(page: 1, options: CharactersOptions())))
      store.skipReceivedActions()
      store.send(run(2, .show(id: 7, options: CharactersOptions())))
      store.skipReceivedActions()
      store.advance(by: .seconds(1))
      #expect(asked == ["page=1", "cter/7"])
      store.send(run(3, .list(page: 1, options: CharactersOptions(cache: .noCache))))
      store.skipReceivedActions()
      store.advance(by: .seconds(1))
      #expect(asked == ["page=1", "cter/7", "page=1"])
      store.send(run(4, .list(page: 1, options: CharactersOptions())))
      store.skipReceivedActions()
      store.advance(by: .milliseconds(300))
      store.receive(.list(action: .prefetched(page: 2)))
      store.send(run(5, .list(page: 1, options: CharactersOptions())))
      store.skipReceivedActions()
      store.advance(by: .seconds(1))
      #expect(store.received.isEmpty, "the next page is in the cache already")
    }
    store.finish()
    #expect(asked.last == "page=2")
  }

  @Test("the next page is waited for ten seconds, and no longer")
  func prefetchTimeout() {
    world.api.answer(
      "GET", "\(Self.address)/character?page=1", with: Self.json(["Rick"], count: 2, pages: 2))
    world.api.answer("GET", "\(Self.address)/character?page=2", with: .hang)
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, .list(page: 1, options: CharactersOptions())))
      store.skipReceivedActions()
      store.advance(by: .milliseconds(300))
      #expect(world.api.hangingCount == 1)
      store.advance(by: .milliseconds(9_999))
      #expect(store.received.isEmpty)
      store.advance(by: .milliseconds(1))
      store.receive(.list(action: .prefetchFailed(page: 2)))
      #expect(world.api.hangingCount == 0)
    }
    store.finish()
  }

  @Test("a search is cancelled by the next one, wherever it is")
  func searchCancelsSearch() {
    world.api.answer { $0.url.contains("name=rick") ? .hang : nil }
    world.api.answer(
      "GET", "\(Self.address)/character?page=1&name=morty",
      with: Self.json(["Morty"], count: 1, pages: 1))
    let (rick, morty) = (Self.filter("rick"), Self.filter("morty"))
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, .search(filter: rick, page: 1, options: CharactersOptions())))
      store.receive(
        where: { if case .search(.load) = $0 { true } else { false } })
      #expect(world.api.hangingCount == 1)
      store.send(run(2, .search(filter: morty, page: 1, options: CharactersOptions())))
      store.receive(
        where: { action in
          guard case .failed(job: 1, let failure) = action else { return false }
          return failure.code == 130 && failure.message == "cancelled by the next search"
        })
      #expect(world.api.hangingCount == 0)
      store.skipReceivedActions()
      #expect(store.state.route == .search)
      #expect(store.state.search.filter == morty)
      #expect(store.state.search.results.map(\.name) == ["Morty"])
      #expect(store.state.recent == ["name==morty", "name==rick"])
      #expect(store.state.pending.isEmpty)
    }
    store.finish()
  }

  @Test(
    "two searches in any order of their effects: the second is shown, and the first is answered before or cancelled"
  )
  func interleavings() {
    let outcomes = EventLog<String>()
    let exploration = explore(seeds: 1...100, report: report) { run in
      let api = MockAPIClient()
      for name in ["rick", "morty"] {
        api.answer(
          "GET", "\(Self.address)/character?page=1&name=\(name)",
          with: Self.json([name], count: 1, pages: 1))
      }
      var dependencies = Dependencies.mock
      dependencies.apiClient = api
      let store = Store(
        initialState: CharactersState(), reducer: BoardFeatures.characters.reducer,
        dependencies: dependencies, executor: run.executor)
      let ends = EventLog<String>()
      store.observe { step, _ in
        switch step.action {
        case .run(let context, _): ends.append("run \(context.job)")
        case .search(.loaded(let request, _)): ends.append("loaded \(request.job)")
        case .search(.failed(let request, _)): ends.append("failed \(request.job)")
        case .failed(let job, let failure): ends.append("\(failure.error) \(job)")
        default: break
        }
      }
      for (job, name) in [(1, "rick"), (2, "morty")] {
        let filter = Self.filter(name)
        store.send(self.run(job, .search(filter: filter, page: 1, options: CharactersOptions())))
        if job == 1 { for _ in 0..<(run.seed % 7) { _ = run.executor.step() } }
      }
      run.executor.run()
      let state = store.state
      run.expect(state.search.filter.name == "morty", "\(state.search)")
      run.expect(state.search.results.map(\.name) == ["morty"], "\(state.search)")
      run.expect(state.pending.isEmpty, "\(state.pending)")
      // The first search has its answer before the second begins, or is cancelled by it.
      run.expect(
        ends.events == ["run 1", "loaded 1", "run 2", "loaded 2"]
          || ends.events == ["run 1", "run 2", "cancelled 1", "loaded 2"], "\(ends.events)")
      outcomes.append(ends.events[1])
    }
    #expect(exploration.orders > 1)
    #expect(Set(outcomes.events) == ["run 2", "loaded 1"], "both ends of the first happen")
  }

  @Test("the searches of earlier sessions are known once a search needs them, and read once")
  func recalled() async throws {
    for (index, text) in ["name==old", "name==older"].reversed().enumerated() {
      try await world.persistence.addSearch(text, scope: "characters", at: Int64(index))
    }
    world.api.answer { _ in Self.json([], count: 0, pages: 0) }
    let store = store()
    store.nonExhaustively { store in
      #expect(store.state.recent == [])
      store.send(run(1, .search(filter: Self.filter("a"), page: 1, options: CharactersOptions())))
      store.receive(.search(action: .remembered(text: "name==a")))
      store.receive(.search(action: .recalled(texts: ["name==a", "name==old", "name==older"])))
      store.skipReceivedActions()
      #expect(store.state.recent == ["name==a", "name==old", "name==older"])
      store.send(run(2, .search(filter: Self.filter("b"), page: 1, options: CharactersOptions())))
      store.skipReceivedActions()
      #expect(store.state.recent.first == "name==b" && store.state.recent.count == 4)
    }
    store.finish()
    #expect(world.persistence.calls.map(\.name).count { $0 == "searches" } == 1)
  }

  @Test("a state of an old recording has nothing recalled")
  func notRecalled() {
    world.api.answer { _ in Self.json([], count: 0, pages: 0) }
    var state = CharactersState()
    state.search.knowsRecent = nil
    let store = store(state)
    store.nonExhaustively { store in
      store.send(run(1, .search(filter: Self.filter("a"), page: 1, options: CharactersOptions())))
      store.skipReceivedActions()
      #expect(store.state.recent == ["name==a"] && store.state.search.knowsRecent == nil)
    }
    store.finish()
    #expect(!world.persistence.calls.contains { $0.name == "searches" })
  }

  @Test("a service that refuses the request for want of a key says so")
  func refusedKey() {
    world.api.answer("GET", "\(Self.address)/character/1", with: .status(401))
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, .show(id: 1, options: CharactersOptions())))
      store.receive(
        where: {
          guard case .detail(.failed(_, id: 1, let error)) = $0 else { return false }
          return error.status == 401 && error.failure.code == 4
            && error.failure.help?.hasPrefix("check the key") == true
        })
    }
    store.finish()
  }

  @Test("a failing service: the request is sent again, then the failure is told")
  func failure() {
    world.api.answer("GET", "\(Self.address)/character/1", with: .status(503))
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, .show(id: 1, options: CharactersOptions(retries: 2))))
      store.skipReceivedActions()
      #expect(world.api.requests.count == 1)
      #expect(store.state.detail?.status == .loading(job: 1))
      store.advance(by: .milliseconds(200))
      #expect(world.api.requests.count == 2)
      store.advance(by: .milliseconds(400))
      #expect(world.api.requests.count == 3)
      store.receive(
        where: {
          guard case .detail(.failed(_, id: 1, let error)) = $0 else { return false }
          return error.status == 503 && error.failure.code == 5
        })
      #expect(store.state.detail?.status == .failed(error: "httpStatus"))
      #expect(store.state.pending.isEmpty)
    }
    store.finish()
  }

  @Test("a picture is asked for again as often as the line says")
  func imageRetries() {
    let picture = "http://pictures.test/1.jpeg"
    world.api.answer(
      "GET", "\(Self.address)/character/1",
      with: .json(
        #"{"id":1,"name":"R","status":"Alive","species":"Human","gender":"Male","image":"\#(picture)"}"#
      ))
    world.api.answer(
      "GET", picture, with: .status(503), .response(status: 200, headers: [], body: Data([1])))
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, .image(id: 1, file: "f", options: CharactersOptions(retries: 1))))
      store.skipReceivedActions()
      #expect(world.files.files["f"] == nil)
      store.advance(by: .milliseconds(200))
      store.skipReceivedActions()
      #expect(world.files.files["f"] == Data([1]) && store.state.pending.isEmpty)
    }
    store.finish()
  }

  @Test("a search is sent again on its clock, and only as often as the line says")
  func searchRetries() {
    world.api.answer(
      "GET", "\(Self.address)/character?page=1&name=rick", with: .status(503), .status(503),
      Self.json(["Rick"], count: 1, pages: 1), .status(503))
    let store = store()
    store.nonExhaustively { store in
      let options = CharactersOptions(retries: 2)
      store.send(run(1, .search(filter: Self.filter("rick"), page: 1, options: options)))
      store.skipReceivedActions()
      #expect(world.api.requests.count == 1)
      store.advance(by: .milliseconds(199))
      #expect(world.api.requests.count == 1)
      store.advance(by: .milliseconds(1))
      #expect(world.api.requests.count == 2)
      store.advance(by: .milliseconds(399))
      #expect(world.api.requests.count == 2)
      #expect(store.state.search.status == .loading(job: 1))
      store.advance(by: .milliseconds(1))
      #expect(world.api.requests.count == 3)
      store.receive(where: { if case .search(.loaded) = $0 { true } else { false } })
      #expect(store.state.search.results.map(\.name) == ["Rick"])
      // Without retries, one attempt is all, however long it takes.
      store.send(
        run(2, .search(filter: Self.filter("rick"), page: 1, options: CharactersOptions())))
      store.advance(by: .seconds(60))
      store.receive(where: { action in
        guard case .search(.loaded(_, let answer)) = action else { return false }
        return answer.verdict == .stale
      })
      #expect(world.api.requests.count == 4)
    }
    store.finish()
  }

  @Test("a login page is no character, and does not take the place of the kept one")
  func loginPage() {
    let login = MockAnswer.response(
      status: 200, headers: [HTTPHeader("Content-Type", "text/html")], body: Data("<html>".utf8))
    world.api.answer(
      "GET", "\(Self.address)/character/2",
      with: .json(
        #"{"id":2,"name":"Morty Smith","status":"Alive","species":"Human","gender":"Male"}"#),
      login,
      .status(503))
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, .show(id: 2, options: CharactersOptions())))
      store.skipReceivedActions()
      store.send(run(2, .refresh(options: CharactersOptions())))
      store.receive(
        where: {
          guard case .detail(.failed(_, id: 2, let error)) = $0 else { return false }
          return error.failure.error == "undecodable"
            && error.failure.message.hasSuffix("is not a character: it is not JSON")
        })
      store.send(run(3, .show(id: 2, options: CharactersOptions(cache: .remoteFirst))))
      store.skipReceivedActions()
      #expect(store.state.detail?.status == .shown(isStale: true))
      #expect(store.state.detail?.item?.name == "Morty Smith")
    }
    store.finish()
  }

  @Test("a login page is no next page of the list, and is not kept as one")
  func prefetchedLoginPage() async throws {
    world.api.answer(
      "GET", "\(Self.address)/character?page=1", with: Self.json(["Rick"], count: 2, pages: 2))
    world.api.answer(
      "GET", "\(Self.address)/character?page=2",
      with: .response(status: 200, headers: [], body: Data("<html>".utf8)))
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, .list(page: 1, options: CharactersOptions())))
      store.skipReceivedActions()
      store.advance(by: .milliseconds(300))
      store.receive(.list(action: .prefetchFailed(page: 2)))
    }
    store.finish()
    #expect(try await world.persistence.cachedResponses().count == 1)
    #expect(
      world.logger.records.contains { $0.message.contains("is not a page of characters") })
  }

  @Test("a kept answer that stands in for the service is stale, and says why")
  func stale() {
    world.api.answer(
      "GET", "\(Self.address)/character/2",
      with: .json(
        #"{"id":2,"name":"Morty Smith","status":"Alive","species":"Human","gender":"Male","origin":"5a05"}"#
      ),
      .failure(APIError(.refused, "nothing listens at rickandmortyapi.com:443")))
    let store = store()
    store.nonExhaustively { store in
      store.send(run(1, .show(id: 2, options: CharactersOptions())))
      store.skipReceivedActions()
      #expect(store.state.detail?.status == .shown(isStale: false))
      store.send(run(2, .refresh(options: CharactersOptions())))
      store.receive(
        where: {
          guard case .detail(.loaded(_, let answer)) = $0 else { return false }
          return answer.verdict == .stale
            && answer.staleReason == "nothing listens at rickandmortyapi.com:443"
        })
      #expect(store.state.detail?.status == .shown(isStale: true))
      #expect(store.state.detail?.item?.name == "Morty Smith")
    }
    store.finish()
  }

  @Test("a kept list and a kept search that stand in for the service are stale")
  func stalePages() {
    let refused = APIError(.refused, "nothing listens at rickandmortyapi.com:443")
    for query in ["page=1", "page=1&name=rick"] {
      world.api.answer(
        "GET", "\(Self.address)/character?\(query)",
        with: Self.json(["Rick"], count: 1, pages: 1), .failure(refused))
    }
    let store = store()
    store.nonExhaustively { store in
      let options = CharactersOptions(cache: .remoteFirst)
      for (job, isStale) in [(1, false), (2, true)] {
        store.send(run(job, .list(page: 1, options: options)))
        store.skipReceivedActions()
        #expect(store.state.list.status == .shown(isStale: isStale))
      }
      for (job, isStale) in [(3, false), (4, true)] {
        store.send(run(job, .search(filter: Self.filter("rick"), page: 1, options: options)))
        store.skipReceivedActions()
        #expect(store.state.search.status == .shown(isStale: isStale))
      }
    }
    store.finish()
  }

  @Test(
    "a kept list is shown for an hour, then the service is asked again; a line can prevent that")
  func lifetime() {
    world.api.answer {
      $0.url.contains("page=1") ? Self.json(["Rick"], count: 1, pages: 1) : nil
    }
    let start = DateGenerator.mockStart
    let now = Mutex(start)
    var dependencies = world.dependencies
    dependencies.date = DateGenerator { now.withLock { $0 } }
    let store = TestStore(
      initialState: CharactersState(), reducer: BoardFeatures.characters.reducer,
      clock: world.clock, dependencies: dependencies, report: report)
    func verdict(
      _ store: NonExhaustiveTestStore<Characters>, _ job: Int, after minutes: Int64,
      _ cache: CachePolicy? = nil
    ) -> CacheVerdict? {
      now.withLock { $0 = start + minutes * 60_000_000 }
      store.send(run(job, .list(page: 1, options: CharactersOptions(cache: cache))))
      var verdict: CacheVerdict?
      store.receive(where: { if case .resolved = $0 { true } else { false } })
      store.receive(where: { if case .list(.load) = $0 { true } else { false } })
      store.receive(
        where: {
          if case .list(.loaded(_, let answer)) = $0 { verdict = answer.verdict }
          return verdict != nil
        })
      return verdict
    }
    store.nonExhaustively { store in
      #expect(verdict(store, 1, after: 0) == .miss)
      #expect(verdict(store, 2, after: 59) == .hit)
      #expect(verdict(store, 3, after: 61) == .miss)
      #expect(world.api.requests.count == 2)
      #expect(verdict(store, 4, after: 600, .localFirst) == .stale)
      #expect(world.api.requests.count == 2)
    }
    store.finish()
  }

  /// The parts as machines; `docs/features.md` has the same as tables.
  enum Event: Hashable { case run, load, loaded, nothing, failed, ended }
  enum Status: Hashable {
    case none, idle, loading, shown, failed

    init(_ status: CharactersStatus?) {
      self =
        switch status {
        case nil: .none
        case .idle?: .idle
        case .loading?: .loading
        case .shown?: .shown
        case .failed?: .failed
        }
    }
  }
  typealias Monitor = TransitionMonitor<CharactersState, CharactersAction, Status, Event>

  static let list = TransitionTable<Status, Event> {
    From(.idle, .loading, .shown, .failed).on(.load).to(.loading)
    // Two jobs may ask; what comes last is shown.
    From(.idle, .loading, .shown, .failed).on(.loaded).to(.shown)
    From(.idle, .loading, .shown, .failed).on(.failed).to(.failed)
    From(.loading).on(.ended).to(.idle, .loading)
    From(.idle, .shown, .failed).on(.ended).stays
  }

  static let detail = TransitionTable<Status, Event> {
    From(.none).on(.run).to(.idle)
    From(.idle).on(.run).stays
    // Another character takes the place of the one before.
    From(.loading, .shown, .failed).on(.run).to(.idle)
    From(.loading, .shown, .failed).on(.run).stays
    From(.idle, .loading, .shown, .failed).on(.load).to(.loading)
    From(.idle, .loading, .shown, .failed).on(.loaded).to(.shown)
    From(.idle, .loading, .shown, .failed).on(.failed).to(.failed)
    // What another job asks for, or is answered, of another character changes nothing.
    From(.idle, .loading, .shown, .failed).on(.load, .loaded, .failed).stays
    From(.loading).on(.ended).to(.idle, .loading)
    From(.none, .idle, .shown, .failed).on(.ended).stays
  }

  static let search = TransitionTable<Status, Event> {
    From(.idle, .shown, .failed).on(.load).to(.loading)
    From(.loading).on(.loaded, .nothing).to(.shown)
    From(.loading).on(.failed).to(.failed)
    // The next search ends the one before it.
    From(.loading).on(.run).to(.idle)
    From(.idle, .shown, .failed).on(.run).stays
    From(.loading).on(.ended).to(.idle, .loading)
    From(.idle, .shown, .failed).on(.ended).stays
  }

  private static func listMonitor() -> Monitor {
    TransitionMonitor(list) {
      Status($0.list.status)
    } action: { action in
      switch action {
      case .list(.load): .load
      case .list(.loaded): .loaded
      case .list(.failed): .failed
      case .failed: .ended
      default: nil
      }
    }
  }

  private static func detailMonitor() -> Monitor {
    TransitionMonitor(detail) {
      Status($0.detail?.status)
    } action: { action in
      switch action {
      case .run(_, .show), .run(_, .image): .run
      case .detail(.load): .load
      case .detail(.loaded): .loaded
      case .detail(.failed): .failed
      case .failed: .ended
      default: nil
      }
    }
  }

  private static func searchMonitor() -> Monitor {
    TransitionMonitor(search) {
      Status($0.search.status)
    } action: { action in
      switch action {
      case .search(.load): .load
      case .search(.loaded): .loaded
      case .search(.failed(_, let error)): error.status == 404 ? .nothing : .failed
      case .run(_, .search): .run
      case .failed: .ended
      default: nil
      }
    }
  }

  /// The feature, whose jobs the board can cancel: an interrupt does so.
  private struct Cancelling: Reducer {
    static let interrupt = Failure(code: 130, error: "interrupted", message: "interrupted")
    let feature = BoardFeatures.characters

    func reduce(
      _ state: inout CharactersState, _ action: CharactersAction, _ dependencies: Dependencies
    ) -> [Effect<CharactersAction>] {
      guard case .failed(let job, Self.interrupt) = action else {
        return feature.reducer.reduce(&state, action, dependencies)
      }
      feature.cancelled(&state, job)
      return [.cancel(id: job)]
    }
  }

  private var moves: [MoveGenerator<CharactersState, CharactersAction>] {
    let names = ["summer", "slow", "slow", "slow", "slow"] + (1...40).map { "name \($0)" }
    @Sendable func job(_ random: inout SeededRandom) -> Int {
      Int.random(in: 1...Int(Int32.max), using: &random)
    }
    @Sendable func id(_ random: inout SeededRandom) -> Int {
      Int.random(in: 1...4, using: &random)
    }
    let options = CharactersOptions(retries: 1)
    return [
      .send(weight: 3) { _, random in
        run(job(&random), .list(page: Int.random(in: 1...9, using: &random), options: options))
      },
      .send(weight: 5) { _, random in run(job(&random), .show(id: id(&random), options: options)) },
      .send { _, random in
        run(job(&random), .image(id: id(&random), file: "f", options: options))
      },
      .send(weight: 6) { _, random in
        let filter = Self.filter(names.randomElement(using: &random) ?? "rick")
        return run(
          job(&random), .search(filter: filter, page: 1, options: options))
      },
      .send { _, random in run(job(&random), .refresh(options: options)) },
      .send { _, random in run(job(&random), .recent) },
      .send { state, random in
        let text = state.recent.randomElement(using: &random) ?? "nothing"
        return run(job(&random), .recentRemove(text: text))
      },
      .send(weight: 2) { state, random in
        let pending = state.pending.randomElement(using: &random)
        return pending.map { .failed(job: $0.job, failure: Cancelling.interrupt) }
      },
      .advance(weight: 4, by: .milliseconds(100), .milliseconds(300)),
    ]
  }

  /// Answers to a job beside the one that the state is about, which orders of effects bring rarely.
  private func takeLateAnswers(_ monitors: [Monitor]) {
    let request = CharactersRequest(job: 9)
    let error = ServiceError(APIError(.refused, "no"), world.dependencies, category: "characters")
    let page = ServiceAnswer(Self.page(["x"], count: 1, pages: 1))
    var actions: [CharactersAction] = [
      .list(action: .loaded(request: request, answer: page)),
      .list(action: .failed(request: request, page: 1, error: error)),
      .search(action: .failed(request: request, error: error)),
      .failed(job: 9, failure: Cancelling.interrupt),
    ]
    for character in Self.page(["a", "b"], count: 2, pages: 1).characters {
      actions += [
        .detail(action: .loaded(request: request, answer: ServiceAnswer(character))),
        .detail(action: .failed(request: request, id: character.id, error: error)),
        .detail(action: .load(request: request, id: character.id)),
      ]
    }
    let statuses: [CharactersStatus] = [
      .idle, .loading(job: 1), .shown(isStale: false), .failed(error: "refused"),
    ]
    for status in statuses {
      for action in actions {
        var before = CharactersState()
        before.list.status = status
        // No search is answered that does not wait.
        before.search.status = action.search == nil ? status : .loading(job: 1)
        before.detail = CharacterDetail(id: 1)
        before.detail?.status = status
        var after = before
        _ = BoardFeatures.characters.reducer.reduce(&after, action, world.dependencies)
        for monitor in monitors {
          let impossible = monitor.check(from: before, action, to: after)
          #expect(impossible == nil, "\(impossible as Any)")
        }
      }
    }
  }

  /// Whatever is asked, cancelled and answered, and in whichever order.
  @Test("a model: what waits is loading, what is kept is bounded, and no search has two jobs")
  func model() {
    let monitors = [Self.listMonitor(), Self.detailMonitor(), Self.searchMonitor()]
    let most = Mutex((recent: 0, pages: 0))
    let invariants: [Invariant<CharactersState, CharactersAction>] = [
      Invariant("a part that is loading has a job that waits") { (state: CharactersState) in
        [state.list.status, state.search.status, state.detail?.status ?? .idle].allSatisfy {
          guard case .loading(let job) = $0 else { return true }
          return state.pending.contains { $0.job == job }
        }
      },
      Invariant("at most one search waits") { (state: CharactersState) in
        state.pending.count { if case .search = $0.command { true } else { false } } <= 1
      },
      .transitions(monitors[0]), .transitions(monitors[1]), .transitions(monitors[2]),
      Invariant("what is kept is bounded") { (state: CharactersState) in
        most.withLock {
          $0.recent = max($0.recent, state.recent.count)
          $0.pages = max($0.pages, state.list.shown.count)
        }
        return state.list.shown.count <= 5 && state.recent.count <= 20
      },
      Invariant("no recent search is there twice") { (state: CharactersState) in
        Set(state.recent).count == state.recent.count
      },
    ]
    let model = ModelTest(
      initialState: CharactersState(), reducer: Cancelling(), moves: moves, invariants: invariants,
      interleaves: true
    ) { run in
      var dependencies = Dependencies.mock
      let api = MockAPIClient()
      let calls = Atomic(0)
      api.answer { request in
        // The service is busy every other time, so that a job waits while others follow.
        if ["page=8", "character/2", "character/3", "name%20"].contains(
          where: request.url.contains),
          calls.add(1, ordering: .relaxed).newValue % 2 == 1
        {
          return .status(503)
        }
        if request.url.contains("character/4") || request.url.contains("page=9") {
          return .status(500)
        }
        if let id = request.url.split(separator: "/").last, request.url.contains("character/") {
          return .json(
            #"{"id":\#(id),"name":"M","status":"Alive","species":"Human","gender":"Male","image":"http://i.test/avatar/\#(id)"}"#
          )
        }
        return request.url.contains("summer")
          ? .status(404)
          : request.url.contains("slow")
            ? .status(503) : Self.json(["x"], count: 9, pages: 9)
      }
      dependencies.apiClient = api
      dependencies.clock = BoardClock(
        now: { run.clock.now.offset.microseconds },
        sleep: { try await run.clock.sleep(for: $0) })
      return dependencies
    }
    model.check(seeds: 1...60, length: 90, report: report)
    takeLateAnswers(monitors)
    for monitor in monitors { monitor.checkCoverage(report: report) }
    // The bounds are reached.
    #expect(most.withLock { $0.recent } == 20 && most.withLock { $0.pages } == 5)
  }
}

/// What lines of the feature print, and with which exit code they end.
@Suite("characters, its lines")
struct CharactersFeatureTests {
  let lines: Lines = {
    var dependencies = Dependencies.preview
    dependencies.clock = Dependencies.mock.clock
    return Lines(dependencies: dependencies)
  }()

  @Test("a list is a table, and says which page it is")
  func list() async {
    #expect(await lines.run("characters list --page 2") == 0)
    #expect(
      lines.allPrinted == """
        page 2 of 2  23 characters  MISS
        id  name          status   species   gender
        --  ------------  -------  --------  ------
        21  Aqua Morty    unknown  Humanoid  Male
        22  Aqua Rick     unknown  Humanoid  Male
        23  Arcade Alien  unknown  Alien     Male

        """)
    #expect(await lines.run("characters list page==3") == 66)
    #expect(lines.allPrinted.contains("error: the list has no page 3"))
    await lines.board.close()
  }

  @Test("a character is a record; one that is not there is missing")
  func show() async {
    #expect(await lines.run("characters show 1") == 0)
    #expect(lines.allPrinted.hasPrefix("id        1\nname      Rick Sanchez\nstatus    Alive\n"))
    #expect(await lines.run("echo {{last.name}}, {{last.verdict}}") == 0)
    #expect(lines.allPrinted.hasSuffix("Rick Sanchez, MISS\n"), "\(lines.allPrinted)")
    #expect(await lines.run("assert characters.detail.item.name == '\"Rick Sanchez\"'") == 0)
    #expect(await lines.run("assert characters.route.detail.id == 1") == 0)
    #expect(await lines.run("characters show 99999") == 66)
    #expect(lines.allPrinted.contains("error: there is no character 99999"))
    // What is shown is still that there is none, and the next character takes its place.
    #expect(await lines.run("characters refresh") == 66)
    #expect(await lines.run("assert characters.detail.status.failed exists") == 0)
    #expect(await lines.run("characters show 1; characters refresh") == 0)
    #expect(await lines.run("assert characters.detail.id == 1") == 0)
    await lines.board.close()
  }

  @Test("a search finds by parts; what finds nothing is no failure")
  func search() async {
    #expect(await lines.run("characters search name==RICK status==alive") == 0)
    #expect(lines.allPrinted.contains("1  Rick Sanchez  Alive   Human    Male"))
    #expect(
      lines.allPrinted.hasPrefix("name==RICK status==alive, page 1 of 1  1 character  MISS\n"))
    #expect(await lines.run("characters search name==nobody") == 0)
    #expect(lines.allPrinted.contains("no character matches name==nobody\n"))
    #expect(await lines.run("assert characters.search.count == 0") == 0)
    await lines.board.close()
  }

  @Test(
    "words that are no search are refused, with what would be one",
    arguments: [
      ("search rick", "a filter is like name==rick"), ("search nam==rick", "did you mean 'name'?"),
      ("search status==aliv", "did you mean 'alive'?"), ("search name==", "needs a value"),
      ("search page==0", "page takes a whole number from 1"),
      ("search --page 0", "page"), ("search name==a name==b", "name is there twice"),
      ("list page==2 --page 1", "page is there twice"),
      ("list name==rick", "'characters search name==rick' does"),
      ("show x", "id is a whole number"), ("show 0", "id"), ("image 1", "--out FILE is missing"),
      ("recent remove", "TEXT"),
    ])
  func refused(line: String, text: String) async {
    #expect(await lines.run("characters \(line)") == 64)
    #expect(lines.allPrinted.lowercased().contains(text.lowercased()), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("recent searches are kept, newest first, and can be removed")
  func recent() async {
    #expect(await lines.run("characters search name==rick") == 0)
    #expect(await lines.run("characters search name==rick status==dead") == 0)
    #expect(await lines.run("characters recent -o plain") == 0)
    // The preview has two of its own, and one of them was asked again.
    let rows = lines.allPrinted.split(separator: "\n").suffix(3).map {
      $0.split(separator: "\t").last.map(String.init)
    }
    #expect(rows == ["name==rick status==dead", "name==rick", "name==morty"])
    #expect(await lines.run("characters recent remove name==rick status==dead") == 0)
    #expect(await lines.run("assert characters.recent[0] == '\"name==rick\"'") == 0)
    #expect(await lines.run("characters recent remove nobody") == 66)
    await lines.board.close()
  }

  @Test("refresh asks again for what is shown, and a picture goes to a file")
  func refreshAndImage() async throws {
    #expect(await lines.run("characters show 2; characters show 2") == 0)
    #expect(await lines.run("characters refresh --json") == 0)
    #expect(lines.allPrinted.contains(#""name":"Morty Smith""#))
    #expect(lines.allPrinted.contains(#""verdict":"REVALIDATED""#), "\(lines.allPrinted)")
    #expect(await lines.run("characters image 2 --out morty.jpeg") == 0)
    #expect(lines.allPrinted.hasSuffix("4 bytes -> morty.jpeg\n"), "\(lines.allPrinted)")
    #expect(await lines.run("assert characters.detail.image == '\"morty.jpeg\"'") == 0)
    await lines.board.close()
  }

  @Test(
    "links lead to the routes",
    arguments: [
      ("characters", "list"), ("characters?page=2", "list"), ("characters/2", "detail"),
      ("characters/search?name=rick&page=1", "search"),
    ])
  func links(link: String, route: String) async {
    #expect(await lines.run("open swiftboard://\(link)") == 0, "\(lines.allPrinted)")
    #expect(await lines.run("assert characters.route.\(route) exists") == 0)
    await lines.board.close()
  }

  @Test("a link that is not one of the feature leads to its commands")
  func noLink() async {
    #expect(await lines.run("open swiftboard://characters/nobody") == 66)
    #expect(
      lines.allPrinted.hasSuffix(
        "help: 'open swiftboard://characters' is one; 'help characters' lists the commands\n"),
      "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("a secret that the service repeats is a mark, and is passed on to nobody")
  func secret() async {
    let world = World()
    world.logger.redactor.registerSecret(Array("s3cretvalue".utf8), name: "k")
    world.api.answer(
      "GET", "\(CharactersRequest.usualAddress)/character/1",
      with: .json(
        #"{"id":1,"name":"s3cretvalue","status":"Alive","species":"Human","gender":"Male","#
          + #""image":"http://pictures.test/s3cretvalue.jpeg"}"#))
    let lines = Lines(world)
    #expect(await lines.run("characters show 1") == 0)
    #expect(lines.allPrinted.contains("name      «secret:k»\n"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("2 values are masked"))
    #expect(await lines.run("characters image 1 --out 1.jpeg") == 65)
    #expect(lines.allPrinted.contains("the address of the picture holds the secret 'k'"))
    #expect(!lines.allPrinted.contains("s3cretvalue"))
    #expect(world.api.requests.allSatisfy { !$0.url.contains("pictures.test") })
    await lines.board.close()
  }

  @Test("a search for what becomes a secret: later the text is a mark, and is refused")
  func searchForSecret() async {
    let world = World()
    world.api.answer { _ in .status(404) }
    let lines = Lines(world)
    #expect(await lines.run("characters search name==s3cretvalue") == 0)
    #expect(lines.board.store.state.characters.recent == ["name==s3cretvalue"])
    // From now on it is known.
    world.logger.redactor.registerSecret(Array("s3cretvalue".utf8), name: "k")
    let (printed, steps) = (lines.allPrinted.count, lines.allSteps.count)
    #expect(await lines.run("characters recent --plain") == 0)
    #expect(lines.allPrinted.hasSuffix("\tname==«secret:k»\n"), "\(lines.allPrinted)")
    #expect(lines.board.store.state.characters.recent == ["name==«secret:k»"])
    #expect(await lines.run("characters search name==s3cretvalue") == 64)
    #expect(await lines.run("characters recent remove name==s3cretvalue") == 64)
    #expect(lines.allPrinted.contains("this is the value of the secret 'k'"))
    #expect(!lines.allPrinted.dropFirst(printed).contains("s3cretvalue"))
    #expect(!lines.allSteps.dropFirst(steps).contains("s3cretvalue"))
    await lines.board.close()
  }

  @Test("a picture comes from the cache, unless another policy is asked for")
  func cachedImage() async {
    let world = World()
    let picture = "http://pictures.test/1.jpeg"
    world.api.answer(
      "GET", "\(CharactersRequest.usualAddress)/character/1",
      with: .json(
        #"{"id":1,"name":"R","status":"Alive","species":"Human","gender":"Male","image":"\#(picture)"}"#
      ))
    let bytes = Data([0xFF, 0xD8, 0x00, 0xFF])
    world.api.answer("GET", picture, with: .response(status: 200, headers: [], body: bytes))
    let lines = Lines(world)
    #expect(await lines.run("characters image 1 --out a.jpeg") == 0, "\(lines.allPrinted)")
    #expect(await lines.run("characters image 1 --out b.jpeg") == 0)
    #expect(world.files.files["a.jpeg"] == bytes && world.files.files["b.jpeg"] == bytes)
    #expect(world.api.requests.map(\.url).count { $0 == picture } == 1)
    #expect(await lines.run("characters image 1 --out b.jpeg --cache noCache") == 0)
    #expect(world.api.requests.map(\.url).count { $0 == picture } == 2)
    await lines.board.close()
  }

  @Test(
    "a job that is cancelled asks the service no more",
    arguments: ["list", "search name==a", "image 1 --out f"]
  )
  func cancelledRequest(line: String) async {
    let world = World()
    world.api.answer { request in
      request.url.hasSuffix("/character/1")
        ? .json(
          #"{"id":1,"name":"R","status":"Alive","species":"Human","gender":"Male","#
            + #""image":"http://pictures.test/1.jpeg"}"#) : .hang
    }
    let lines = Lines(world)
    #expect(await lines.run("characters \(line) &") == 0)
    await world.api.waitForHanging()
    #expect(await lines.run("cancel 1") == 0)
    await world.api.waitForNoneHanging()
    #expect(world.files.files["f"] == nil)
    let state = lines.board.store.state.characters
    #expect(state.pending.isEmpty && !state.list.status.isLoading && !state.search.status.isLoading)
    await lines.board.close()
  }

  @Test("every filter, the page and the time are sent, and each command shows its own place")
  func sent() async {
    let world = World()
    world.api.answer { _ in CharactersReducerTests.json(["R"], count: 30, pages: 2) }
    let lines = Lines(world)
    let filters = ["name==a", "status==alive", "species==b", "type==c", "gender==male"]
    let line = "characters search \(filters.joined(separator: " ")) --page 2 --timeout 7s"
    #expect(await lines.run(line) == 0, "\(lines.allPrinted)")
    let sent = world.api.requests.last
    #expect(
      sent?.url == CharactersRequest.usualAddress
        + "/character?page=2&name=a&status=alive&species=b&type=c&gender=male")
    #expect(sent?.timeout == .seconds(7))
    #expect(await lines.run("characters list") == 0)
    #expect(await lines.run("assert characters.route.list exists") == 0, "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("what is kept and old is shown with a note where the line asks for nothing newer")
  func oldNote() async {
    let world = World()
    // The service does not say how long its answer holds.
    world.api.answer { _ in
      .json(#"{"id":1,"name":"R","status":"Alive","species":"Human","gender":"Male","image":""}"#)
    }
    let lines = Lines(world)
    let note = "this is a kept answer; 'characters refresh' asks again\n"
    #expect(await lines.run("characters show 1") == 0)
    #expect(!lines.allPrinted.contains(note))
    #expect(await lines.run("characters show 1 --cache localFirst") == 0)
    #expect(lines.allPrinted.contains(note), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("a job that is cancelled waits no more")
  func cancelled() async {
    let world = World()
    world.api.answer { _ in .hang }
    let lines = Lines(world)
    #expect(await lines.run("characters show 1 &") == 0)
    await world.api.waitForHanging()
    #expect(lines.board.store.state.characters.detail?.status == .loading(job: 1))
    #expect(await lines.run("cancel 1") == 0)
    await world.api.waitForNoneHanging()
    #expect(lines.board.store.state.characters.detail?.status == .idle)
    #expect(lines.board.store.state.characters.pending.isEmpty)
    await lines.board.close()
  }

  @Test("a service of the board is asked by its name")
  func service() async {
    #expect(await lines.run("characters list --service rm") == 66)
    #expect(lines.allPrinted.contains("there is no service named 'rm'"))
    #expect(await lines.run("api service add rm http://rm.test/api/") == 0)
    #expect(await lines.run("characters show 1 --service rm") == 0)
    #expect(await lines.run("assert characters.service == '\"http://rm.test/api\"'") == 0)
    await lines.board.close()
  }

  @Test(
    "a service with a key gets it, and nothing else has it",
    arguments: [
      "header:X-Api-Key={{secret:radarr}}", "query:apikey={{secret:radarr}}",
      "bearer:{{secret:radarr}}", "basic:me:{{secret:radarr}}", "digest:me:{{secret:radarr}}",
    ])
  func key(authentication: String) async throws {
    let world = World()
    let picture = "http://pictures.test/1.jpeg"
    let character =
      #"{"id":1,"name":"R","status":"Alive","species":"Human","gender":"Male","image":"\#(picture)"}"#
    world.api.answer { request in
      request.url == picture
        ? .response(status: 200, headers: [], body: Data([1]))
        : request.url.contains("character/1")
          ? .json(character)
          : CharactersReducerTests.json(["R"], count: 1, pages: 1)
    }
    let lines = Lines(world)
    let added = await lines.run("api service add rm http://rm.test/api --auth \(authentication)")
    try #require(added == 0, "\(lines.allPrinted)")
    for line in ["list", "search name==r", "show 1", "image 1 --out 1.jpeg"] {
      #expect(await lines.run("characters \(line) --service rm") == 0, "\(lines.allPrinted)")
    }
    let asked = world.api.requests.filter { $0.url.hasPrefix("http://rm.test/") }
    #expect(asked.count == 3, "the picture is of the character that is kept")
    for request in asked {
      #expect(request.references == nil)
      #expect(request.secretValues.contains(World.secret), "\(request.url)")
    }
    let pictures = world.api.requests.filter { $0.url == picture }
    let asPicture = try #require(pictures.first)
    #expect(pictures.count == 1 && asPicture.secretValues.isEmpty)
    #expect(asPicture.headers.map(\.name) == ["Accept", "User-Agent"])
    #expect(!lines.allPrinted.contains(World.secret) && !lines.allSteps.contains(World.secret))
    // What is kept needs no key, and is there while the keychain is locked.
    #expect(await lines.run("keychain lock; characters show 1 --service rm") == 0)
    #expect(await lines.run("characters show 1 --service rm --cache noCache") == 77)
    await lines.board.close()
  }

  @Test("a list without a first page is at the wrong address")
  func wrongAddress() async {
    let world = World()
    world.api.answer { _ in .status(404) }
    let lines = Lines(world)
    #expect(await lines.run("characters list") == 66)
    #expect(
      lines.allPrinted.contains("has no characters at \(CharactersRequest.usualAddress)"),
      "\(lines.allPrinted)")
    #expect(await lines.run("characters list --page 3") == 66)
    #expect(lines.allPrinted.contains("the list has no page 3"))
    await lines.board.close()
  }

  @Test("a secret that becomes known leads back to the list, but not while a command waits")
  func forget() {
    var state = CharactersState()
    state.route = .detail(id: 7)
    state.detail = CharacterDetail(id: 7)
    state.detail?.item = SeriesCharacter(id: 7, name: "n")
    state.detail?.status = .shown(isStale: false)
    state.list.page = 3
    state.search.filter = CharactersReducerTests.filter("n")
    state.search.page = 2
    var forgotten = state
    BoardFeatures.characters.forget(&forgotten)
    #expect(forgotten == CharactersState())

    let command = CharactersCommand.show(id: 7, options: CharactersOptions())
    state.pending = [PendingCharacters(job: 1, command: command)]
    state.detail?.status = .loading(job: 1)
    BoardFeatures.characters.forget(&state)
    #expect(state.route == .detail(id: 7) && state.pending.count == 1)
    #expect(state.detail?.item == nil && state.detail?.status == .loading(job: 1))
    #expect(state.search == CharacterSearch() && state.list == CharacterList())
  }
}
