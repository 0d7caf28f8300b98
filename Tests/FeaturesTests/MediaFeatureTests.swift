import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// What an addition keeps of what was found.
@Suite("media, what is kept")
struct MediaKeptTests {
  @Test("what was found is kept up to 512 KiB and 50 items, and the first one in any case")
  func bytes() {
    func resources(_ count: Int, _ bytes: Int) -> [MediaResource] {
      (0..<count).map { id in
        MediaResource(["id": JSON(id), "overview": .string(String(repeating: "x", count: bytes))])
      }
    }
    #expect(MediaAddition.kept(of: []).isEmpty)
    #expect(MediaAddition.kept(of: resources(60, 10)).count == 50)
    let some = MediaAddition.kept(of: resources(50, 100_000))
    #expect(some.count == 5 && some.map { $0.json["id"] } == (0..<5).map { JSON($0) })
    #expect(MediaAddition.kept(of: resources(3, 1_000_000)).count == 1)
  }
}

/// The reducer alone: what it decides, and what its effects bring.
@Suite("media, its reducer")
struct MediaReducerTests {
  typealias Media = AnyReducer<MediaState, MediaAction, Dependencies>

  let world = World()
  let media = MockMediaService()
  let films = APIService(name: "films", baseURL: "http://nas.test/api/v3", preset: "radarr")

  private func store(
    _ terminal: any TerminalService = SilentTerminal(), service: APIService? = nil,
    content: MockMediaService.Content = .sample(.radarr)
  ) async throws -> TestStore<Media> {
    var dependencies = world.dependencies
    let service = service ?? films
    try await dependencies.persistence.saveService(service, replacing: true)
    media.set(content, for: service.name)
    dependencies.mediaService = media
    dependencies.terminal = terminal
    return TestStore(
      initialState: MediaState(), reducer: BoardFeatures.media.reducer, clock: world.clock,
      dependencies: dependencies, report: report)
  }

  private func run(
    _ job: Int, _ request: MediaCommand.Request, of service: String = "films", retries: Int = 0
  ) -> MediaAction {
    .run(
      context: context("media", "media", job: job),
      command: MediaCommand(request, of: service, retries: retries))
  }

  private func failure(_ action: MediaAction) -> Failure? {
    if case .failed(_, let failure) = action { failure } else { nil }
  }

  @Test("a library: the service, the program, the answer")
  func library() async throws {
    let store = try await store()
    let command = MediaCommand(.list, of: "films")
    let server = MediaServer(.radarr, films)
    let items = MockMediaService.Content.sample(.radarr).library.map(\.item)

    store.send(run(1, .list)) { $0.pending = [PendingMedia(job: 1, command: command)] }
    store.receive(.resolved(job: 1, service: films)) { $0.pending[0].server = server }
    store.receive(
      .answered(job: 1, answer: .library(library: MediaLibrary(items)), masked: nil)
    ) {
      $0.library = MediaState.Library(MediaLibrary(items), of: "films")
      $0.pending = []
    }
    store.finish()
    #expect(media.calls == [MockCall("library", "films", "remoteFirst")])
  }

  @Test("an addition takes what there is one of, and sends the whole resource")
  func addition() async throws {
    var content = MockMediaService.Content.sample(.radarr)
    content.options[.qualityProfile] = [MediaOption(id: 4, name: "HD-1080p")]
    let store = try await store(content: content)
    store.nonExhaustively { store in
      store.send(run(1, .add(order: MediaOrder("arrival"))))
      #expect(store.state.additions.isEmpty)
      store.receive(.addition(job: 1, action: .begin))
      #expect(store.state.additions[id: 1]?.phase == .asking(question: .item))
      store.skipReceivedActions()
      #expect(store.state.additions.isEmpty && store.state.pending.isEmpty)
      #expect(store.state.item?.title == "Arrival")
    }
    store.finish()
    let sent = try JSON(parsing: try #require(media.calls.last?.arguments.last))
    #expect(media.calls.last?.name == "add")
    // A member that the board does not know, and what the program needs.
    #expect(sent["images"] == content.catalogue[2].json["images"])
    #expect(sent["qualityProfileId"] == 4 && sent["rootFolderPath"] == "/media")
    #expect(sent["monitored"] == true && sent["addOptions"]?["searchForMovie"] == false)
  }

  @Test("Lidarr is asked for a metadata profile as well, and told what to monitor")
  func lidarr() async throws {
    let service = APIService(name: "music", baseURL: "http://nas.test/api/v1", preset: "lidarr")
    let store = try await store(service: service, content: .sample(.lidarr))
    store.nonExhaustively { store in
      let order = MediaOrder("autechre", isMonitored: false, searches: true)
      store.send(run(1, .add(order: order), of: "music"))
      store.skipReceivedActions()
      #expect(store.state.item?.title == "Autechre")
    }
    store.finish()
    #expect(media.calls.map(\.name) == ["lookup", "options", "options", "options", "add"])
    let sent = try JSON(parsing: try #require(media.calls.last?.arguments.last))
    #expect(sent["metadataProfileId"] == 1 && sent["monitored"] == false)
    #expect(sent["addOptions"] == ["monitor": "none", "searchForMissingAlbums": true])
  }

  @Test("an addition has the defaults of the programs' pages, in place of those of their APIs")
  func pageDefaults() throws {
    func completed(_ program: MediaProgram, _ json: JSON) throws -> JSON {
      var addition = MediaAddition(
        job: 1, server: MediaServer(program, films), order: MediaOrder("x"))
      addition.resource = MediaResource(json)
      return try #require(addition.complete).json
    }
    #expect(try completed(.sonarr, ["seasonFolder": false])["seasonFolder"] == true)
    for (found, sent) in [("tba", "released"), ("inCinemas", "inCinemas")] {
      let json = try completed(.radarr, ["minimumAvailability": .string(found)])
      #expect(json["minimumAvailability"] == .string(sent))
    }
    // What a program does not have is not made up.
    #expect(try completed(.radarr, [:])["minimumAvailability"] == nil)
  }

  @Test("where there are several, a terminal asks")
  func choosing() async throws {
    let store = try await store(ScriptedTerminal(choice: { _ in 1 }))
    store.nonExhaustively { store in
      store.send(run(1, .add(order: MediaOrder("dune"))))
      store.receive(.addition(job: 1, action: .begin))
      store.receive(where: { if case .addition(1, .found) = $0 { true } else { false } })
      #expect(store.state.additions[id: 1]?.phase == .choosing(question: .item))
      #expect(
        store.state.additions[id: 1]?.candidates.map(\.name) == ["Dune (1984)", "Dune (2021)"])
      store.receive(.addition(job: 1, action: .chose(index: 1)))
      #expect(store.state.additions[id: 1]?.resource?.item.year == 2021)
      store.skipReceivedActions()
      #expect(store.state.item?.year == 2021)
    }
    store.finish()
    let sent = try JSON(parsing: try #require(media.calls.last?.arguments.last))
    #expect(sent["qualityProfileId"] == 4)
  }

  @Test(
    "without a terminal, what there are several of is listed, and the line decides",
    arguments: [
      (MediaOrder("dune"), "there are 2 of 'dune': 1 Dune (1984), 2 Dune (2021)"),
      (
        MediaOrder("dune", pick: 3),
        "--pick 3 is out of range: there are 2 of 'dune': 1 Dune (1984), 2 Dune (2021)"
      ),
      (MediaOrder("arrival"), "Radarr has 2 quality profiles: Any, HD-1080p"),
      (
        MediaOrder("arrival", options: [.qualityProfile: "hd-1080"]),
        "Radarr has no quality profile 'hd-1080'"
      ),
      (
        MediaOrder("arrival", options: [.qualityProfile: "any", .rootFolder: "/x"]),
        "Radarr has no root folder '/x'"
      ),
    ])
  func several(order: MediaOrder, message: String) async throws {
    let store = try await store()
    store.nonExhaustively { store in
      store.send(run(1, .add(order: order)))
      store.receive(where: { failure($0)?.message == message && failure($0)?.code == 64 })
      #expect(store.state.additions.isEmpty && store.state.pending.isEmpty)
    }
    store.finish()
    #expect(!media.calls.contains { $0.name == "add" })
  }

  @Test("a change of an item is sent whole")
  func monitor() async throws {
    let store = try await store()
    let before = MockMediaService.Content.sample(.radarr).library[1]
    store.nonExhaustively { store in
      store.send(run(1, .list))
      store.skipReceivedActions()
      #expect(store.state.library?.monitored == 2)
      store.send(run(2, .monitor(id: 2, isMonitored: true)))
      store.skipReceivedActions()
      #expect(store.state.item?.isMonitored == true && store.state.library?.monitored == 3)
    }
    store.finish()
    #expect(media.calls.map(\.name) == ["library", "item", "update"])
    var after = before
    after.json["monitored"] = true
    #expect(media.content(of: "films")?.library[1] == after)
  }

  @Test(
    "an item with a mark that the program has sent is not sent back",
    arguments: ["«secret:k»", "x [secret:k]", "«redacted»"])
  func markedItem(text: String) async throws {
    var content = MockMediaService.Content.sample(.radarr)
    content.library[1].json["overview"] = .string(text)
    for index in content.catalogue.indices {
      content.catalogue[index].json["overview"] = .string(text)
    }
    let store = try await store(content: content)
    store.nonExhaustively { store in
      for (job, request) in [
        (1, MediaCommand.Request.monitor(id: 2, isMonitored: true)),
        (2, .add(order: MediaOrder("tmdb:201", options: [.qualityProfile: "Any"]))),
      ] {
        store.send(run(job, request))
        store.receive(where: { failure($0)?.code == 65 })
        #expect(store.state.pending.isEmpty)
      }
    }
    store.finish()
    #expect(!media.calls.contains { $0.name == "update" || $0.name == "add" })
  }

  @Test("what is removed leaves the library, with its files only if the line says so")
  func removal() async throws {
    let store = try await store()
    store.nonExhaustively { store in
      store.send(run(1, .list))
      store.skipReceivedActions()
      for (job, deletesFiles) in [(2, false), (3, true)] {
        store.send(run(job, .remove(id: job - 1, deletesFiles: deletesFiles)))
        store.skipReceivedActions()
      }
      #expect(store.state.library?.count == 1 && store.state.library?.items.map(\.id) == [3])
    }
    store.finish()
    #expect(
      media.calls.suffix(2) == [
        MockCall("remove", "films", "1", "false"), MockCall("remove", "films", "2", "true"),
      ])
  }

  @Test("Sonarr is told which episodes to monitor, and whether to search for them")
  func sonarr() async throws {
    let service = APIService(name: "series", baseURL: "http://nas.test/api/v3", preset: "sonarr")
    let store = try await store(service: service, content: .sample(.sonarr))
    store.nonExhaustively { store in
      let order = MediaOrder(
        "foundation", options: [.qualityProfile: "Any"], searches: true)
      store.send(run(1, .add(order: order), of: "series"))
      store.skipReceivedActions()
    }
    store.finish()
    let sent = try JSON(parsing: try #require(media.calls.last?.arguments.last))
    #expect(sent["addOptions"] == ["monitor": "all", "searchForMissingEpisodes": true])
  }

  @Test("of a long queue, a long calendar and many results the first are kept")
  func longAnswers() {
    let days = MediaDays(count: 7)
    let answers: [(MediaCommand.Request, MediaAnswer)] = [
      (
        .queue,
        .queue(
          queue: MediaQueue(
            (1...150).map { .init(id: $0, title: "t", size: 1, left: 1, status: "queued") }))
      ),
      (
        .calendar(days: days),
        .calendar(
          releases: (1...150).map { MediaRelease(id: $0, kind: .album, date: 1, title: "t") })
      ),
      (.search(term: "t"), .found(items: (1...150).map { MediaItem(id: $0, title: "t") })),
    ]
    var state = MediaState()
    for (job, (request, answer)) in answers.enumerated() {
      for action in [
        run(job, request), .resolved(job: job, service: films),
        .answered(job: job, answer: answer, masked: nil),
      ] { _ = BoardFeatures.media.reducer.reduce(&state, action, world.dependencies) }
    }
    #expect(state.queue?.entries.count == 100 && state.queue?.count == 150)
    #expect(state.calendar?.releases.count == 100)
    #expect(state.lookup?.items.count == 20)
  }

  @Test("a question is asked again, an addition is not, and a failure ends the command")
  func retries() async throws {
    let store = try await store()
    let refused = ProgramError(
      .api(APIError(.refused, "nothing listens at nas.test:80")), program: "Radarr",
      service: "films")
    media.failNext("queue", with: refused)
    media.failNext("remove", with: refused)
    store.nonExhaustively { store in
      store.send(run(1, .queue, retries: 1))
      store.skipReceivedActions()
      #expect(store.state.queue == nil)
      store.advance(by: .milliseconds(200))
      store.skipReceivedActions()
      #expect(store.state.queue?.entries.count == 1)
      store.send(run(2, .remove(id: 1, deletesFiles: false), retries: 1))
      store.receive(where: { failure($0)?.code == 69 })
      #expect(store.state.pending.isEmpty)
    }
    store.finish()
    #expect(media.calls.map(\.name) == ["queue", "queue", "remove"])
    #expect(media.issues.isEmpty)
  }

  @Test("only a command with --retry is advised to use it")
  func retryAdvice() async throws {
    let store = try await store()
    for (job, request, help) in [
      (1, MediaCommand.Request.show(id: 1), "--retry 3 tries again" as String?),
      (2, .monitor(id: 1, isMonitored: true), nil),
    ] {
      media.failNext("item", with: ProgramError(.status(503), program: "Radarr", service: "films"))
      store.nonExhaustively { store in
        store.send(run(job, request))
        store.receive(.resolved(job: job, service: films))
        store.receive(where: { failure($0).map { $0.help == help } == true })
      }
    }
    media.failNext("lookup", with: ProgramError(.status(503), program: "Radarr", service: "films"))
    store.nonExhaustively { store in
      store.send(run(3, .add(order: MediaOrder("dune"))))
      store.receive(where: { failure($0).map { $0.help == nil } == true })
    }
    store.finish()
  }

  @Test("a download that is removed leaves the queue of its service")
  func removedDownload() async throws {
    let store = try await store()
    store.nonExhaustively { store in
      store.send(run(1, .queue))
      store.skipReceivedActions()
      store.send(run(2, .removeDownload(id: 1, blocksRelease: true)))
      store.skipReceivedActions()
      #expect(store.state.queue?.content == MediaQueue([]) && store.state.pending.isEmpty)
    }
    store.finish()
    #expect(media.calls.last == MockCall("removeDownload", "films", "1", "true"))
  }

  @Test("a calendar begins at midnight of the day")
  func calendar() async throws {
    let store = try await store()
    let (start, day) = (DateGenerator.mockStart, Int64(86_400_000_000))
    store.nonExhaustively { store in
      store.send(run(1, .calendar(days: MediaDays(count: 7))))
      store.skipReceivedActions()
      #expect(store.state.calendar?.from == start && store.state.calendar?.until == start + 7 * day)
      #expect(store.state.calendar?.releases.map(\.kind) == [.cinema, .digital])
      store.send(run(2, .calendar(days: MediaDays(from: start + day, count: 60))))
      store.skipReceivedActions()
      #expect(store.state.calendar?.releases.map(\.kind) == [.cinema, .digital, .physical])
    }
    store.finish()
  }

  @Test("two calendars at once are each of their own service, and a failed one leaves the last")
  func calendars() {
    let series = APIService(name: "series", baseURL: "http://nas.test/api/v3", preset: "sonarr")
    var state = MediaState()
    let take = { (state: inout MediaState, action: MediaAction) in
      _ = BoardFeatures.media.reducer.reduce(&state, action, world.dependencies)
    }
    let request = MediaCommand.Request.calendar(days: MediaDays(count: 7))
    let film = MediaRelease(id: 1, kind: .cinema, date: 1, title: "Dune")
    let episode = MediaRelease(id: 2, kind: .episode, date: 1, title: "Severance")
    take(&state, run(1, request))
    take(&state, run(2, request, of: "series"))
    take(&state, .resolved(job: 1, service: films))
    take(&state, .resolved(job: 2, service: series))
    #expect(state.calendar == nil)
    take(&state, .answered(job: 2, answer: .calendar(releases: [episode]), masked: nil))
    #expect(state.calendar?.service == "series" && state.calendar?.releases == [episode])
    take(&state, .answered(job: 1, answer: .calendar(releases: [film]), masked: nil))
    #expect(state.calendar?.service == "films" && state.calendar?.releases == [film])
    let before = state.calendar
    take(&state, run(3, request, of: "series"))
    take(&state, .resolved(job: 3, service: series))
    take(&state, .failed(job: 3, failure: Failure(code: 77, error: "wrongKey", message: "no")))
    #expect(state.calendar == before && state.pending.isEmpty)
  }

  @Test("an item that is removed from one service leaves the shown one of another")
  func ownItem() async throws {
    let store = try await store()
    try await world.persistence.saveService(
      APIService(name: "old", baseURL: "http://old.test/api/v3", preset: "radarr"),
      replacing: true)
    media.set(.sample(.radarr), for: "old")
    store.nonExhaustively { store in
      store.send(run(1, .show(id: 1)))
      store.skipReceivedActions()
      #expect(store.state.item?.service == "films" && store.state.item?.id == 1)
      store.send(run(2, .remove(id: 1, deletesFiles: false), of: "old"))
      store.skipReceivedActions()
      #expect(store.state.item?.id == 1)
      store.send(run(3, .remove(id: 1, deletesFiles: false)))
      store.skipReceivedActions()
      #expect(store.state.item == nil)
    }
    store.finish()
  }

  @Test(
    "what a program sends with a secret in it is not sent back, and no address with one is asked")
  func secrets() async throws {
    world.logger.redactor.registerSecret(Array("s3cretvalue".utf8), name: "k")
    var content = MockMediaService.Content.sample(.radarr)
    content.library[0].json["overview"] = "s3cretvalue"
    let store = try await store(content: content)
    try await world.persistence.saveService(
      APIService(name: "odd", baseURL: "http://s3cretvalue.test", preset: "radarr"),
      replacing: true)
    store.nonExhaustively { store in
      store.send(run(1, .monitor(id: 1, isMonitored: false)))
      store.receive(where: { failure($0)?.code == 65 && failure($0)?.error == "maskedSecret" })
      store.send(run(2, .list, of: "odd"))
      store.receive(where: { failure($0)?.code == 65 && failure($0)?.error == "maskedSecret" })
    }
    store.finish()
    #expect(media.calls.map(\.name) == ["item"])
  }

  @Test("an option with a secret in its name is not sent back")
  func secretOption() async throws {
    world.logger.redactor.registerSecret(Array("s3cretvalue".utf8), name: "k")
    var content = MockMediaService.Content.sample(.radarr)
    content.options[.rootFolder] = [MediaOption(id: 1, name: "/s3cretvalue")]
    let store = try await store(content: content)
    store.nonExhaustively { store in
      let order = MediaOrder("arrival", options: [.qualityProfile: "Any"])
      store.send(run(1, .add(order: order)))
      store.receive(where: { failure($0)?.code == 65 && failure($0)?.error == "maskedSecret" })
      #expect(store.state.additions.isEmpty && store.state.pending.isEmpty)
    }
    store.finish()
    #expect(!media.calls.contains { $0.name == "add" })
  }

  @Test("an option is what the line says, or the only one that differs from it in case alone")
  func optionCase() async throws {
    var content = MockMediaService.Content.sample(.radarr)
    content.options[.rootFolder] = [
      MediaOption(id: 1, name: "/Media"), MediaOption(id: 2, name: "/media"),
    ]
    let store = try await store(content: content)
    store.nonExhaustively { store in
      let unclear = MediaOrder("arrival", options: [.qualityProfile: "any", .rootFolder: "/MEDIA"])
      store.send(run(1, .add(order: unclear)))
      store.receive(
        where: { failure($0)?.message == "Radarr has 2 root folders: /Media, /media" })
      #expect(!media.calls.contains { $0.name == "add" })
      let exact = MediaOrder("arrival", options: [.qualityProfile: "any", .rootFolder: "/media"])
      store.send(run(2, .add(order: exact)))
      store.skipReceivedActions()
    }
    store.finish()
    #expect(media.calls.last?.name == "add")
    let sent = try JSON(parsing: try #require(media.calls.last?.arguments.last))
    #expect(sent["rootFolderPath"] == "/media")
  }

  @Test("a job that is cancelled asks no more, and is no addition any more")
  func cancelled() async throws {
    var state = MediaState()
    let server = MediaServer(.radarr, films)
    state.pending = [
      PendingMedia(job: 1, command: MediaCommand(.add(order: MediaOrder("x")), of: "films"))
    ]
    state.additions.append(MediaAddition(job: 1, server: server, order: MediaOrder("x")))
    BoardFeatures.media.cancelled(&state, 1)
    #expect(state == MediaState())
  }

  /// Whatever is asked and fails, and in whichever order.
  @Test("a model: what is added waits, what is kept is bounded, and counts fit")
  func model() {
    let library = (1...105).map {
      MediaResource(["id": JSON($0), "title": "t", "monitored": .bool($0 % 2 == 0)])
    }
    @Sendable func job(_ random: inout SeededRandom) -> Int {
      Int.random(in: 1...Int(Int32.max), using: &random)
    }
    @Sendable func id(_ random: inout SeededRandom) -> Int {
      Int.random(in: 1...110, using: &random)
    }
    let model = ModelTest(
      initialState: MediaState(), reducer: BoardFeatures.media.reducer,
      moves: [
        .send { _, random in run(job(&random), .list) },
        .send { _, random in run(job(&random), .show(id: id(&random))) },
        .send { _, random in
          let isMonitored = Bool.random(using: &random)
          return run(job(&random), .monitor(id: id(&random), isMonitored: isMonitored))
        },
        .send { _, random in run(job(&random), .remove(id: id(&random), deletesFiles: false)) },
        .send { _, random in
          let term = ["dune", "arrival", "nothing"].randomElement(using: &random) ?? ""
          return run(
            job(&random), .add(order: MediaOrder(term, pick: 1, options: [.qualityProfile: "Any"])))
        },
        .send { _, random in run(job(&random), .queue, of: "unknown") },
      ],
      invariants: [
        Invariant("what is added is a command that waits") { (state: MediaState) in
          state.additions.allSatisfy { addition in
            state.pending.contains { $0.job == addition.job }
          }
        },
        Invariant("what is kept is bounded, and its counts fit") { (state: MediaState) in
          guard let library = state.library else { return true }
          return library.items.count <= 100 && library.items.count <= library.count
            && library.monitored <= library.count
        },
      ], interleaves: true
    ) { run in
      var dependencies = Dependencies.mock
      let media = MockMediaService()
      var content = MockMediaService.Content.sample(.radarr)
      content.library = library
      media.set(content, for: "films")
      dependencies.mediaService = media
      dependencies.persistence = MockPersistenceService.preview
      dependencies.clock = BoardClock(
        now: { run.clock.now.offset.microseconds },
        sleep: { try await run.clock.sleep(for: $0) })
      return dependencies
    }
    model.check(seeds: 1...40, length: 40, report: report)
  }
}

/// What lines of the feature print, and with which exit code they end.
@Suite("media, its lines")
struct MediaFeatureTests {
  let lines: Lines = {
    var dependencies = Dependencies.preview
    dependencies.clock = Dependencies.mock.clock
    return Lines(dependencies: dependencies)
  }()

  @Test("a library is a table, and an item a record; its JSON is whole")
  func list() async {
    #expect(await lines.run("media list films") == 0)
    #expect(
      lines.allPrinted == """
        3 items, 2 monitored  MISS
        id  title         year  monitored  files
        --  ------------  ----  ---------  -----
         1  Blade Runner  1979  yes          1/1
         2  Alien         1982  no           0/1
         3  Solaris       1985  yes          0/1

        """, "\(lines.allPrinted)")
    #expect(await lines.run("media show films 1 --json") == 0)
    #expect(lines.allPrinted.contains(#""images":[{"coverType":"poster","url":"/100.jpg"}]"#))
    #expect(
      await lines.run("assert media.library.count == 3 and media.item.title == '\"Blade Runner\"'")
        == 0)
    #expect(await lines.run("media show films 99") == 66)
    #expect(lines.allPrinted.contains("error: Radarr has no item with the ID 99"))
    await lines.board.close()
  }

  @Test("what is found can be added, monitored, searched for and removed")
  func add() async {
    #expect(await lines.run("media search films dune") == 0)
    #expect(lines.allPrinted.contains("   2  Dune   2021  tmdb:201"), "\(lines.allPrinted)")
    #expect(await lines.run("media add films dune") == 64)
    #expect(lines.allPrinted.contains("help: take one with --pick N"), "\(lines.allPrinted)")
    #expect(await lines.run("media add films tmdb:201 --profile hd-1080p") == 0)
    #expect(
      lines.allPrinted.hasSuffix("added Dune (2021) as 4: HD-1080p, /media\n"),
      "\(lines.allPrinted)")
    #expect(await lines.run("media add films tmdb:201 --profile Any") == 73)
    #expect(await lines.run("media monitor films 4 --off") == 0)
    #expect(lines.allPrinted.hasSuffix("Dune (2021) is not monitored any more\n"))
    #expect(await lines.run("media find films 4") == 0)
    #expect(lines.allPrinted.hasSuffix("the search for 4 is queued\n"))
    #expect(await lines.run("media remove films 4") == 0)
    #expect(await lines.run("media show films 4") == 66)
    #expect(await lines.run("media search films nothing") == 0)
    #expect(await lines.run("media add films nothing") == 66)
    await lines.board.close()
  }

  @Test("a queue that is cut says so, in JSON as well")
  func cutQueue() throws {
    func notes(_ count: Int) throws -> [Outcome.Note] {
      let entry = MediaQueue.Entry(id: 1, title: "t", size: 1, left: 1, status: "queued")
      let answer = MediaAnswer.queue(queue: MediaQueue([entry], count: count))
      return try #require(
        BoardFeatures.media.outcome(
          .answered(job: 1, answer: answer, masked: nil), MediaState(),
          OutcomeContext(BoardState()))
      ).notes
    }
    #expect(try notes(1) == [Outcome.Note("1 download")])
    #expect(
      try notes(3) == [
        Outcome.Note("3 downloads"), .warning("only 1 of 3 downloads are shown"),
      ])
  }

  @Test("a download is removed from the queue, and one that is not there is missing")
  func queueRemove() async {
    #expect(await lines.run("media queue remove films 1 --blocklist") == 0)
    #expect(lines.allPrinted.hasSuffix("removed 1 from the queue\n"), "\(lines.allPrinted)")
    #expect(await lines.run("media queue remove films 1") == 66)
    #expect(await lines.run("media queue remove films") == 64)
    #expect(await lines.run("media queue films --json") == 0)
    #expect(lines.allPrinted.contains(#""value":[]"#), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("a queue and a calendar are tables")
  func queueAndCalendar() async {
    #expect(await lines.run("media queue films -o plain") == 0)
    #expect(
      lines.allPrinted.contains("1\tSolaris.1080p\t75%\t3.7 GiB\t00:12:30\tdownloading\n"),
      "\(lines.allPrinted)")
    #expect(await lines.run("media calendar films --from 2026-01-01 --to 2026-02-28 -o plain") == 0)
    #expect(
      lines.allPrinted.hasSuffix(
        "2026-01-02\tcinema\tAlien\t\t\n2026-01-04\tdigital\tAlien\t\t\n2026-02-10\tphysical\tAlien\t\t\n"
      ),
      "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test(
    "words that are no command are refused, with what would be one",
    arguments: [
      ("list", "service"), ("show films x", "id is a whole number"), ("search films ''", "a title"),
      ("calendar films --to 2026-01-01", "--to needs --from"),
      ("calendar films --from 1.1.2026", "a day like 2026-11-01"),
      ("calendar films --from 2026-02-02 --to 2026-02-01", "up to 1000 days later"),
      ("calendar films --days 0", "--days"), ("add films x --pick 0", "--pick"),
      ("list sample", "the service 'sample' has no preset"),
    ])
  func refused(line: String, text: String) async {
    #expect(await lines.run("media \(line)") == 64)
    #expect(lines.allPrinted.lowercased().contains(text.lowercased()), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("an unknown service is missing, and links lead to a library and to an item")
  func services() async {
    #expect(await lines.run("media list nobody") == 66)
    #expect(lines.allPrinted.contains("there is no service named 'nobody'"))
    #expect(await lines.run("open swiftboard://media/films/2") == 0)
    #expect(await lines.run("assert media.item.id == 2") == 0)
    #expect(await lines.run("open swiftboard://media/films") == 0)
    #expect(await lines.run("assert media.library.service == '\"films\"'") == 0)
    #expect(await lines.run("open swiftboard://media/films/x") == 66)
    await lines.board.close()
  }

  @Test(
    "a preset puts the key where its program wants it, by the name of the service or of --secret",
    arguments: [
      ("radarr", APIService.Authentication.header(name: "X-Api-Key", secret: "k")),
      ("sonarr", .header(name: "X-Api-Key", secret: "k")),
      ("lidarr", .header(name: "X-Api-Key", secret: "k")),
      ("sabnzbd", .query(name: "apikey", secret: "k")),
      ("nzbget", .basic(user: "nzbget", secret: "k")),
      ("nzbget --user me", .basic(user: "me", secret: "k")),
      ("nzbget --user 'a b='", .basic(user: "a b=", secret: "k")), ("rick-and-morty", nil),
    ])
  func preset(preset: String, authentication: APIService.Authentication?) async throws {
    let lines = Lines()
    #expect(await lines.run("api service add k http://nas.test/x --preset \(preset)") == 0)
    let other = "api service add o http://nas.test/x --preset \(preset)"
    #expect(await lines.run(authentication == nil ? other : "\(other) --secret k") == 0)
    for name in ["k", "o"] {
      let service = try await lines.world.persistence.service(name)
      #expect(service?.authentication == authentication, "\(name)")
    }
    await lines.board.close()
  }

  @Test("a user is refused where a preset has none, and an address without an API is noticed")
  func presetAddress() async {
    let lines = Lines()
    #expect(
      await lines.run("api service add a http://nas.test/api/v3 --user x --preset radarr") == 64)
    #expect(lines.allPrinted.contains("--user goes with --preset nzbget"), "\(lines.allPrinted)")
    #expect(await lines.run("api service add b http://nas.test/radarr --preset radarr") == 0)
    #expect(
      lines.allPrinted.hasSuffix("the address of Radarr's API usually ends with /api/v3\n"),
      "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test(
    "a secret or a user that nothing would use is refused",
    arguments: [
      ("--preset rick-and-morty --secret k", "--preset rick-and-morty has no key"),
      ("--preset radarr --auth bearer:{{secret:k}} --secret x", "not with --auth"),
      ("--preset nzbget --auth bearer:{{secret:k}} --user x", "not with --auth"),
      ("--auth bearer:{{secret:k}} --user x", "not with --auth"),
      ("--secret k", "--secret and --user go with --preset"),
    ])
  func unusedKey(options: String, message: String) async {
    let lines = Lines()
    #expect(await lines.run("api service add a http://nas.test \(options)") == 64)
    #expect(lines.allPrinted.contains(message), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("a service of another kind: the advice is the command that asks it")
  func otherKinds() async {
    let lines = Lines()
    for line in [
      "api service add rm http://rm.test/api --preset rick-and-morty",
      "api service add books http://books.test/api",
    ] { #expect(await lines.run(line) == 0) }
    #expect(lines.allPrinted.contains("added; try 'characters list --service rm'"))
    #expect(await lines.run("media list rm") == 64)
    #expect(lines.allPrinted.contains("'characters list --service rm' asks it"))
    #expect(await lines.run("downloads list books") == 64)
    #expect(
      lines.allPrinted.contains(
        "'api get books/PATH' asks it; a service that 'downloads' asks is added with --preset sabnzbd, or nzbget"
      ), "\(lines.allPrinted)")
    // A kind of another program's board.
    let other = APIService(name: "tea", baseURL: "http://tea.test", preset: "kettle")
    try? await lines.world.persistence.saveService(other, replacing: false)
    #expect(await lines.run("media list tea") == 64)
    #expect(lines.allPrinted.contains("is of the kind kettle, which 'media' cannot ask"))
    #expect(lines.allPrinted.contains("'api get tea/PATH' asks it"), "\(lines.allPrinted)")
    await lines.board.close()
  }
}
