import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardCommandLine

@Suite struct ShellCandidatesTests {
  private func answer(_ words: String..., environment: [String: String] = [:]) async -> [String] {
    // The default would decide a test on a busy machine.
    let environment = environment.merging(["SWIFTBOARD_COMPLETION_TIMEOUT": "1h"]) { own, _ in own }
    let candidates = ShellCandidates(features: BoardFeatures.all, environment: environment) {
      environment, _, _ in environment == .preview ? .preview : .mock
    }
    return await candidates.answer(["--"] + words).split(separator: "\n").map(String.init)
  }

  @Test("words and options have summaries")
  func summaries() async {
    #expect(await answer("keych") == ["keychain\tsecrets in an encrypted file"])
    #expect(await answer("db", "prefe").first?.hasPrefix("preference") == true)
    #expect(
      await answer("--vers") == ["--version\tshow the versions of the program and its libraries"])
    #expect(await answer("db", "list", "--lim").first?.hasPrefix("--limit\t") == true)
  }

  @Test("live values are those of the services of the run")
  func values() async {
    let preview = "--environment=preview"
    let services = await answer(preview, "api", "get", "")
    #expect(!services.isEmpty && services.allSatisfy { $0.hasSuffix("/") }, "\(services)")
    let shown = await answer(preview, "api", "service", "show", "")
    #expect(shown == services.map { String($0.dropLast()) })
    #expect(!(await answer(preview, "db", "list", "")).isEmpty)
    for command in ["get", "set", "unset"] {
      #expect(await answer(preview, "db", "preference", command, "g") == ["greeting"])
    }
    #expect(await answer("db", "list", "") == [])
    #expect(
      await answer("db", "list", "", environment: ["SWIFTBOARD_ENVIRONMENT": "preview"]) != [])
    // Nothing is unlocked: the secrets' names are those that services have.
    #expect(await answer(preview, "keychain", "get", "s") == ["sabnzbd", "sonarr"])
    #expect(await answer(preview, "keychain", "rename", "so") == ["sonarr"])
    #expect(await answer(preview, "keychain", "get", "none") == [])
    #expect(
      await answer(preview, "api", "get", "films/", "X-Key:{{secret:son")
        == ["X-Key:{{secret:sonarr}}"])
    #expect(
      await answer(preview, "api", "service", "add", "x", "http://h", "--secret", "rad")
        == ["radarr"])
    #expect(await answer("state", "sh") == ["shell"])
  }

  @Test("without values, words and options remain, and no service is made")
  func withoutValues() async {
    let candidates = ShellCandidates(
      features: BoardFeatures.all, environment: [:], hasValues: false
    ) { _, _, _ in
      Issue.record("services are made")
      return .mock
    }
    #expect(await candidates.answer(["--", "keych"]) == "keychain\tsecrets in an encrypted file\n")
    #expect(await candidates.answer(["--", "db", "list", ""]) == "")
  }

  @Test("commands of a program have the services with its preset")
  func programs() async {
    let preview = "--environment=preview"
    #expect(await answer(preview, "media", "list", "") == ["films"])
    #expect(await answer(preview, "downloads", "list", "") == ["sab"])
    #expect(await answer(preview, "api", "service", "show", "").contains("sample"))
  }

  @Test("an environment is one of the program")
  func environments() async {
    #expect(await answer("--environment", "") == ["live", "mock", "preview"])
    #expect(await answer("--environment=p") == ["--environment=preview"])
    #expect(await answer("--seed", "x", "--environment", "m") == ["mock"])
  }

  /// A board with the completion of its prompt.
  private func attached(
    userHome: String = "/none"
  ) -> (World, Lines, BoardCompletion) {
    let world = World()
    let completion = BoardCompletion(limit: .seconds(3600))
    let lines = Lines(world)
    completion.attach(to: lines.board, world.dependencies, userHome: userHome)
    return (world, lines, completion)
  }

  @Test("at the prompt the names of an open keychain are known, whatever has opened it")
  func openKeychain() async {
    let (world, lines, completion) = attached()
    let request = CompletionRequest(id: 1, text: "api get http://h/ X:{{secret:ra")
    // It is open, as after a request, and no command of the keychain has run.
    let texts = await completion.answer(request)?.candidates.map(\.text)
    #expect(texts == ["X:{{secret:radarr}}"])
    await world.keychain.lock()
    #expect(await completion.answer(request)?.candidates.map(\.text) == [])
    await lines.board.close()
  }

  @Test("a name that has become a secret is not offered")
  func knownSecret() async {
    let (world, lines, completion) = attached()
    for name in ["plain1", "plain2"] { #expect(await lines.run("set \(name) 1") == 0) }
    let request = CompletionRequest(id: 1, text: "unset pl")
    #expect(await completion.answer(request)?.candidates.map(\.text) == ["plain1", "plain2"])
    world.logger.redactor.registerSecret(Array("plain2".utf8), name: "n")
    #expect(await completion.answer(request)?.candidates.map(\.text) == ["plain1"])
    await lines.board.close()
  }

  @Test("names of files behind ~/ are those in the user's home")
  func userHome() async throws {
    let folder = try TemporaryFolder()
    try FileSystem().makeFolder(folder.path("my folder"))
    for name in ["my folder/inner", "myfile"] { try folder.write("x", to: name) }
    let (_, lines, completion) = attached(userHome: folder.path)
    for (text, expected) in [
      ("source ~/my", ["~/'my folder/", "~/myfile"]), ("echo a >~/myf", ["~/myfile"]),
      ("source ~/'my folder/", ["~/'my folder/inner'"]), ("source '~/my", []),
      ("db put c 1 @~/myf", ["@~/myfile"]), ("api get u --out=~/myf", ["--out=~/myfile"]),
    ] {
      let answer = await completion.answer(CompletionRequest(id: 1, text: text))
      #expect(answer?.candidates.map(\.text) == expected, "\(text)")
    }
    await lines.board.close()
  }

  @Test("links, the names of query items, and the command of watch are completed")
  func links() async {
    #expect(
      await answer("open", "swiftboard://a") == ["swiftboard://api/", "swiftboard://analytics/"])
    #expect(await answer("open", "swiftboard://s") == ["swiftboard://session/"])
    #expect(await answer("open", "").count > 5)
    #expect(await answer("characters", "search", "na") == ["name=="])
    #expect(await answer("characters", "list", "") == ["page=="])
    #expect(
      await answer("watch", "1s", "keych") == ["keychain\tsecrets in an encrypted file"])
    #expect(
      await answer("watch", "1s", "db", "list", "--lim").first?.hasPrefix("--limit\t") == true)
  }

  @Test("the shell lists files and folders itself")
  func files() async {
    #expect(await answer("session", "verify", "") == ["\tfiles"])
    #expect(await answer("--home", "") == ["\tfolders"])
  }

  @Test("what cannot be completed, or has wrong options, has no answer")
  func nothing() async {
    #expect(await answer("-c", "x") == [])
    #expect(await answer("--home", "", "db", "list", "") == [])
    #expect(await answer("--seed", "x", "api", "get", "") == [])
    #expect(await answer() != [])
  }
}
