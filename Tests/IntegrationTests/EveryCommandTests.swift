import SwiftBoardBoard
import SwiftBoardFeatures
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// A session with every command that the board has, recorded and replayed: whatever a command
/// prints comes from its steps.
@Suite(.timeLimit(.minutes(20)))
struct EveryCommandTests {
  /// Lines for every command, by its name, in an order in which they make sense. What may not work
  /// in memory may fail: how a command fails is printed from steps as well.
  static let lines: [(command: String, lines: [String])] = [
    ("keychain.get", ["keychain get radarr --reveal"]),
    ("api.service.add", ["api service add rm http://127.0.0.1:18110/api"]),
    ("api.service.list", ["api service list", "api service list --json"]),
    ("api.service.show", ["api service show rm"]),
    ("api.service.test", ["-api service test rm"]),
    ("api.get", ["api get rm/character/1 --save one", "-api get rm/character/99999"]),
    ("api.post", ["-api post rm/character name=x"]),
    ("api.put", ["-api put rm/character/1 name=x"]),
    ("api.patch", ["-api patch rm/character/1 name=x"]),
    ("api.delete", ["-api delete rm/character/1"]),
    ("api.head", ["api head rm/character/1"]),
    ("api", ["api rm/character/1 --select name"]),
    ("api.run", ["api run one"]),
    ("api.saved.list", ["api saved list", "api saved list --json"]),
    ("api.saved.show", ["api saved show one"]),
    ("api.saved.remove", ["api saved remove one", "-api saved remove one"]),
    ("api.recent", ["api recent", "api recent --json"]),
    ("api.stats", ["api stats", "api stats --json"]),
    ("api.cache.list", ["api cache list"]),
    ("api.cache.stats", ["api cache stats"]),
    ("api.cache.clear", ["api cache clear"]),
    ("api.cancel", ["api cancel all"]),
    ("api.service.remove", ["api service remove rm"]),
    ("keychain.init", ["-keychain init"]),
    ("keychain.unlock", ["-keychain unlock"]),
    ("keychain.status", ["keychain status"]),
    ("keychain.check", ["-keychain check"]),
    ("keychain.accept", ["-keychain accept"]),
    ("keychain.set", ["keychain set apple --generate 24"]),
    ("keychain.list", ["keychain list", "keychain list --json"]),
    ("keychain.rename", ["keychain rename apple pear"]),
    ("keychain.slot.list", ["keychain slot list", "keychain slot list --json"]),
    ("keychain.slot.add", ["keychain slot add --key-file k", "-keychain slot add"]),
    ("keychain.slot.remove", ["-keychain slot remove 1", "-keychain slot remove 7"]),
    ("keychain.rekey", ["-keychain rekey --key-file k"]),
    ("keychain.passphrase", ["-keychain passphrase --new-from-file p"]),
    ("keychain.export", ["keychain export copy.sbkc --new-from-file p"]),
    (
      "keychain.import",
      ["keychain check copy.sbkc", "keychain import copy.sbkc --passphrase-file p --existing keep"]
    ),
    ("keychain.autolock", ["keychain autolock 15m", "keychain autolock", "keychain autolock off"]),
    ("keychain.remove", ["keychain remove pear"]),
    ("keychain.lock", ["keychain lock"]),
    ("db.put", [#"db put c 1 {"name":"é"}"#]),
    ("db.get", ["db get c 1", "-db get c 2"]),
    ("db.list", ["db list c", "db list", "db list c --json", "db list c -o csv"]),
    ("db.index", ["db index c a.b", "db index", "db index c a.b --remove", "-db index c"]),
    ("db.export", ["db export all.jsonl", "-db export c.jsonl none"]),
    ("db.import", ["db import all.jsonl --existing keep", "-db import all.jsonl"]),
    ("db.remove", ["db remove c 1"]),
    ("db.preference.set", ["db preference set p 1"]),
    ("db.preference.get", ["db preference get p"]),
    ("db.preference.list", ["db preference list"]),
    ("db.preference.unset", ["db preference unset p"]),
    ("db.stats", ["db stats"]),
    ("db.check", ["db check"]),
    ("db.backup", ["-db backup b.sqlite"]),
    ("db.recover", ["-db recover b.sqlite"]),
    ("db.path", ["db path"]),
    ("log.note", ["log note grüße"]),
    ("log.tail", ["log tail"]),
    ("log.level", ["log level info"]),
    ("log.stats", ["log stats"]),
    ("log.export", ["-log export l.jsonl"]),
    ("log.redact.test", ["log redact test 'Authorization: Bearer x'"]),
    ("log.clear", ["log clear"]),
    (
      "characters.list",
      ["characters list", "characters list --page 2", "-characters list page==9"]
    ),
    ("characters.show", ["characters show 1", "characters show 1 --json", "-characters show 99"]),
    ("characters.search", ["characters search name==rick", "characters search name==nobody"]),
    ("characters.image", ["characters image 1 --out 1.jpeg"]),
    ("characters.refresh", ["characters refresh"]),
    ("characters.recent", ["characters recent", "characters recent --json"]),
    (
      "characters.recent.remove",
      ["characters recent remove name==rick", "-characters recent remove rick"]
    ),
    (
      "media.list",
      [
        "api service add films http://nas.test/api/v3 --preset radarr", "api service test films",
        "media list films", "media list films --json", "-media list nobody",
      ]
    ),
    ("media.show", ["media show films 1", "-media show films 99"]),
    ("media.search", ["media search films dune", "media search films nothing"]),
    (
      "media.add",
      ["-media add films dune", "media add films dune --pick 2 --profile Any"]
    ),
    ("media.monitor", ["media monitor films 1 --off"]),
    ("media.find", ["media find films 1"]),
    ("media.queue", ["media queue films"]),
    ("media.queue.remove", ["-media queue remove films 9", "media queue remove films 1"]),
    ("media.calendar", ["media calendar films --from 2026-01-01 --to 2026-02-28"]),
    ("media.remove", ["media remove films 4", "-media remove films 4"]),
    (
      "downloads.list",
      [
        "api service add sab http://nas.test/sabnzbd --preset sabnzbd", "downloads list sab",
        "downloads list sab --json", "-downloads list films",
      ]
    ),
    ("downloads.history", ["downloads history sab", "downloads history sab --limit 1 --json"]),
    ("downloads.add", ["downloads add sab http://indexer.test/7.nzb"]),
    ("downloads.pause", ["downloads pause sab SABnzbd_nzo_1", "downloads pause sab"]),
    ("downloads.resume", ["downloads resume sab"]),
    ("downloads.remove", ["downloads remove sab SABnzbd_nzo_0", "-downloads remove sab x"]),
    ("analytics.status", ["analytics status", "analytics status --json"]),
    ("analytics.on", ["analytics on"]),
    ("analytics.show", ["log note counted", "analytics show", "analytics show --json"]),
    ("analytics.off", ["analytics off"]),
    ("echo", ["echo a b", "echo kept > out.txt", "echo more >> out.txt"]),
    ("set", ["set x 1"]),
    ("unset", ["unset x"]),
    ("assert", ["assert shell.lastStatus == 0", "-assert shell.lastStatus == 7"]),
    ("state", ["state api", "state shell.running"]),
    ("help", ["help", "help session goto", "session goto --help"]),
    ("alias", ["alias l 'log tail'", "alias", "l -n 3", "-alias l"]),
    ("unalias", ["unalias l"]),
    ("completions", ["completions bash", "-completions tcsh"]),
    ("manual", ["manual"]),
    ("tutorial", ["-tutorial", "-tutorial next", "tutorial stop"]),
    ("doctor", ["doctor", "doctor --json"]),
    ("jobs", ["jobs"]),
    ("wait", ["echo later &", "wait"]),
    ("cancel", ["-cancel 99"]),
    ("effects", ["effects"]),
    ("history", ["history", "history 3 --json"]),
    ("open", ["open swiftboard://db/c", "open swiftboard://db/c > open.txt"]),
    ("watch", ["watch 1ms echo again --count 2", "-watch 1ms db get c 2 --count 2"]),
    ("source", ["source more.sb", "source more.sb > source.txt"]),
    ("session.record", ["-session record other.jsonl"]),
    ("session.status", ["session status"]),
    ("session.mark", ["session mark here"]),
    ("session.timeline", ["session timeline", "session timeline --grep films --json"]),
    ("session.goto", ["session goto 3", "session status", "state shell", "-set x 2"]),
    ("session.undo", ["session undo", "assert shell.lastStatus == 0"]),
    ("session.live", ["session live"]),
    ("session.state", ["session state db", "session state shell --at @here"]),
    ("session.action", ["session action 2"]),
    ("session.diff", ["-session diff 1 9", "-session diff 1 9 --json", "session diff 4 4"]),
    ("session.fork", ["session fork 4 fork.jsonl --file old.jsonl"]),
    (
      "session.verify",
      [
        "session verify old.jsonl", "session verify old.jsonl --format junit",
        "-session verify nothing.jsonl old.jsonl --format tap",
      ]
    ),
    (
      "session.replay",
      [
        "session replay old.jsonl", "session replay old.jsonl --from 2 --until 3 --speed 1000",
        "-session replay old.jsonl --live",
      ]
    ),
    ("session.bisect", ["session bisect old.jsonl --assert 'shell.variables.x != \"1\"'"]),
    ("session.graph", ["session graph old.jsonl", "session graph old.jsonl --causes"]),
    ("session.stats", ["session stats old.jsonl", "session stats old.jsonl --json"]),
    ("session.screenshot", ["session screenshot old.jsonl", "-session screenshot none.jsonl"]),
    ("session.test", ["session test old.jsonl"]),
  ]

  /// Those that end the session.
  private static let endings = [
    (command: "session.stop", line: "session stop"), (command: "exit", line: "exit 0"),
  ]

  @Test("every command has lines") func everyCommandHasLines() {
    let known = Set(Self.lines.map(\.command) + Self.endings.map(\.command))
    let commands = Set(BoardFeatures.all.commands.specs.map { $0.path.joined(separator: ".") })
    #expect(commands.subtracting(known) == [], "a new command needs lines in this test")
    #expect(known.subtracting(commands) == [], "there are lines for what is not a command")
  }

  /// The script of all lines, and a recording that some of them read.
  private static func prepare(_ program: Program, _ lines: [String]) async throws {
    try program.folder.write("echo from a file\n", to: "more.sb")
    let old = try await program.run(
      "--environment", "mock", "--record", "old.jsonl", "-c", "set x 1", "-c", "echo old", "-c",
      "db put c 1 {}")
    try #require(old.status == .exited(0), "\(old.errorText)")
    try program.folder.write(lines.joined(separator: "\n") + "\n", to: "x.sb")
  }

  /// An answer or a failure under `--json`.
  private struct Answer: Decodable {
    var line: Int
    var ok: Bool
    var command: String?
    var ms: Int?
    var code: Int32?
    var error: String?
    var message: String?
  }

  @Test("under --json each answer is a line of JSON, and each failure one on standard error")
  func json() async throws {
    let program = try Program()
    let every: [String] = Self.lines.flatMap { $0.lines }
    let lines = every.filter { !$0.contains("csv") && !$0.contains("reveal") }
    try await Self.prepare(program, lines)
    let run = try await program.run(
      "--environment", "mock", "--json", "--record", "r.jsonl", "--keep-going", "-f", "x.sb")
    #expect(run.status == .exited(0), "\(run.errorText)")
    let answers = try run.outputText.split(separator: "\n").map { line in
      try JSONDecoder().decode(Answer.self, from: Data(line.utf8))
    }
    let odd = answers.filter { !$0.ok || $0.command == nil || $0.ms == nil || $0.code != nil }
    // A streamed value ends with its failure, and the answer "no" has a value.
    let mayFail = odd.map { lines[$0.line - 1] }
    #expect(mayFail.allSatisfy { $0.hasPrefix("-session diff") })
    #expect(answers.count > 150)
    let failures = try run.errorLines.filter { $0.hasPrefix("{") }.map { line in
      try JSONDecoder().decode(Answer.self, from: Data(line.utf8))
    }
    #expect(
      failures.allSatisfy { !$0.ok && $0.code != nil && $0.error != nil && $0.message != nil })
    #expect(failures.count > 20)
    // A line that fails prints nothing on standard output.
    let failed = Set(failures.map(\.line))
    let several = Set(
      lines.indices.filter { lines[$0].hasPrefix("source") || lines[$0].contains("watch") }
        .map { $0 + 1 })
    #expect(answers.allSatisfy { !failed.contains($0.line) || several.contains($0.line) })
  }

  @Test("in a locale without UTF-8 every command prints ASCII, but for the user's own text")
  func ascii() async throws {
    let program = try Program()
    let every: [String] = Self.lines.flatMap { $0.lines }
    let lines = every.map { $0.replacing("é", with: "e").replacing("grüße", with: "greetings") }
    try await Self.prepare(program, lines)
    let run = try await program.run(
      ["--environment", "mock", "--record", "r.jsonl", "--keep-going", "-f", "x.sb"],
      environment: ["LC_ALL": "C", "TERM": "xterm-256color"])
    #expect(run.status == .exited(0), "\(run.errorText)")
    for bytes in [run.output, run.error] {
      #expect(!bytes.contains(0x1B))
      let odd = bytes.split(separator: 0x0A).filter { $0.contains { $0 >= 0x80 } }
      #expect(odd.map { String(decoding: $0, as: UTF8.self) } == [])
    }
  }

  @Test("the transcript of a replay is that of the session", arguments: endings.map(\.line))
  func theTranscriptOfAReplayIsThatOfTheSession(ending: String) async throws {
    let program = try Program()
    try await Self.prepare(program, Self.lines.flatMap(\.lines) + ["nope", ending])
    let first = try await program.run(
      "--environment", "mock", "--record", "r.jsonl", "--keep-going", "-f", "x.sb")
    // The one line that is not understood.
    #expect(first.status == .exited(64), "\(first.errorText)")
    #expect(!first.errorText.contains("internal error"), "\(first.errorText)")
    #expect(try program.text("out.txt") == "kept\nmore\n")
    #expect(try program.text("source.txt") == "from a file\n")

    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    // The files that the lines are about are of no interest to a replay.
    try program.makeFolder("elsewhere")
    let second = try await program.run(["session", "replay", "../r.jsonl"], in: "elsewhere")
    #expect(second.status == .exited(0), "\(second.errorText)")
    let secret = "0123456789abcdef0123456789abcdef"
    #expect(first.outputText.hasPrefix(secret + "name"))
    #expect(!second.outputText.contains(secret))
    #expect(
      second.outputText
        == first.outputText.replacing(secret, with: "[secret:radarr]"))
    #expect(try program.files("elsewhere") == [])
  }
}
