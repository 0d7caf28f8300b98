import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@testable import SwiftBoardFeatures

/// The reducer of `api` alone: what it decides about requests, and what its effects bring.
@Suite("api, its reducer")
struct RequestReducerTests {
  typealias API = AnyReducer<APIState, APIAction, Dependencies>

  let world = World()

  private func store(_ state: APIState = known()) -> TestStore<API> {
    TestStore(
      initialState: state, reducer: BoardFeatures.api.reducer, clock: world.clock,
      dependencies: world.dependencies, report: report)
  }

  /// The state after the first request: the services are known.
  private static func known(_ services: APIService...) -> APIState {
    var state = APIState()
    state.services = services
    state.saved = []
    return state
  }

  private static func request(
    _ target: String = "http://rm.test/x", method: String = "GET", retries: Int = 0
  ) -> APICommand {
    var spec = APIRequestSpec(
      method: method, isExplicit: true, target: SecretTemplate(target))
    spec.retries = retries
    return .request(request: spec)
  }

  private static func run(_ job: Int, _ command: APICommand) -> APIAction {
    .run(context: context("api", "api", job: job), command: command)
  }

  // MARK: Examples

  @Test("a request that fails for the time being is sent again, on the clock of the dependencies")
  func retry() {
    world.api.answer(
      "GET", "http://rm.test/x", with: .failure(APIError(.refused, "nothing listens")),
      .status(503), .json(#"{"name":"Rick"}"#))
    let store = store()
    let command = Self.request(retries: 2)
    store.send(Self.run(1, command)) {
      $0.requests = 1
      var request = PendingRequest(command, context("api", "api", job: 1))
      request?.stage = .asking
      request?.attempt = 1
      if let request { $0.pending = [request] }
    }
    let refused = Failure(
      code: 69, error: "connectionRefused", message: "nothing listens",
      help: "check that the service runs and listens there")
    store.receive(.failed(job: 1, failure: refused, cause: .refused)) {
      $0.pending[id: 1]?.stage = .waiting
      $0.pending[id: 1]?.pause = 400
    }
    store.advance(by: .milliseconds(200))
    store.receive(.again(job: 1)) {
      $0.pending[id: 1]?.stage = .asking
      $0.pending[id: 1]?.attempt = 2
    }
    store.receive(where: { Self.status($0) == 503 }) {
      $0.pending[id: 1]?.stage = .waiting
      $0.pending[id: 1]?.pause = 800
    }
    store.advance(by: .milliseconds(400))
    store.receive(.again(job: 1)) {
      $0.pending[id: 1]?.stage = .asking
      $0.pending[id: 1]?.attempt = 3
    }
    var kept: RecentAnswer?
    store.receive(where: {
      guard case .answered(job: 1, let answer, nil) = $0 else { return false }
      kept = RecentAnswer(answer, job: 1)
      return answer.attempts == 3
    }) {
      $0.pending = []
      $0.answered = 1
      $0.answers = kept.map { [$0] } ?? []
    }
    store.finish()
    #expect(kept?.status == 200 && kept?.body?.value == ["name": "Rick"])
  }

  @Test("a failure behind --retry says how often the request was tried")
  func tries() {
    world.api.answer(
      "GET", "http://rm.test/x", with: .failure(APIError(.refused, "nothing listens")),
      .failure(APIError(.refused, "nothing listens")))
    let store = store()
    store.nonExhaustively { store in
      store.send(Self.run(1, Self.request(retries: 1)))
      store.skipReceivedActions()
      store.advance(by: .milliseconds(200))
      store.receive(.again(job: 1))
      store.receive(where: {
        guard case .failed(job: 1, let failure, cause: .refused) = $0 else { return false }
        return failure.message == "nothing listens (after 2 tries)"
      })
      #expect(store.state.pending.isEmpty)
    }
    store.finish()
  }

  @Test("a request that took too long fails with its help, and is not sent again without --retry")
  func timeout() {
    world.api.answer(
      "GET", "http://rm.test/x", with: .failure(APIError(.timeout, "no answer within 5 s")))
    let store = store()
    store.nonExhaustively { store in
      store.send(Self.run(1, Self.request()))
      store.receive(where: {
        guard case .failed(job: 1, let failure, cause: .timeout) = $0 else { return false }
        return failure.code == 75 && failure.help?.contains("--timeout 60s") == true
      })
      #expect(store.state.pending.isEmpty && store.state.answers.isEmpty)
    }
    store.finish()
    #expect(world.api.requests.map(\.timeout) == [.seconds(30)])
  }

  @Test("a target with :// is an address in earlier recordings, whatever is in front of it")
  func earlierAddress() {
    let store = store(Self.known(APIService(name: "nas", baseURL: "http://nas")))
    store.nonExhaustively { store in
      store.send(Self.run(1, Self.request("nas/x?to=http://y")))
      store.receive(where: {
        guard case .failed(job: 1, let failure, _) = $0 else { return false }
        return failure.message.contains("'nas/x?to=http' is not supported")
      })
    }
    store.finish()
    #expect(world.api.requests.isEmpty)
  }

  @Test("a POST that the service may have carried out is sent once; a refused one again")
  func post() {
    world.api.answer(
      "POST", "http://rm.test/x", with: .failure(APIError(.refused, "nothing listens")),
      .failure(APIError(.timeout, "too late")), .json("{}"))
    let store = store()
    store.nonExhaustively { store in
      store.send(Self.run(1, Self.request(method: "POST", retries: 9)))
      store.skipReceivedActions()
      store.advance(by: .milliseconds(200))
      store.receive(.again(job: 1))
      store.receive(where: {
        if case .failed(job: 1, _, cause: .timeout) = $0 { true } else { false }
      })
      #expect(store.state.pending.isEmpty)
    }
    store.finish()
    #expect(world.api.requests.count == 2)
  }

  @Test("an answer after which a request is sent again is not written to its file")
  func interimAnswer() async throws {
    try await world.files.write(Data("old".utf8), to: "body", mode: .create)
    world.api.answer(
      "GET", "http://rm.test/x", with: .status(503), .failure(APIError(.tls, "no trust")))
    guard case .request(var spec) = Self.request(retries: 2) else { return }
    spec.out = "body"
    let store = store()
    store.nonExhaustively { store in
      store.send(Self.run(1, .request(request: spec)))
      store.skipReceivedActions()
      store.advance(by: .milliseconds(200))
      store.skipReceivedActions()
      #expect(store.state.pending.isEmpty)
    }
    store.finish()
    #expect(world.files.files["body"] == Data("old".utf8))
    #expect(world.api.requests.count == 2)
  }

  @Test("api cancel ends the request in flight, wherever it is", arguments: [true, false])
  func cancel(whileWaiting: Bool) {
    world.api.answer("GET", "http://rm.test/x", with: whileWaiting ? .status(503) : .hang)
    let store = store()
    store.nonExhaustively { store in
      store.send(Self.run(1, Self.request(retries: 3)))
      store.skipReceivedActions()
      #expect(store.state.pending[id: 1]?.stage == (whileWaiting ? .waiting : .asking))
      store.send(Self.run(2, .cancel(job: nil)))
      store.receive(where: {
        guard case .failed(job: 1, let failure, cause: nil) = $0 else { return false }
        return failure.code == 130
      })
      store.receive(.succeeded(job: 2, result: .cancelled(jobs: [1])))
      #expect(store.state.pending.isEmpty && world.api.hangingCount == 0)
      store.advance(by: .seconds(1))
    }
    store.finish()
    #expect(world.api.requests.count == 1)
  }

  @Test("a database that fails keeps a request from its service, and none from its address")
  func failingDatabase() {
    for _ in 1...2 { world.persistence.failNext("services", with: .io) }
    world.api.answer("GET", "http://rm.test/x", with: .json("1"))
    let store = store(APIState())
    store.nonExhaustively { store in
      store.send(Self.run(1, Self.request("rm/character")))
      store.receive(where: {
        if case .bootstrapped(job: 1, known: nil, _?) = $0 { true } else { false }
      })
      store.receive(where: {
        guard case .failed(job: 1, let failure, cause: nil) = $0 else { return false }
        return failure.code == 74 && failure.message.contains("asked to fail")
      })
      store.send(Self.run(2, Self.request()))
      store.skipReceivedActions()
      #expect(store.state.answers.map(\.status) == [200])
      #expect(store.state.services == nil)
    }
    store.finish()
  }

  @Test("a damaged service is read for its error, and one that was mended since is asked")
  func damagedServices() async throws {
    let bad = APIService(name: "bad", baseURL: "http://bad.test")
    world.persistence.damageService("bad")
    world.api.answer { _ in .json("{}") }
    var known = APIKnown(services: [])
    known.damaged = ["bad"]
    let store = store(APIState())
    store.nonExhaustively { store in
      store.send(Self.run(1, Self.request("bad/a")))
      store.receive(.bootstrapped(job: 1, known: known))
      store.receive {
        guard case .failed(job: 1, let failure, cause: nil) = $0 else { return false }
        return failure.code == 65 && failure.message.contains("no longer matches its checksum")
      }
      store.send(Self.run(2, Self.request("nobody/a")))
      store.skipReceivedActions()
      #expect(store.state.pending.isEmpty)
    }
    // Another process mends it.
    _ = try await world.persistence.removeService("bad")
    try await world.persistence.saveService(bad, replacing: false)
    store.nonExhaustively { store in
      store.send(Self.run(3, Self.request("bad/b")))
      store.receive(.bootstrapped(job: 3, known: APIKnown(services: [bad])))
      store.skipReceivedActions()
      #expect(store.state.answered == 1)
    }
    store.finish()
    #expect(world.api.requests.map(\.url) == ["http://bad.test/b"])
  }

  @Test("services are read once, kept in step, and looked for again where one is missing")
  func services() async throws {
    let rm = APIService(name: "rm", baseURL: "http://rm.test")
    let nas = APIService(name: "nas", baseURL: "http://nas.test")
    try await world.persistence.saveService(rm, replacing: false)
    world.api.answer { _ in .json("{}") }
    let store = store(APIState())
    store.nonExhaustively { store in
      store.send(Self.run(1, Self.request("rm/a")))
      store.receive(.bootstrapped(job: 1, known: APIKnown(services: [rm])))
      store.skipReceivedActions()
      store.send(Self.run(2, .serviceAdd(service: nas)))
      store.skipReceivedActions()
      #expect(store.state.services == [nas, rm])
      // Known: nothing is read.
      store.send(Self.run(3, Self.request("nas/b")))
      #expect(store.state.pending[id: 3]?.stage == .asking)
      store.skipReceivedActions()
      store.send(Self.run(4, .serviceRemove(name: "rm")))
      store.skipReceivedActions()
      #expect(store.state.services == [nas])
    }
    // Another process adds one.
    try await world.persistence.saveService(rm, replacing: false)
    store.nonExhaustively { store in
      store.send(Self.run(5, Self.request("rm/c")))
      store.receive(.bootstrapped(job: 5, known: APIKnown(services: [nas, rm])))
      store.skipReceivedActions()
      store.send(Self.run(6, Self.request("nsa/d")))
      store.skipReceivedActions()
      #expect(store.state.answered == 3)
    }
    store.finish()
    #expect(
      world.api.requests.map(\.url) == [
        "http://rm.test/a", "http://nas.test/b", "http://rm.test/c",
      ])
  }

  // MARK: Orders

  @Test("two requests in any order of their effects: each is answered once, and both end")
  func interleavings() {
    let exploration = explore(seeds: 1...100, report: report) { run in
      let api = MockAPIClient()
      api.answer("GET", "http://a.test/", with: .status(503), .json("1"))
      api.answer("GET", "http://b.test/", with: .json("2"))
      var dependencies = Dependencies.mock
      dependencies.apiClient = api
      dependencies.clock = .live
      let store = Store(
        initialState: APIState(), reducer: BoardFeatures.api.reducer,
        dependencies: dependencies, executor: run.executor)
      for (job, target) in [(1, "http://a.test/"), (2, "http://b.test/")] {
        store.send(Self.run(job, Self.request(target)))
        if job == 1 { for _ in 0..<(run.seed % 9) { _ = run.executor.step() } }
      }
      run.executor.run()
      let state = store.state
      run.expect(state.pending.isEmpty, "\(state.pending)")
      run.expect(Set(state.answers.map(\.job)) == [1, 2], "\(state.answers)")
      run.expect(state.answers.first { $0.job == 1 }?.status == 503, "\(state.answers)")
    }
    #expect(exploration.orders > 1)
  }

  /// What happens to the request of job 1; the documentation of `RequestReducer` has the same as a
  /// table.
  enum Event: Hashable { case run, bootstrapped, found, kept, answered, failed, again }
  enum Stage: Hashable { case none, resolving, asking, waiting, keeping }

  static let transitions = TransitionTable<Stage, Event> {
    From(.none).on(.run).to(.resolving, .keeping, .asking)
    From(.resolving).on(.bootstrapped).to(.resolving, .keeping, .asking)
    From(.resolving).on(.found).to(.resolving, .asking)
    From(.keeping).on(.kept).to(.asking)
    From(.asking).on(.answered).to(.none, .waiting)
    From(.asking).on(.failed).to(.none, .waiting)
    From(.waiting).on(.again).to(.asking)
    From(.resolving).on(.failed).to(.none)
  }

  private static func monitor() -> TransitionMonitor<APIState, APIAction, Stage, Event> {
    TransitionMonitor(transitions) { state in
      switch state.pending[id: 1]?.stage {
      case nil, .ended?: .none
      case .resolving?: .resolving
      case .asking?: .asking
      case .waiting?: .waiting
      case .keeping?: .keeping
      }
    } action: { action in
      switch action {
      case .run(let context, let command):
        context.job == 1 && PendingRequest(command, context) != nil ? .run : nil
      case .bootstrapped(job: 1, _, _): .bootstrapped
      case .found(job: 1, _, _): .found
      case .kept(job: 1): .kept
      case .answered(job: 1, _, _): .answered
      case .failed(job: 1, _, _): .failed
      case .again(job: 1): .again
      default: nil
      }
    }
  }

  @Test("a model: a request takes only the transitions of its table, and what is kept is bounded")
  func model() {
    let monitor = Self.monitor()
    let targets = [
      "http://rm.test/ok", "http://rm.test/busy", "http://rm.test/down", "rm/x", "no/x",
    ]
    let model = ModelTest(
      initialState: APIState(), reducer: BoardFeatures.api.reducer,
      moves: [
        // One request after the other has the job of the table.
        .send { state, random in
          guard state.pending[id: 1] == nil else { return nil }
          guard Int.random(in: 0..<6, using: &random) > 0 else {
            return Self.run(1, .runSaved(name: "kept", items: []))
          }
          let target = targets.randomElement(using: &random) ?? targets[0]
          var command = Self.request(target, retries: Int.random(in: 0...2, using: &random))
          if case .request(var spec) = command, Bool.random(using: &random) {
            spec.save = "kept"
            command = .request(request: spec)
          }
          return Self.run(1, command)
        },
        .send { _, random in
          Self.run(Int.random(in: 2...Int(Int32.max), using: &random), Self.request(targets[0]))
        },
        .advance(by: .milliseconds(300)),
      ],
      invariants: [
        .transitions(monitor),
        Invariant("what is kept is bounded") { (state: APIState) in state.answers.count <= 20 },
        Invariant("a request that was sent has an attempt") { (state: APIState) in
          state.pending.allSatisfy {
            ($0.attempt > 0) == ($0.stage != .resolving && $0.stage != .keeping)
          }
        },
      ], interleaves: true
    ) { run in
      var dependencies = Dependencies.mock
      let api = MockAPIClient()
      api.answer { request in
        request.url.contains("busy")
          ? .status(503)
          : request.url.contains("down") ? .failure(APIError(.refused, "down")) : .json("{}")
      }
      dependencies.apiClient = api
      dependencies.clock = BoardClock(
        now: { run.clock.now.offset.microseconds },
        sleep: { try await run.clock.sleep(for: $0) })
      return dependencies
    }
    model.check(seeds: 1...60, length: 40, report: report)
  }

  // MARK: What the state keeps

  @Test("the last 20 answers are kept, long bodies by size and digest, and lines read them")
  func answers() async throws {
    world.api.answer { request in
      request.url.hasSuffix("long")
        ? .json("\"\(String(repeating: "x", count: RecentAnswer.longestBody))\"")
        : .json(#"{"n":[1,2]}"#, status: request.url.hasSuffix("none") ? 404 : 200)
    }
    let lines = Lines(world)
    for number in 1...25 { #expect(await lines.run("api get http://h/\(number)") == 0) }
    #expect(await lines.run("-api get http://h/none") == 0)
    #expect(await lines.run("api get http://h/long") == 0)
    let state = lines.board.store.state.api
    #expect(state.answers.count == 20 && state.answered == 27)
    #expect(state.answers[0].body == nil && state.answers[0].digest?.isEmpty == false)
    #expect(state.answers[0].bytes == RecentAnswer.longestBody + 2)
    for condition in [
      "api.answers[0].status == 200", "api.answers[1].status == 404",
      "api.answers[1].body.n[1] == 2", "api.answers[2].job == 25", "api.answered == 27",
    ] {
      #expect(await lines.run("assert \"\(condition)\"") == 0, "\(condition): \(lines.allPrinted)")
    }
  }

  @Test("the effect that removes a kept request says whether there was one; the reducer decides")
  func savedRemove() async throws {
    try await world.persistence.setPreference("api.saved.a", to: "1")
    var state = Self.known()
    state.saved = ["a"]
    let store = store(state)
    store.send(Self.run(1, .savedRemove(name: "a"))) { $0.changes = [1] }
    store.receive(.unsaved(job: 1, name: "a", wasKept: true))
    store.receive(.succeeded(job: 1, result: .removedSaved(name: "a"))) {
      $0.saved = []
      $0.changes = []
    }
    store.send(Self.run(2, .savedRemove(name: "a"))) { $0.changes = [2] }
    store.receive(.unsaved(job: 2, name: "a", wasKept: false)) { $0.changes = [] }
    store.receive(.unsaved(job: 2, name: "a", names: []))
    store.receive(where: { if case .failed(2, _, _) = $0 { true } else { false } })
    store.finish()
  }

  @Test("the state of a long day stays under 4 MB")
  func longDay() throws {
    var state = APIState()
    var answer = APIAnswer(method: "GET", url: "http://h/", status: 200)
    answer.text = JSON.string(String(repeating: "x", count: RecentAnswer.longestBody - 2)).text
    for job in 1...10_000 { state.keep(answer, job) }
    #expect(try CanonicalEncoder.encode(state).count < 4 << 20)
  }

  private static func status(_ action: APIAction) -> Int? {
    if case .answered(_, let answer, _) = action { answer.status } else { nil }
  }
}
