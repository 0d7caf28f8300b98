import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// The state by hand and by `Codable`: what one writes and the other does not, no digest would see.
struct BoardStateEncodingTests {
  private static let context: CommandContext = {
    var context = CommandContext(
      job: 7, line: 3, source: "a \"b\".sb", text: "echo \u{1}é\n", name: "echo",
      prefix: .mayFail, redirect: .init(file: "f", appends: true),
      isBackground: true, output: .plain, timeout: 5)
    context.isVerbose = false
    (context.isQuiet, context.isASCII, context.checksStatus) = (true, true, false)
    (context.color, context.usesPager, context.round) = (.always, false, 3)
    context.isSourced = true
    context.parts = 2
    return context
  }()

  /// Nothing in it is nil or empty.
  /// A text that is not in the JSON of a state.
  private static let long = String(repeating: "x", count: StateText.longest + 1)

  static let full: BoardState = {
    var settings = BoardSettings()
    settings.environment = .preview
    settings.output = .json
    settings.width = 80
    settings.isVerbose = true
    settings.isTerminal = true
    settings.measuresAnswers = true
    settings.checksLessons = true
    settings.remembersNull = true
    settings.reportsFailedWatches = true
    settings.setKeepsLast = true
    settings.limitsPadding = true
    settings.compactsRawParts = true
    settings.timeout = 1234
    var state = BoardState(settings: settings)
    state.shell.variables = ["b": "2", "a": "1", "aa": "", "é": "\\", "B": "x"]
    state.shell.variables["long"] = StateText(long, job: 4)
    state.shell.tutorial = 3
    state.shell.aliases = ["ll": "log tail", "l": "db list"]
    state.shell.last = "{\"a\":1}"
    state.shell.lastStatus = -1
    state.shell.running = [context, context]
    state.shell.finished = FinishedJob(
      context: context, status: 3, found: .init(lastStatus: 1, last: StateText(long, job: 5)))
    state.shell.exitCode = 2
    state.shell.unloaded = [
      StateLoadFailure(feature: "api", error: "busy", message: "locked")
    ]
    state.shell.watches = [RepeatedCommand(job: 7, interval: 5000, left: 2, isDue: true)]
    state.api = api
    state.keychain = keychain
    state.db = db
    state.log.notes = 2
    state.log.level = .warning
    state.log.levels = ["b": .trace, "a": .error]
    state.log.counts = ["info": 3, "error": 0]
    var query = LogQuery()
    query.level = .info
    query.text = "x"
    (query.since, query.step, query.follows) = (1, 2, true)
    state.log.query = LogListing(job: 4, query: query)
    state.characters = characters
    state.media = media
    state.downloads = downloads
    state.analytics.consent = true
    state.analytics.changes = [5]
    state.api.changes = [6]
    state.log.changes = [7]
    state.characters.changes = [8]
    state.downloads.changes = [9]
    state.session.changes = [10]
    state.session.recording = "r.actions.jsonl"
    state.session.position = SessionPosition(step: 3, last: 5)
    return state
  }()

  private static let keychain: KeychainState = {
    var state = KeychainState()
    state.isUnlocked = true
    state.autoLock = 300_000
    state.names = ["n", "m"]
    state.file?.exists = true
    state.file?.generation = 7
    state.file?.slots = ["passphrase", "keyFile"]
    state.changes = [3]
    return state
  }()

  private static let db: DatabaseState = {
    var state = DatabaseState()
    state.changes = [2]
    state.imports = [7, 8]
    state.reads = [5]
    state.writes = 9
    state.collection = "films"
    state.collections = ["films": 3, "a": 1]
    state.preferences = ["theme"]
    state.document = ShownDocument(
      Document(collection: "films", id: "1", body: #"{"a":null,"b":[1.5]}"#, updated: 1))
    state.document?.digest = "d"
    var query = DatabaseQuery(
      job: 3,
      query: DocumentQuery(
        collection: "films", conditions: [.init(path: "name", equals: ["é": 1])], sort: "-name",
        limit: 4))
    query.found = 2
    query.isComplete = true
    state.query = query
    state.pending = [
      .begins(job: 3, command: .stats), .ends(job: 4, result: .listed(count: 1)),
    ]
    return state
  }()

  /// A request with every option.
  private static let spec: APIRequestSpec = {
    let template = SecretTemplate(parts: [.text("rm/"), .secret("k")])
    var spec = APIRequestSpec(method: "POST", isExplicit: true, target: template)
    spec.isAtService = true
    spec.items = [APIItem(kind: .file, name: "f", value: "x", type: "text/plain", isPath: true)]
    spec.timeout = 1
    spec.added = [.timing]
    spec.isPretty = false
    spec.select = "a"
    spec.captures = [APICapture(name: "k", path: "body.a")]
    spec.encoding = .form
    spec.jsonBody = template
    spec.authentication = .bearer(secret: "k")
    var connection = APIConnectionSpec()
    connection.authorityFile = "a"
    connection.certificateFile = "c"
    connection.keyFile = "k"
    connection.isInsecure = true
    connection.proxy = "http://p:1"
    connection.unixSocket = "s"
    spec.connection = connection
    spec.out = "o"
    spec.resumes = true
    spec.compressedLimit = 9
    spec.save = "n"
    spec.isSavedLast = true
    return spec
  }()

  private static let api: APIState = {
    var state = APIState()
    state.requests = 4
    state.answered = 3
    let service = APIService(
      name: "rm", baseURL: "http://rm", authentication: .bearer(secret: "k"), preset: "radarr")
    state.services = [service]
    state.saved = ["first"]
    var short = APIAnswer(
      method: "GET", url: "http://rm/x", status: 200,
      headers: [HTTPHeader("Content-Type", "application/json"), HTTPHeader("ETag", "\"1\"")])
    short.text = #"{"b":[1.50,"é\n",null],"a":{}}"#
    short.file = "x.json"
    var long = short
    long.text = String(repeating: "x", count: RecentAnswer.longestBody + 1)
    state.keep(short, 1)
    state.keep(long, 2)
    // Everything at once.
    state.answers[0].body = state.answers[1].body
    state.answers[1].digest = state.answers[0].digest
    if var request = PendingRequest(.request(request: spec), context) {
      request.service = service
      request.timeout = 5
      state.pending.append(request)
    }
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
    state.search.knowsRecent = true
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

  private static let media: MediaState = {
    let service = APIService(
      name: "films", baseURL: "http://nas.test/api/v3",
      authentication: .header(name: "X-Api-Key", secret: "films"), preset: "radarr")
    let server = MediaServer(.radarr, service, timeout: 5)
    let item = MediaItem(id: 1, title: "Solaris", year: 1972, catalogue: "tmdb:593")
    let order = MediaOrder(
      "dune", pick: 1,
      options: [.qualityProfile: "Any", .rootFolder: "/media", .metadataProfile: "Standard"])
    let entry = MediaQueue.Entry(
      id: 1, title: "t", size: 2, left: 1, timeLeft: "00:01:00", status: "s", problem: "p")
    let release = MediaRelease(
      id: 1, kind: .cinema, date: 1, title: "t", part: "p", hasFile: true)
    var state = MediaState()
    state.library = MediaState.Library(MediaLibrary([item]), of: "films")
    state.item = ServiceContent(item, of: "films")
    state.lookup = MediaState.Lookup(service: "films", term: "dune", items: [item])
    state.queue = ServiceContent(MediaQueue([entry]), of: "films")
    state.calendar = MediaState.Calendar(service: "films", from: 1, until: 2, releases: [release])
    var addition = MediaAddition(job: 1, server: server, order: order)
    addition.phase = .choosing(question: .qualityProfile)
    addition.resource = MediaResource(["title": "Dune"])
    addition.found = [MediaResource(["title": "Dune"])]
    addition.candidates = [MediaOption(id: 1, name: "Any")]
    addition.chosen = ["Dune"]
    addition.more = 1
    addition.changes = [12]
    state.additions.append(addition)
    state.changes = [11]
    state.pending = [
      PendingMedia(
        job: 1,
        command: MediaCommand(.add(order: order), of: "films", cache: .noCache, retries: 1),
        timeout: 5, server: server, calendar: state.calendar)
    ]
    return state
  }()

  private static let downloads: DownloadsState = {
    let entry = DownloadQueue.Entry(
      id: "1", name: "n", status: .queued, size: 2, left: 1, pausedBytes: 1, secondsLeft: 1,
      category: "c")
    var state = DownloadsState()
    state.queue = ServiceContent(DownloadQueue([entry]), of: "sab")
    state.history = DownloadsState.History(
      service: "sab",
      entries: [
        FinishedDownload(
          id: "1", name: "n", isComplete: false, status: "s", problem: "p", ended: 1)
      ])
    state.added = DownloadsState.Added(service: "sab", id: "1")
    state.pending = [
      PendingDownloads(
        job: 1, command: DownloadsCommand(.pause(ids: ["1"]), of: "sab", retries: 1), timeout: 5)
    ]
    return state
  }()

  /// What is nil in a value, or empty where elements should show their form.
  private static func holes(_ value: Any, _ path: String) -> [String] {
    // A text has one of its two forms.
    guard !(value is StateText) else { return [] }
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
    // Give the members at other paths a value in `full`. Features are values of one dictionary.
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
