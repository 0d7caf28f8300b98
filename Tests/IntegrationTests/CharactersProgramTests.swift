import SwiftBoardTestSupport
import Testing

/// The feature `characters` of the built program, against a server that answers.
@Suite(.timeLimit(.minutes(20)))
struct CharactersProgramTests {
  private static func lines(_ origin: String) -> [String] {
    [
      "api service add rick-and-morty \(origin)/api",
      "characters list",
      "characters list --page 2 -o csv",
      "characters search name==smith gender==female",
      "characters search name==nobody",
      "characters recent remove name==nobody",
      "characters recent -o plain",
      "-characters show 99999",
      "open swiftboard://characters/1",
      "characters refresh --json",
      "characters show 2",
    ]
  }

  @Test("a session is recorded, verified, replayed to the same bytes, and replayed live")
  func session() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let first = try await program.run(
      ["--home", "h", "--record", "r.jsonl"] + Self.lines(server.origin).flatMap { ["-c", $0] })
    #expect(first.status == .exited(0), "\(first.errorText)")
    #expect(first.outputText.contains("Rick Sanchez"))
    #expect(first.outputText.contains("21,Passer-by 21,Alive,Alien,Female\r\n"))
    #expect(first.outputText.contains("\tname==smith gender==female\n"))
    #expect(!first.outputText.contains("name==nobody"))
    #expect(first.errorText.contains("page 1 of 2  40 characters  MISS"))
    #expect(first.errorText.contains("no character matches name==nobody"))
    #expect(first.errorText.contains("there is no character 99999"))

    let live = try await program.run("session", "replay", "r.jsonl", "--live")
    #expect(live.status == .exited(0), "\(live.outputText)\(live.errorText)")
    server.stop()

    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    let second = try await program.run("--no-input", "session", "replay", "r.jsonl")
    #expect(second.status == .exited(0), "\(second.errorText)")
    #expect(second.output == first.output)

    // The state is worth a question: since when is this character shown?
    for relation in ["!=", "=="] {
      let bisected = try await program.run(
        "session", "bisect", "r.jsonl", "--linear", "--assert",
        "characters.detail.item.name \(relation) \"Morty Smith\"")
      #expect(bisected.status == .exited(0), "\(bisected.errorText)")
      #expect(bisected.outputText.contains("characters"), "\(bisected.outputText)")
      #expect(bisected.outputText.contains("Morty Smith"), "\(bisected.outputText)")
    }
  }

  @Test("in the middle of a search, the state says what is searched for and that it is waited for")
  func middleOfASearch() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let first = try await program.run(
      "--home", "h", "--record", "r.jsonl", "-c",
      "api service add rick-and-morty \(server.origin)/api", "-c", "characters search name==smith",
      "-c", "session goto 5", "-c", "state characters.search.filter.name", "-c",
      "assert characters.search.status.loading.job == 2", "-c",
      "assert characters.pending[0].job == 2",
      "-c", "assert characters.recent == []", "-c", "session live", "-c",
      "assert characters.search.status.shown exists")
    #expect(first.status == .exited(0), "\(first.errorText)")
    #expect(
      first.outputText.contains("characters.search.load"), "\(first.outputText)\(first.errorText)")
    #expect(first.outputText.hasSuffix("\"smith\"\n"), "\(first.outputText)")
  }

  @Test("what was seen is there without the service, and is said to be kept")
  func withoutService() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let service = "api service add rick-and-morty \(server.origin)/api"
    let first = try await program.run(
      "--home", "h", "-c", service, "-c", "characters show 2", "-c", "characters list")
    #expect(first.status == .exited(0), "\(first.errorText)")
    server.stop()
    let kept = try await program.run(
      "--home", "h", "characters", "show", "2", "--cache", "remoteFirst")
    #expect(kept.status == .exited(0) && kept.outputText.contains("Morty Smith"))
    #expect(
      kept.errorText.contains("warning: this is a kept answer; the service did not confirm it: "),
      "\(kept.errorText)")
    let offline = try await program.run("--home", "h", "--offline", "characters", "list")
    #expect(offline.status == .exited(0) && offline.outputText.contains("Morty Smith"))
    let none = try await program.run("--home", "h", "characters", "show", "3")
    #expect(none.status == .exited(69), "\(none.errorText)")
  }

  @Test("the query of the service's address is behind the path, as in requests of api")
  func queryOfTheAddress() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let run = try await program.run(
      "--home", "h", "-c", "api service add rick-and-morty '\(server.origin)/api?x=1'", "-c",
      "characters show 2", "-c", "characters list --page 2", "-c",
      "characters search name==smith", "-c", "api get rick-and-morty/character/2 y==3")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(
      server.requests.map(\.target) == [
        "/api/character/2?x=1", "/api/character?x=1&page=2", "/api/character?x=1&page=1&name=smith",
        "/api/character/2?x=1&y=3",
      ])
  }

  @Test("the preview and the mock have characters without a network")
  func preview() async throws {
    let program = try Program()
    for environment in ["preview", "mock"] {
      let run = try await program.run(
        "--environment", environment, "-c", "characters list", "-c", "characters show 1", "-c",
        "characters search name==rick")
      #expect(run.status == .exited(0), "\(run.errorText)")
      #expect(run.outputText.contains("Adjudicator Rick"))
      #expect(try program.files("home") == [])
    }
  }
}
