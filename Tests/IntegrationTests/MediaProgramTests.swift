import SwiftBoardTestSupport
import Testing

/// The features `media` and `downloads` of the built program, against programs that answer.
@Suite(.timeLimit(.minutes(20)))
struct MediaProgramTests {
  private static func lines(_ origin: String) -> [String] {
    [
      "keychain init",
      "keychain set films --from-file key",
      "api service add films \(origin)/radarr/api/v3 --preset radarr",
      "api service test films",
      "media list films",
      "media search films dune",
      "media add films tmdb:201 --profile HD-1080p --find",
      "media monitor films 2",
      "-media add films tmdb:201 --profile HD-1080p",
      "open swiftboard://media/films/4",
      "media find films 4",
      "media queue films",
      "media calendar films --from 2026-01-01 --to 2026-01-31 -o csv",
      "media remove films 1",
      "keychain set sab --from-file sabkey",
      "api service add sab \(origin)/sabnzbd --preset sabnzbd",
      "downloads list sab",
      "downloads add sab http://indexer.test/7.nzb --name Arrival",
      "downloads pause sab SABnzbd_nzo_0",
      "downloads pause sab",
      "downloads list sab --json",
      "downloads resume sab",
      "downloads remove sab SABnzbd_nzo_0",
      "downloads history sab",
    ]
  }

  /// The key file of a new keychain: 32 bytes, which need no derivation.
  private static let key: [UInt8] = Array(0x60...0x7F)

  /// A program with a keychain, and the keys in files.
  private static func program() throws -> Program {
    let program = try Program.withKeychain()
    for (name, key) in [("key", "radarr-key"), ("sabkey", "sab-key"), ("other", "nonsense-key")] {
      try program.folder.write(key + "\n", to: name)
    }
    return program
  }

  private static func run(
    _ program: Program, _ arguments: [String]
  ) async throws -> ChildProcess.Outcome {
    try await program.run(
      arguments, environment: ["SWIFTBOARD_PASSPHRASE_FILE": program.folder.path("pass")])
  }

  @Test("a session is recorded, verified, replayed to the same bytes, and replayed live")
  func session() async throws {
    let programs = try ProgramServer()
    let program = try Program()
    for (name, text) in [("key", "radarr-key"), ("sabkey", "sab-key")] {
      try program.folder.write(text + "\n", to: name)
    }
    try program.folder.write(Self.key, to: "unlock")
    let unlock = ["SWIFTBOARD_KEY_FILE": program.folder.path("unlock")] as [String: String?]
    let first = try await program.run(
      ["--home", "h", "--record", "r.jsonl"] + Self.lines(programs.origin).flatMap { ["-c", $0] },
      environment: unlock)
    #expect(first.status == .exited(0), "\(first.errorText)")
    #expect(first.outputText.contains("films is Radarr 5.2.6.8376, and answered in "))
    #expect(
      first.errorText.contains("added Dune (1971) as 4: HD-1080p, /media"), "\(first.errorText)")
    #expect(first.errorText.contains("error: Radarr has it already"))
    #expect(first.outputText.contains("2026-01-05,digital,Mirror,,\r\n"))
    #expect(
      first.errorText.contains("3 downloads, paused")
        || first.outputText.contains(#""paused":true"#))
    #expect(first.outputText.contains("Failed: Out of retention"))

    // What the line did not name is as it was looked up, and what was changed as it was.
    let added = try #require(programs.item("radarr", 4))
    #expect(added["images"] == [["coverType": "poster", "url": "/201.jpg"]])
    #expect(added["qualityProfileId"] == 4 && added["rootFolderPath"] == "/media")
    #expect(added["addOptions"] == ["searchForMovie": true])
    let changed = try #require(programs.item("radarr", 2))
    #expect(changed["monitored"] == true && changed["overview"] == "a line")
    #expect(changed["ratings"] == ["imdb": ["value": 7.9]])

    let text = try program.text("r.jsonl")
    for key in ["radarr-key", "sab-key"] { #expect(!text.contains(key)) }
    // A fresh peer, and a fresh home.
    programs.reset()
    let live = try await program.run(
      ["session", "replay", "r.jsonl", "--live"], environment: unlock)
    #expect(live.status == .exited(0), "\(live.outputText)\(live.errorText)")
    programs.stop()
    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    let second = try await program.run("--no-input", "session", "replay", "r.jsonl")
    #expect(second.status == .exited(0), "\(second.errorText)")
    #expect(second.output == first.output)

    let bisected = try await program.run(
      "session", "bisect", "r.jsonl", "--assert", #"media.item.title != "Dune""#)
    #expect(bisected.status == .exited(0), "\(bisected.errorText)")
    #expect(bisected.outputText.contains("media"), "\(bisected.outputText)")
  }

  @Test("a wrong key, a wrong program and a wrong path have messages and codes of their own")
  func wrong() async throws {
    let programs = try ProgramServer()
    let program = try Self.program()
    let origin = programs.origin
    let setUp = [
      "keychain set films --from-file key", "keychain set other --from-file other",
      "api service add wrongkey \(origin)/radarr/api/v3 --preset radarr --secret other",
      "api service add wrongprogram \(origin)/sonarr/api/v3 --preset radarr --secret films",
      "api service add wrongpath \(origin)/radarr --preset radarr --secret films",
      "api service add nothing http://127.0.0.1:1/radarr/api/v3 --preset radarr --secret films",
      "api service add rm \(origin)/api --preset rick-and-morty",
      "api service add norm \(origin)/radarr --preset rick-and-morty",
      "api service test rm",
    ]
    let first = try await Self.run(program, ["--home", "h"] + setUp.flatMap { ["-c", $0] })
    #expect(first.status == .exited(0), "\(first.errorText)")
    #expect(first.outputText.contains("rm is the Rick and Morty API, and answered in "))
    for (name, code, message) in [
      ("wrongkey", 77, "Radarr refuses the key of the service 'wrongkey', the secret 'other'"),
      ("wrongpath", 66, "the server answers, but Radarr's API is not at \(origin)/radarr"),
      ("nothing", 69, "127.0.0.1:1"),
      ("norm", 76, "not the Rick and Morty API"),
    ] {
      let test = try await Self.run(program, ["--home", "h", "api", "service", "test", name])
      #expect(test.status == .exited(Int32(code)), "\(name): \(test.errorText)")
      #expect(test.errorText.contains(message), "\(test.errorText)")
      #expect(test.errorText.contains("help: "))
    }
    // The other program has a key of its own, which refuses this one.
    let other = [
      "keychain set sonarr --from-file sonarrkey",
      "api service add sonarr \(origin)/sonarr/api/v3 --preset radarr",
      "api service test sonarr",
    ]
    try program.folder.write("sonarr-key", to: "sonarrkey")
    let wrong = try await Self.run(program, ["--home", "h"] + other.flatMap { ["-c", $0] })
    #expect(wrong.status == .exited(76), "\(wrong.errorText)")
    #expect(wrong.errorText.contains("Sonarr answers at \(origin)/sonarr/api/v3, not Radarr"))
    #expect(
      wrong.errorText.contains("help: 'api service remove sonarr', and add it with --preset sonarr")
    )
  }

  @Test("every preset at every other program has a message for it, with pages and without")
  func strangers() async throws {
    let titles = ["Radarr", "Sonarr", "Lidarr", "SABnzbd", "NZBGet"]
    let presets = titles.map { $0.lowercased() } + ["rick-and-morty"]
    for isPlain in [false, true] {
      let programs = try ProgramServer(isPlain: isPlain)
      let program = try Self.program()
      var setUp = ["keychain set key --from-file other"]
      var expected: [String] = []
      for preset in presets {
        for title in titles where title.lowercased() != preset {
          let (name, address) = (title.lowercased(), "\(programs.origin)/\(title.lowercased())")
          let secret = preset == "rick-and-morty" ? "" : " --secret key"
          setUp += [
            "api service add \(preset)-\(name) \(address) --preset \(preset)\(secret)",
            "-api service test \(preset)-\(name)",
          ]
          let isKin = titles.prefix(3).contains(title)
          if isPlain, isKin, presets.prefix(3).contains(preset) {
            expected.append("what answers at \(address) refuses the key")
          } else {
            let found = isPlain && isKin ? "something else" : title
            expected.append("\(found) answers at \(address)")
          }
        }
      }
      let run = try await Self.run(program, ["--home", "h"] + setUp.flatMap { ["-c", $0] })
      let errors = run.errorText.split(separator: "\n").filter { $0.contains("error: ") }
      #expect(errors.count == expected.count, "\(run.errorText)")
      for (error, expected) in zip(errors, expected) {
        #expect(error.contains(expected), "\(isPlain): \(error)")
      }
      #expect(!run.errorText.contains("nonsense-key"))
    }
  }

  @Test("a terminal asks where there are several, and an interrupt adds nothing")
  func terminal() async throws {
    let program = try Program()
    let terminal = try program.startOnTerminal("--environment", "preview", "--ascii", "--no-init")
    #expect(await terminal.waitForOutput("> "))
    terminal.type("media add films dune\r")
    #expect(await terminal.waitForOutput("  2  Dune (2021)\r\nwhich item? 1-2: "))
    terminal.type("7\r")
    #expect(
      await terminal.waitForOutput(
        "1-2: 7\r\n'7' is not one of them; Ctrl-C ends the question\r\nwhich item? 1-2: "))
    terminal.type("2\r")
    #expect(await terminal.waitForOutput("which quality profile? 1-2: "))
    terminal.type("hd-1080p\r")
    #expect(await terminal.waitForOutput("added Dune (2021) as 4: HD-1080p, /media\r\n"))
    terminal.type("media add films arrival\r")
    #expect(await terminal.waitForOutput("which quality profile? 1-2: ", count: 2))
    terminal.type("\u{3}")
    #expect(await terminal.waitForOutput("error: interrupted"), "\(terminal.outputText)")
    terminal.type("media show films 5\r")
    #expect(await terminal.waitForOutput("Radarr has no item with the ID 5"))
    terminal.type("exit\r")
    #expect(await terminal.wait() == .exited(0), "\(terminal.outputText)")
  }

  @Test("the preview and the mock have programs without a network")
  func preview() async throws {
    let program = try Program()
    for environment in ["preview", "mock"] {
      let run = try await program.run(
        "--environment", environment, "-c", "api service add f http://nas.test --preset radarr",
        "-c", "media list f", "-c", "api service add g http://nas.test --preset nzbget", "-c",
        "watch 1ms downloads list g --count 2", "-c", "api service test f")
      #expect(run.status == .exited(0), "\(run.errorText)")
      #expect(run.outputText.contains("Blade Runner") && run.outputText.contains("Solaris.1080p"))
      #expect(try program.files("home") == [])
    }
  }
}
