import SwiftBoardFeatures
import SwiftBoardJSON
import SwiftBoardTestSupport
import Testing

/// One session over every feature, against a peer that answers.
@Suite(.timeLimit(.minutes(20)))
struct EveryFeatureSessionTests {
  private static func lines(_ origin: String) -> [String] {
    let keychain = [
      // What these lines show is loaded before them.
      "assert log.level exists", "state analytics.consent", "state keychain", "state db.isLoaded",
      "keychain init", "keychain set token --from-file token", "keychain set films --from-file key",
      "keychain set sab --from-file sabkey", "keychain set series --from-file serieskey",
      "keychain set music --from-file musickey", "keychain set get --from-file getkey",
      "keychain set spare --from-file token",
      "keychain rename spare other", "keychain list", "keychain status", "keychain check",
      "keychain slot list", "keychain autolock 15m",
      "keychain export copy.sbkc --new-from-file new",
      "keychain remove other", "keychain import copy.sbkc --passphrase-file new --existing keep",
      "keychain lock", "-keychain get none --reveal", "keychain unlock", "keychain list --json",
    ]
    let api = [
      "api service add rm \(origin)/api",
      "api service add echo \(origin)/echo --auth bearer:{{secret:token}}",
      "api service list", "api service show rm", "-api service test rm",
      "api get rm/character/1 --save one", "api get rm/character/1", "api run one",
      "api get rm/character name==rick --select results[0].name", "-api get rm/character/99999",
      "api post echo/x name=Rick count:=3 X-Kind:{{secret:token}}", "api head rm/character/1",
      "api get rm/character/2 --out two.json", "api get rm/character/3 > three.json",
      "api saved list", "api saved remove one", "-api saved remove one", "api recent", "api stats",
      "api cache list", "api cache stats", "api cache clear", "-api get nobody/x", "api cancel all",
      "-api get http://127.0.0.1:1/", "open swiftboard://api/rm/character/4",
    ]
    let characters = [
      "api service add rick-and-morty \(origin)/api", "characters list", "characters list --page 2",
      "characters search name==smith", "characters image 1 --out 1.jpeg",
      "characters search name==nobody", "characters show 1",
      "characters refresh", "-characters show 99999", "characters recent",
      "characters recent remove name==nobody", "open swiftboard://characters/2",
    ]
    let programs = [
      "api service add films \(origin)/radarr/api/v3 --preset radarr", "api service test films",
      "media list films", "media show films 1", "media search films dune",
      "media add films tmdb:201 --profile HD-1080p --find", "media monitor films 2",
      "-media add films dune", "media find films 4", "media queue films",
      "media calendar films --from 2026-01-01 --to 2026-01-31", "media remove films 1",
      "open swiftboard://media/films/4",
      "api service add sab \(origin)/sabnzbd --preset sabnzbd", "downloads list sab",
      "downloads add sab http://indexer.test/7.nzb --name Arrival",
      "downloads pause sab SABnzbd_nzo_0", "downloads pause sab", "downloads resume sab",
      "downloads remove sab SABnzbd_nzo_0", "downloads history sab", "-media list sab",
      "watch 1ms downloads list sab --count 2",
      "api service add series \(origin)/sonarr/api/v3 --preset sonarr", "media list series",
      "media show series 1", "media calendar series --from 2026-01-01 --to 2026-01-31",
      "api service add music \(origin)/lidarr/api/v1 --preset lidarr", "media list music",
      "media search music autechre", "media queue music",
      "api service add get \(origin)/nzbget --preset nzbget", "api service test get",
      "downloads list get", "downloads pause get", "downloads resume get", "downloads history get",
      "downloads list sab", "media show films 2",
    ]
    let database = [
      #"db put c 1 {"name":"é"}"#, "db put c 2 {}", "db get c 1", "-db get c 9", "db list c",
      "db index c name", "db export all.jsonl", "db remove c 1",
      "db import all.jsonl --existing keep",
      "db preference set p 1", "db preference get p", "db preference list", "db preference unset p",
      "db stats", "db check", "db path", "db backup b.sqlite",
    ]
    let log = [
      "log note grüße", "log level api debug", "log tail -n 3", "log tail -n 300", "log stats",
      "log redact test 'Authorization: Bearer x'", "log export l.jsonl", "log clear",
      "analytics status", "analytics on", "analytics show", "analytics off",
    ]
    let board = [
      "set x 1", "set late word-that-becomes-a-secret", "keychain set late --from-file late",
      "echo $x", "unset x", "-unalias none", "-cancel 99", "wait", "completions bash", "manual",
      "assert db.collections.c == 2", "-assert db.collections.c == 7",
      "state downloads.queue.service", "state api.services",
      "alias l 'log tail'", "l -n 1", "jobs", "effects", "history 2", "source more.sb", "help db",
      "doctor",
      "session mark here", "session status", "session timeline --limit 3", "session goto 3",
      "state keychain", "session live", "-session diff 3 5", "session undo",
      "session state db --at @here",
    ]
    return keychain + api + characters + programs + database + log + board
  }

  /// Checks that each effect of a command's step is cancelled with its job, which the last part of
  /// an id is. What is no command's, such as loading what a line shows, has the job 0.
  private static func expectCancellable(_ recording: String) throws {
    var names: Set<String> = []
    for line in recording.split(separator: "\n") where line.hasPrefix(#"{"k":"step""#) {
      let step = try JSON(parsing: String(line))
      guard let action = step["action"]?.members?.first,
        !["session", "shell"].contains(action.key),
        let effects = step["effects"]?.elements, let job = job(in: action.value), job > 0
      else { continue }
      for effect in effects.flatMap(parts) where effect["kind"]?.stringValue == "task" {
        let name = effect["name"]?.stringValue ?? ""
        names.insert(name)
        // The first is no command's, and the next command ends it. The others end a change that was
        // cancelled, or withdraw consent.
        let isEnd =
          [".end", ".forget"].contains(where: name.hasSuffix)
          || ["analytics.apply", "analytics.store"].contains(name)
        guard name != "characters.prefetch", !isEnd else { continue }
        #expect(
          effect["id"]?.stringValue?.hasSuffix("/\(job)") == true,
          "\(name) of \(action.key) in step \(step["n"]?.intValue ?? 0) goes on when \(job) is cancelled"
        )
      }
    }
    for name in [
      "media.add.end", "characters.service", "db.list", "downloads.queue", "api.request",
    ] {
      #expect(names.contains(name), "no effect \(name) in the session")
    }
  }

  /// The first job in an action, wherever it is.
  private static func job(in json: JSON) -> Int? {
    json["job"]?.intValue ?? json.members?.lazy.compactMap { job(in: $0.value) }.first
  }

  /// An effect and those that it has.
  private static func parts(of effect: JSON) -> [JSON] {
    [effect] + (effect["parts"]?.elements ?? []).flatMap(parts)
  }

  @Test("a session is recorded, verified, replayed to the same bytes, and replayed live")
  func session() async throws {
    let peer = try ProgramServer()
    let program = try Program()
    try program.makeFolder("elsewhere")
    for folder in ["", "elsewhere/"] {
      for (name, text) in [
        ("token", "a-token-of-24-characters"), ("key", "radarr-key"), ("sabkey", "sab-key"),
        ("serieskey", "sonarr-key"), ("musickey", "lidarr-key"), ("getkey", "nzbget-password"),
        ("new", "battery staple"), ("late", "word-that-becomes-a-secret"),
        ("more.sb", "echo from a file\ndb list c\n"),
      ] { try program.folder.write(text + "\n", to: folder + name) }
    }
    // A key file needs no derivation, which would take most of the time.
    let key: [UInt8] = Array(0x60...0x7F)
    try program.folder.write(key, to: "unlock")
    let lines = Self.lines(peer.origin)
    for feature in BoardFeatures.all.names where feature != "shell" {
      #expect(lines.contains { $0.hasPrefix(feature + " ") }, "no line of '\(feature)'")
    }
    func run(_ arguments: [String], in folder: String? = nil) async throws -> ChildProcess.Outcome {
      try await program.run(
        arguments, environment: ["SWIFTBOARD_KEY_FILE": program.folder.path("unlock")],
        in: folder)
    }
    let first = try await run(
      ["--keep-going", "--home", "h", "--record", "r.jsonl"] + lines.flatMap { ["-c", $0] })
    try #require(first.status == .exited(0), "\(first.errorText)")
    let recording = try program.text("r.jsonl")
    for secret in [
      "a-token-of-24-characters", "radarr-key", "sab-key", "sonarr-key", "lidarr-key",
      "nzbget-password", "battery staple", String(decoding: key, as: UTF8.self),
    ] {
      let isAbsent = !recording.contains(secret)
      #expect(isAbsent, "\(secret)")
    }

    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    let second = try await program.run("--no-input", "session", "replay", "r.jsonl")
    #expect(second.status == .exited(0), "\(second.errorText)")
    #expect(second.output == first.output)

    try Self.expectCancellable(recording)

    // What the session has done, part by part.
    let last = try #require(
      recording.split(separator: "\n").last { $0.hasPrefix(#"{"k":"step""#) }.flatMap {
        try? JSON(parsing: String($0))["n"]?.intValue
      })
    let diff = try await program.run(
      "session", "diff", "r.jsonl", "0", "\(last)", "--limit", "200", "--json")
    #expect(diff.status == .exited(1), "\(diff.errorText)")
    let changes = try #require(try JSON(parsing: diff.outputText)["value"]?["changes"]?.elements)
    let paths = changes.compactMap { $0["path"]?.stringValue }
    for path in [
      "analytics.consent", "api.answers[0]", "api.services", "characters.detail",
      "characters.list.status", "characters.search.status", "db.collections", "db.document",
      "downloads.history", "downloads.queue", "keychain.names", "log.counts",
      "log.levels.api", "media.calendar", "media.item", "media.library", "media.queue",
      "shell.last",
    ] { #expect(paths.contains { $0.hasPrefix(path) }, "\(path)") }
    #expect(!paths.contains { $0.hasPrefix("media.pending") || $0.hasPrefix("api.pending") })

    // A fresh peer, a fresh home, and a folder without the files that the lines wrote.
    peer.reset()
    let live = try await run(
      ["session", "replay", "../r.jsonl", "--live"], in: "elsewhere")
    #expect(live.status == .exited(0), "\(live.outputText)\(live.errorText)")
  }
}
