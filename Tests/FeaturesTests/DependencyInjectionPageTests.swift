import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTestSupport
import SwiftBoardTesting
import Synchronization
import Testing

// The examples of docs/dependency-injection.md, as they stand there.

private enum Page {
  protocol Forecast: Sendable {
    func temperature(in city: String) async throws -> Int
  }

  struct WeatherDependencies: Sendable {
    var forecast: any Forecast
    var now: @Sendable () -> Int
    var makeReport: @Sendable () -> Report
  }

  struct Weather: Reducer {
    struct State: Sendable, Equatable, Codable {
      var city = "Zurich"
      var temperature: Int?
      var time = 0
    }

    enum Action: Sendable, Equatable, Codable {
      case refresh
      case loaded(Int)
      case failed
    }

    func reduce(
      _ state: inout State, _ action: Action, _ dependencies: WeatherDependencies
    ) -> [Effect<Action>] {
      switch action {
      case .refresh:
        state.time = dependencies.now()
        return [
          .task(name: "weather.load") { [city = state.city] in
            .loaded(try await dependencies.forecast.temperature(in: city))
          }.catch { _ in .failed }
        ]
      case .loaded(let temperature): state.temperature = temperature
      case .failed: state.temperature = nil
      }
      return []
    }
  }

  struct UnusedForecast: Forecast {
    let report: @Sendable (TestFailure) -> Void

    func temperature(in city: String) async throws -> Int {
      let unused: @Sendable (String) throws -> Int = unimplemented(
        "forecast.temperature", report: report)
      return try unused(city)
    }
  }

  final class CountingForecast: Forecast {
    private let asked = Mutex(0)
    var count: Int { asked.withLock { $0 } }

    func temperature(in city: String) async throws -> Int {
      asked.withLock { $0 += 1 }
      return 20
    }
  }

  final class Report: Sendable {}

  static func liveDependencies(_ forecast: any Forecast) -> WeatherDependencies {
    WeatherDependencies(forecast: forecast, now: { 0 }, makeReport: { Report() })
  }

  static func session(for forecast: any Forecast) -> Store<Weather> {
    Store(
      initialState: Weather.State(), reducer: Weather(), dependencies: liveDependencies(forecast))
  }

  struct AppDependencies: Sendable {
    var weather: WeatherDependencies
    var secret: String
  }

  static func journaled(
    _ dependencies: WeatherDependencies, _ journal: DrawJournal
  ) -> WeatherDependencies {
    var journaled = dependencies
    journaled.now = {
      let time = journal.draw(.clock) { .clock(microseconds: Int64(dependencies.now())) }
      return Int(time.value) ?? 0
    }
    return journaled
  }

  struct FixedForecast: Forecast {
    var result: Int?

    func temperature(in city: String) async throws -> Int {
      guard let result else { throw Unavailable() }
      return result
    }
  }

  struct Unavailable: Error {}

  static func testDependencies() -> WeatherDependencies {
    WeatherDependencies(forecast: FixedForecast(result: 7), now: { 5 }, makeReport: { Report() })
  }

  struct WarmerForecast: Forecast {
    let base: any Forecast

    func temperature(in city: String) async throws -> Int {
      try await base.temperature(in: city) + 1
    }
  }
}

@Suite("docs/dependency-injection.md")
struct DependencyInjectionPageTests {
  private func store(
    _ reducer: some Reducer<Page.Weather.State, Page.Weather.Action, Page.WeatherDependencies>,
    _ dependencies: Page.WeatherDependencies
  ) -> TestStore<AnyReducer<Page.Weather.State, Page.Weather.Action, Page.WeatherDependencies>> {
    TestStore(
      initialState: Page.Weather.State(), reducer: AnyReducer(reducer), dependencies: dependencies,
      report: { Issue.record("\($0)") })
  }

  @Test(
    "each case of a container has its section, with an example",
    arguments: [
      "A missing service", "Singleton", "Factory", "Scope",
      "A feature that sees only what it needs", "Record what a reducer draws",
      "Replacement in a test", "Override one endpoint",
    ])
  func section(title: String) throws {
    let page = try SourceTree.text("docs/dependency-injection.md")
    let sections = page.components(separatedBy: "\n## ")
    let section = sections.first { $0.hasPrefix(title + "\n") }
    #expect(section?.contains("```swift\n") == true, "\(title): \(section ?? "no such section")")
  }

  @Test("the page's examples are those of this file, line for line")
  func sameText() throws {
    let page = try SourceTree.text("docs/dependency-injection.md")
    let source = try SourceTree.text("Tests/FeaturesTests/DependencyInjectionPageTests.swift")
    let lines = Set(
      source.replacing("static func", with: "func").split(separator: "\n").map {
        $0.drop { $0 == " " }
      })
    var isCode = false
    var count = 0
    for line in page.split(separator: "\n") {
      if line.hasPrefix("```") {
        isCode = line == "```swift"
      } else if isCode {
        count += 1
        #expect(lines.contains(line.drop { $0 == " " }), "\(line)")
      }
    }
    #expect(count > 80)
  }

  @Test(
    "dependencies without a service do not compile, and the error names it as the page does",
    .enabled(if: SwiftCompiler.isThere, "there is no swiftc"))
  func missingService() async throws {
    let page = try SourceTree.text("docs/dependency-injection.md")
    let blocks = page.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    // The services and the reducer of the page, with the store that it leads to.
    func source(_ services: String) -> String {
      """
      import SwiftBoardStore
      final class Report: Sendable {}
      \(blocks[0])
      \(blocks[1])
      func start(_ forecast: any Forecast) -> Store<Weather> {
        Store(
          initialState: Weather.State(), reducer: Weather(),
          dependencies: WeatherDependencies(\(services)now: { 0 }, makeReport: { Report() }))
      }
      """
    }
    let whole = try await SwiftCompiler.typecheck(source("forecast: forecast, "))
    #expect(whole.status == .exited(0), "\(whole.errorText)")
    let missing = try await SwiftCompiler.typecheck(source(""))
    #expect(missing.status == .exited(1))
    let message = "missing argument for parameter 'forecast' in call"
    #expect(missing.errorText.contains("error: \(message)"), "\(missing.errorText)")
    #expect(page.contains("`\(message)`"))
  }

  @Test("a service is replaced in a copy, and one that fails ends as an action")
  func replacement() {
    let found = store(Page.Weather(), Page.testDependencies())
    found.send(.refresh) { $0.time = 5 }
    found.receive(.loaded(7)) { $0.temperature = 7 }
    found.finish()
    var dependencies = Page.testDependencies()
    dependencies.forecast = Page.FixedForecast()
    let failing = store(Page.Weather(), dependencies)
    failing.send(.refresh) { $0.time = 5 }
    failing.receive(.failed)
    failing.finish()
  }

  @Test("one endpoint is overridden for a reducer, and a decorator forwards the others")
  func override() {
    typealias Weather = Page.Weather
    let early = Weather().dependency(\.now, { 6 })
    var dependencies = Page.testDependencies()
    dependencies.forecast = Page.WarmerForecast(base: dependencies.forecast)
    let store = store(early, dependencies)
    store.send(.refresh) { $0.time = 6 }
    store.receive(.loaded(8)) { $0.temperature = 8 }
    store.finish()
    let frozen = Weather().transformDependencies { $0.now = { 1_000 } }
    let second = self.store(frozen, Page.testDependencies())
    second.send(.refresh) { $0.time = 1_000 }
    second.receive(.loaded(7)) { $0.temperature = 7 }
    second.finish()
  }

  @Test("a service that a test does not allow fails that test")
  func unused() {
    let failures = Mutex<[TestFailure]>([])
    var dependencies = Page.testDependencies()
    dependencies.forecast = Page.UnusedForecast { failure in
      failures.withLock { $0.append(failure) }
    }
    let store = store(Page.Weather(), dependencies)
    store.send(.refresh) { $0.time = 5 }
    store.receive(.failed)
    store.finish()
    #expect(failures.withLock { $0.map(\.kind) } == [.unimplemented])
  }

  @Test("copies share a service, stores do not share dependencies, a closure creates")
  func lifetimes() async throws {
    let forecast = Page.CountingForecast()
    let first = Page.session(for: forecast)
    await first.send(.refresh).finish()
    await first.send(.refresh).finish()
    #expect(forecast.count == 2)
    let second = Page.session(for: Page.CountingForecast())
    await second.send(.refresh).finish()
    #expect(forecast.count == 2)
    let dependencies = Page.liveDependencies(forecast)
    #expect(dependencies.makeReport() !== dependencies.makeReport())
  }

  @Test("a feature sees its part of the dependencies only")
  func part() {
    typealias AppDependencies = Page.AppDependencies
    typealias Weather = Page.Weather
    let part = Weather().dependencies(\AppDependencies.weather)
    let store = TestStore(
      initialState: Page.Weather.State(), reducer: part,
      dependencies: Page.AppDependencies(weather: Page.testDependencies(), secret: "s"),
      report: { Issue.record("\($0)") })
    store.send(.refresh) { $0.time = 5 }
    store.receive(.loaded(7)) { $0.temperature = 7 }
    store.finish()
  }

  @Test("a recording of a reducer that draws is verified with a journal, and not without one")
  func draws() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("log")
    let time = Mutex(41)
    var dependencies = Page.testDependencies()
    dependencies.now = {
      time.withLock { time in
        time += 1; return time
      }
    }
    let schema = LogSchema(program: "weather 1.0", feature: "weather", name: "Action", version: 1)
    let journal = DrawJournal()
    let store = Store(
      initialState: Page.Weather.State(), reducer: Page.Weather(),
      dependencies: Page.journaled(dependencies, journal))
    let recorder = try store.record(
      to: path, info: RecordingInfo(schema: schema, created: 0, environment: "test", seed: 0),
      journal: journal)
    await store.send(.refresh).finish()
    recorder.stop()
    #expect(store.state.time == 42)

    let replayed = DrawJournal()
    let summary = try Replayer(
      reducer: Page.Weather(), dependencies: Page.journaled(dependencies, replayed),
      journal: replayed, schema: schema
    ).verify(path: path)
    #expect(summary.steps == 2)
    #expect(throws: ReplayError.self) {
      try Replayer(
        reducer: Page.Weather(), dependencies: dependencies, journal: DrawJournal(),
        schema: schema
      ).verify(path: path)
    }
  }
}
