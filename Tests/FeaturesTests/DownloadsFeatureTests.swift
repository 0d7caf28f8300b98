import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// The reducer alone: what it decides, and what its effects bring.
@Suite("downloads, its reducer")
struct DownloadsReducerTests {
  typealias Downloads = AnyReducer<DownloadsState, DownloadsAction, Dependencies>

  let world = World()
  let programs = MockDownloadService()
  let sab = APIService(name: "sab", baseURL: "http://nas.test/sabnzbd", preset: "sabnzbd")

  private func store() async throws -> TestStore<Downloads> {
    var dependencies = world.dependencies
    try await dependencies.persistence.saveService(sab, replacing: true)
    programs.set(.sample(.sabnzbd), for: "sab")
    dependencies.downloadService = programs
    return TestStore(
      initialState: DownloadsState(), reducer: BoardFeatures.downloads.reducer,
      clock: world.clock, dependencies: dependencies, report: report)
  }

  /// What happens to the command of job 1; docs/features.md has the same as a table.
  enum Event: Hashable { case run, resolved, answered, failed }
  enum Stage: Hashable { case none, pending }

  static let transitions = TransitionTable<Stage, Event> {
    From(.none).on(.run).to(.pending)
    From(.pending).on(.resolved).to(.pending)
    From(.pending).on(.answered, .failed).to(.none)
  }

  private let monitor = TransitionMonitor(DownloadsReducerTests.transitions) {
    (state: DownloadsState) in
    state.pending.contains { $0.job == 1 } ? Stage.pending : .none
  } action: { (action: DownloadsAction) in
    switch action {
    case .run(let context, _): context.job == 1 ? Event.run : nil
    case .resolved(job: 1, _): .resolved
    case .answered(job: 1, _, _): .answered
    case .failed(job: 1, _): .failed
    default: nil
    }
  }

  @Test("what fails for the time being is asked again after a pause, as often as the line says")
  func retry() async throws {
    let store = try await store()
    store.watch(monitor)
    let busy = ProgramError(.status(503), program: "SABnzbd", service: "sab")
    for _ in 1...2 { programs.failNext("queue", with: busy) }
    let command = DownloadsCommand(.list, of: "sab", retries: 1)
    let line = context("downloads list", "downloads.list")
    let queue = MockDownloadService.Content.sample(.sabnzbd).queue
    store.nonExhaustively { store in
      store.send(.run(context: line, command: command))
      store.receive(.resolved(job: 1, service: sab))
      #expect(store.received.isEmpty && store.state.pending.count == 1)
      store.advance(by: .milliseconds(199))
      #expect(store.received.isEmpty)
      store.advance(by: .milliseconds(1))
      store.receive(where: { if case .failed(job: 1, _) = $0 { true } else { false } })
      // The next one has its answer after the same pause.
      programs.failNext("queue", with: busy)
      store.send(.run(context: line, command: command))
      store.receive(.resolved(job: 1, service: sab))
      store.advance(by: .milliseconds(200))
      store.receive(.answered(job: 1, answer: .queue(queue: queue), masked: nil))
      #expect(store.state.pending.isEmpty)
    }
    store.finish()
    #expect(programs.calls == Array(repeating: MockCall("queue", "sab"), count: 4))
    monitor.checkCoverage(report: report)
  }

  @Test("an answer that is too large says which option asks for less")
  func tooLarge() async throws {
    let store = try await store()
    let error = APIError(.tooLarge, "the answer is larger than the limit of 16777216 bytes")
    programs.failNext(
      "history", with: ProgramError(.api(error), program: "SABnzbd", service: "sab"))
    var failure: Failure?
    store.nonExhaustively { store in
      store.send(run(1, .history(limit: 100)))
      store.receive(.resolved(job: 1, service: sab))
      store.receive(where: {
        if case .failed(job: 1, let received) = $0 { failure = received }
        return failure != nil
      })
    }
    store.finish()
    #expect(failure?.help == "ask for less with --limit N")
  }

  @Test(
    "what changes something is asked once, and its failure does not advise to ask again",
    arguments: [
      ("add", DownloadsCommand.Request.add(download: NewDownload("http://i.test/1"))),
      ("pause", .pause(ids: [])), ("resume", .resume(ids: [])),
      ("remove", .remove(ids: ["SABnzbd_nzo_0"], deletesFiles: false)),
    ])
  func once(call: String, request: DownloadsCommand.Request) async throws {
    let store = try await store()
    let busy = ProgramError(.status(503), program: "SABnzbd", service: "sab")
    programs.failNext(call, with: busy)
    let command = DownloadsCommand(request, of: "sab", retries: 3)
    store.nonExhaustively { store in
      store.send(.run(context: context("downloads", "downloads"), command: command))
      store.receive(.resolved(job: 1, service: sab))
      store.receive(where: {
        if case .failed(job: 1, let failure) = $0 { failure.help == nil } else { false }
      })
    }
    store.finish()
  }

  @Test("a command that is cancelled in its pause asks no more, and leaves the state")
  func cancelled() async throws {
    var dependencies = world.dependencies
    try await dependencies.persistence.saveService(sab, replacing: true)
    programs.set(.sample(.sabnzbd), for: "sab")
    dependencies.downloadService = programs
    programs.failNext("queue", with: ProgramError(.status(503), program: "SABnzbd", service: "sab"))
    let store = NonExhaustiveTestStore(
      initialState: BoardState(), reducer: BoardReducer(BoardFeatures.all), clock: world.clock,
      dependencies: dependencies, report: report)
    store.send(try action("downloads list sab --retry 3"))
    store.skipReceivedActions()
    store.advance(by: .milliseconds(100))
    #expect(store.state.downloads.pending.count == 1 && programs.calls.count == 1)
    store.send(.shell(.cancelled(job: 1)))
    #expect(store.state.downloads.pending.isEmpty && store.state.shell.running.isEmpty)
    store.advance(by: .seconds(60))
    #expect(programs.calls.count == 1 && store.state.downloads.queue == nil)
    store.finish()
  }

  private func run(_ job: Int, _ request: DownloadsCommand.Request) -> DownloadsAction {
    .run(
      context: context("downloads", "downloads", job: job),
      command: DownloadsCommand(request, of: "sab"))
  }

  @Test("a queue: the service, the program, the answer, and what is changed of it")
  func queue() async throws {
    let store = try await store()
    let command = DownloadsCommand(.list, of: "sab")
    var queue = MockDownloadService.Content.sample(.sabnzbd).queue
    store.send(run(1, .list)) { $0.pending = [PendingDownloads(job: 1, command: command)] }
    store.receive(.resolved(job: 1, service: sab))
    store.nonExhaustively { store in
      store.receive(.answered(job: 1, answer: .queue(queue: queue), masked: nil))
      #expect(store.state.queue?.content == queue && store.state.pending.isEmpty)
      store.send(run(2, .pause(ids: ["SABnzbd_nzo_1"])))
      store.skipReceivedActions()
      queue.entries[1].status = .paused
      #expect(store.state.queue?.content == queue)
      store.send(run(3, .remove(ids: ["SABnzbd_nzo_0"], deletesFiles: true)))
      store.skipReceivedActions()
      #expect(store.state.queue?.entries == [queue.entries[1]])
      #expect(store.state.queue?.count == 1)
      store.send(run(4, .pause(ids: [])))
      store.skipReceivedActions()
      #expect(store.state.queue?.isPaused == true)
    }
    store.finish()
    #expect(
      programs.calls == [
        MockCall("queue", "sab"), MockCall("pause", "sab", "SABnzbd_nzo_1"),
        MockCall("remove", "sab", "SABnzbd_nzo_0", "true"), MockCall("pause", "sab", ""),
      ])
  }

  @Test("what is resumed is queued again, what was added last is known, and long lists are cut")
  func kept() async throws {
    let store = try await store()
    store.nonExhaustively { store in
      store.send(run(1, .list))
      store.skipReceivedActions()
      for (job, request) in [
        (2, DownloadsCommand.Request.pause(ids: [])), (3, .pause(ids: ["SABnzbd_nzo_0"])),
        (4, .resume(ids: ["SABnzbd_nzo_0"])),
      ] {
        store.send(run(job, request))
        store.skipReceivedActions()
      }
      #expect(store.state.queue?.entries.first?.status == .queued)
      #expect(store.state.queue?.isPaused == true)
      store.send(run(5, .resume(ids: [])))
      store.skipReceivedActions()
      #expect(store.state.queue?.isPaused == false)
      store.send(run(6, .add(download: NewDownload("http://i.test/1"))))
      store.skipReceivedActions()
      #expect(store.state.added?.service == "sab" && store.state.added?.id == "SABnzbd_nzo_101")
    }
    store.finish()

    var state = DownloadsState()
    let entries = (1...80).map {
      DownloadQueue.Entry(id: "\($0)", name: "n", status: .queued, size: 1, left: 1)
    }
    let ended = (1...80).map {
      FinishedDownload(id: "\($0)", name: "n", isComplete: true, status: "Completed")
    }
    for (request, answer) in [
      (DownloadsCommand.Request.list, DownloadsAnswer.queue(queue: DownloadQueue(entries))),
      (.history(limit: 80), .history(downloads: ended)),
    ] {
      for action in [
        run(7, request), DownloadsAction.answered(job: 7, answer: answer, masked: nil),
      ] { _ = BoardFeatures.downloads.reducer.reduce(&state, action, world.dependencies) }
    }
    #expect(state.queue?.entries.count == 50 && state.queue?.count == 80)
    #expect(state.history?.entries.count == 50)
  }

  @Test("a failure ends the command, and changes nothing of the queue")
  func failure() async throws {
    let store = try await store()
    store.nonExhaustively { store in
      store.send(run(1, .list))
      store.skipReceivedActions()
      let before = store.state.queue
      store.send(run(2, .remove(ids: ["x"], deletesFiles: false)))
      store.receive(where: {
        guard case .failed(2, let failure) = $0 else { return false }
        return failure.code == 66
          && failure.message == "SABnzbd has no download with the ID x in its queue"
          && failure.help == "'downloads list sab' shows what is in it"
      })
      #expect(store.state.queue == before && store.state.pending.isEmpty)
    }
    store.finish()
  }
}

/// What lines of the feature print, and with which exit code they end.
@Suite("downloads, its lines")
struct DownloadsFeatureTests {
  let lines: Lines = {
    var dependencies = Dependencies.preview
    dependencies.clock = Dependencies.mock.clock
    return Lines(dependencies: dependencies)
  }()

  private func add() async {
    #expect(await lines.run("api service add get http://nas.test --preset nzbget") == 0)
  }

  @Test("a queue is a table, with how much has come")
  func list() async {
    await add()
    #expect(await lines.run("downloads list sab") == 0)
    #expect(
      lines.allPrinted.hasSuffix(
        """
        2 downloads, 1.2 MiB/s
        id             name              status       done       size     left  category
        -------------  ----------------  -----------  ----  ---------  -------  --------
        SABnzbd_nzo_0  Solaris.1080p     downloading   75%    3.7 GiB  0:13:15  films
        SABnzbd_nzo_1  Dark.S01E01.720p  queued         0%  858.3 MiB           series

        """), "\(lines.allPrinted)")
    #expect(await lines.run("downloads history get --limit 1 -o plain") == 0)
    #expect(
      lines.allPrinted.hasSuffix("h2\tAlien.1080p\tCompleted\t3.4 GiB\t2025-12-31T00:00\n"),
      "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("downloads are added, paused, resumed and removed")
  func change() async {
    await add()
    #expect(await lines.run("downloads add sab http://indexer.test/7.nzb --category films") == 0)
    #expect(lines.allPrinted.hasSuffix("SABnzbd_nzo_101\n"), "\(lines.allPrinted)")
    #expect(await lines.run("downloads pause sab {{last.id}}") == 0)
    #expect(lines.allPrinted.hasSuffix("paused SABnzbd_nzo_101\n"))
    #expect(await lines.run("downloads pause sab; downloads list sab") == 0)
    #expect(lines.allPrinted.contains("3 downloads, paused\n"))
    #expect(await lines.run("downloads resume sab") == 0)
    #expect(lines.allPrinted.hasSuffix("resumed all downloads\n"))
    #expect(await lines.run("downloads remove sab SABnzbd_nzo_0 SABnzbd_nzo_101") == 0)
    #expect(await lines.run("assert downloads.queue.count == 1") == 0)
    #expect(await lines.run("downloads remove sab SABnzbd_nzo_0") == 66)
    #expect(await lines.run("downloads remove sab") == 64)
    #expect(await lines.run("downloads add sab x.nzb") == 64)
    #expect(await lines.run("downloads list films") == 64)
    #expect(lines.allPrinted.contains("is of the kind radarr, which 'downloads' cannot ask"))
    #expect(lines.allPrinted.contains("'media list films' asks it"), "\(lines.allPrinted)")
    #expect(await lines.run("media list sab") == 64)
    #expect(lines.allPrinted.contains("'downloads list sab' asks it"), "\(lines.allPrinted)")
    #expect(await lines.run("open swiftboard://downloads/sab") == 0)
    #expect(await lines.run("open swiftboard://downloads/sab/history") == 0)
    #expect(await lines.run("open swiftboard://downloads/sab/x") == 66)
    await lines.board.close()
  }

  @Test("an ID that a line has twice is sent once", arguments: ["pause", "resume", "remove"])
  func equalIDs(command: String) async {
    let ids = "SABnzbd_nzo_1 SABnzbd_nzo_0 SABnzbd_nzo_1"
    #expect(await lines.run("downloads \(command) sab \(ids)") == 0)
    #expect(
      lines.allPrinted.hasSuffix("d SABnzbd_nzo_1, SABnzbd_nzo_0\n"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("IDs with equal characters and different bytes are different IDs")
  func equivalentIDs() async {
    let programs = MockDownloadService()
    let entry = DownloadQueue.Entry(id: "\u{e9}", name: "a", status: .queued, size: 1, left: 1)
    programs.set(.init(.sabnzbd, queue: DownloadQueue([entry])), for: "sab")
    var dependencies = Dependencies.preview
    dependencies.downloadService = programs
    let lines = Lines(dependencies: dependencies)
    #expect(await lines.run("downloads pause sab \u{e9} e\u{301} \u{e9}") == 0)
    #expect(
      lines.allPrinted.hasSuffix("paused \u{e9}, e\u{301}\n"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("a removal from NZBGet says that it deletes files, unless the line asks for it")
  func deletesAnyway() async {
    await add()
    let note = "NZBGet deletes the unfinished files of a removed download in any case\n"
    #expect(await lines.run("downloads remove sab SABnzbd_nzo_0") == 0)
    #expect(await lines.run("downloads remove get 1 --delete-files") == 0)
    #expect(lines.allPrinted.hasSuffix("removed 1\n"), "\(lines.allPrinted)")
    #expect(await lines.run("downloads remove get 2") == 0)
    #expect(lines.allPrinted.hasSuffix("removed 2\nwarning: \(note)"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("the ID that a program gives to a download begins no second line")
  func idOfServer() throws {
    let outcome = try #require(
      BoardFeatures.downloads.outcome(
        .answered(job: 1, answer: .added(id: "1\n2"), masked: nil), DownloadsState(),
        OutcomeContext(BoardState())))
    #expect(outcome.presentation == .text(#"1\n2"#))
    #expect(outcome.value["id"] == "1\n2")
  }

  @Test("what is paused of a download is no part of what is done")
  func paused() throws {
    let queue = DownloadQueue([
      .init(id: "1", name: "n", status: .downloading, size: 10, left: 2, pausedBytes: 1)
    ])
    let outcome = try #require(
      BoardFeatures.downloads.outcome(
        .answered(job: 1, answer: .queue(queue: queue), masked: nil), DownloadsState(),
        OutcomeContext(BoardState())))
    guard case .table(_, let rows) = outcome.presentation else {
      Issue.record("no table")
      return
    }
    #expect(rows.map { $0[3] } == ["77%"])
  }

  @Test("an indexer's key is a name; a typed one is refused, and in no step")
  func key() async {
    await add()
    let address = "http://indexer.test/get?id=7&apikey="
    #expect(await lines.run("downloads add sab '\(address)abcdefgh'") == 64)
    #expect(lines.allPrinted.contains("apikey={{secret:NAME}}"), "\(lines.allPrinted)")
    #expect(!lines.allSteps.contains("abcdefgh"))
    #expect(await lines.run("downloads add sab \(address){{secret:radarr}}") == 0)
    #expect(lines.allSteps.contains(#"{"secret":{"name":"radarr"}}"#))
    await lines.board.close()
  }

  @Test(
    "an indexer's password is a name; a typed one is refused, and in no step",
    arguments: [
      ("http://me:abcdefgh@indexer.test/7", 64), ("http://abcdefgh@indexer.test/7", 64),
      ("http://{{secret:radarr}}:abcdefgh@indexer.test/7", 64),
      ("http://me:{{secret:radarr}}@indexer.test/7", 0), ("http://indexer.test/a@b?c@d", 0),
    ])
  func password(address: String, code: Int32) async {
    await add()
    #expect(await lines.run("downloads add sab \(address)") == code)
    if code == 64 {
      #expect(
        lines.allPrinted.contains("USER:{{secret:NAME}}@HOST"), "\(lines.allPrinted)")
    }
    #expect(!lines.allSteps.contains("abcdefgh"))
    await lines.board.close()
  }
}
