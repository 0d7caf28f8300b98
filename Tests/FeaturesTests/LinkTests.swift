import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import Testing

@Suite("Links")
struct LinkTests {
  @Test(
    "a link with a bad escape is refused at the line",
    arguments: ["%", "%2", "%zz", "%ff", "a%C3", "%0", "x?a=%"])
  func badEscapes(part: String) async {
    let lines = Lines()
    #expect(await lines.run("open swiftboard://db/c/\(part)") == 64)
    #expect(lines.allPrinted.contains("test.sb:1:"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("escape"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("swiftboard://db/c/\(part)"))
  }

  @Test("a document whose id has a blank, a slash or a dash at its front can be linked")
  func documents() async {
    let lines = Lines()
    for id in ["a b", "a/b", "--where", "-1", "é", "%"] {
      #expect(await lines.run("db put c -- '\(id)' 1") == 0)
    }
    for id in ["a%20b", "a%2fb", "--where", "-1", "%C3%A9", "%25"] {
      #expect(await lines.run("open swiftboard://db/c/\(id)") == 0, "\(lines.allPrinted)")
    }
  }

  @Test("a followed link is one value or one failure in JSON")
  func oneValue() async throws {
    var settings = BoardSettings()
    settings.output = .json
    let lines = Lines(settings: settings)
    #expect(await lines.run("open swiftboard://db") == 0)
    #expect(lines.allPrinted.split(separator: "\n").count == 1, "\(lines.allPrinted)")
    #expect(try JSON(parsing: lines.allPrinted)["command"] == "db.stats")
    #expect(await lines.run("open swiftboard://db/c/9") == 66)
    let failure = lines.allPrinted.split(separator: "\n").dropFirst()
    #expect(failure.count == 1 && failure.first?.contains(#""ok":false"#) == true, "\(failure)")
  }

  @Test(
    "the prefix of a line applies to the command of a link",
    arguments: [
      ("! open swiftboard://db/c/9", Int32(0)), ("- open swiftboard://db/c/9", 0),
      ("! open swiftboard://db", 1), ("open swiftboard://db/c/9", 66),
    ])
  func prefixes(line: String, code: Int32) async {
    let lines = Lines()
    #expect(await lines.run(line) == code, "\(lines.allPrinted)")
    #expect(await lines.run("\(line) &") == 0)
    #expect(await lines.run("wait") == code, "\(lines.allPrinted)")
    #expect(await lines.run("\(line) &") == 0)
    #expect(await lines.session.finish(cancelledBy: nil).exitCode == code)
    await lines.board.close()
  }

  @Test("the time of a followed link is that of its command, and printed once")
  func time() async {
    let lines = Lines()
    #expect(await lines.run("time open swiftboard://db/c/9") == 66)
    let rows = lines.allPrinted.split(separator: "\n")
    #expect(rows.count { $0.hasPrefix("time: ") } == 1, "\(rows)")
    #expect(rows.last?.hasPrefix("time: ") == true, "\(rows)")
    await lines.board.close()
  }

  /// Links by the line that each leads to.
  private static let lines = [
    "api": "api service list", "api/sample/character/1": "api get sample/character/1",
    "api/sample/character?page=2": "api get sample/character page==2",
    "keychain": "keychain list", "keychain/list": "keychain list",
    "keychain/status": "keychain status", "db": "db stats", "db/c": "db list c",
    "db/c/1": "db get c 1", "log": "log tail", "log/tail": "log tail",
    "characters": "characters list", "characters?page=2": "characters list page==2",
    "characters/1": "characters show 1",
    "characters/search?name=rick": "characters search name==rick", "media": "help media",
    "media/films": "media list films", "media/films/4": "media show films 4",
    "downloads": "help downloads", "downloads/sab": "downloads list sab",
    "downloads/sab/history": "downloads history sab", "analytics": "analytics status",
    "session": "session status", "session/status": "session status",
  ]

  @Test("every feature has a link of its name alone, and each link leads to a line")
  func links() async throws {
    let features = BoardFeatures.all.names.filter { $0 != "shell" }
    #expect(features.allSatisfy { Self.lines[$0] != nil })
    for (link, line) in Self.lines {
      let words = BoardFeatures.all.words(for: try BoardLink(parsing: "swiftboard://\(link)"))
      #expect(words?.joined(separator: " ") == line, "\(link)")
    }
    let lines = Lines(dependencies: .preview)
    for feature in features {
      #expect(await lines.run("open swiftboard://\(feature)") == 0, "\(lines.allPrinted)")
    }
    await lines.board.close()
  }

  @Test("a link to no feature names those that have links")
  func unknownFeature() async {
    let lines = Lines()
    #expect(await lines.run("open swiftboard://nothing") == 66, "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("no feature answers the link 'swiftboard://nothing'"))
    let hosts = "api, keychain, db, log, characters, media, downloads, analytics, session"
    #expect(lines.allPrinted.contains("\nhelp: features: \(hosts)\n"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test(
    "a link that its feature does not answer names that feature alone",
    arguments: [
      "shell", "log/x", "keychain/x", "db/a/b/c", "db?x=1", "analytics/x", "media/a/b",
      "media?x=1", "downloads/a/b", "characters/x", "characters/show/2", "session/x",
    ])
  func unanswered(link: String) async {
    let feature = link.prefix { $0 != "/" && $0 != "?" }
    let lines = Lines()
    #expect(await lines.run("open swiftboard://\(link)") == 66, "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("'\(feature)' has no link 'swiftboard://\(link)'"))
    #expect(lines.allPrinted.contains("'help \(feature)' lists the commands"))
    #expect(
      lines.allPrinted.contains("'open swiftboard://\(feature)' is one") == (feature != "shell"))
    #expect(!lines.allPrinted.contains("features:"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("a link gives no option and reads no file")
  func linksAreData() async {
    let lines = Lines()
    lines.world.api.answer("GET", prefix: "http://rm.test", with: .json("[]"))
    #expect(await lines.run("api service add rm http://rm.test") == 0)
    for part in ["c?--out=f", "c?a@/etc/passwd", "c?%40x=1", "c?a%3D=b%26c", "c?X:y=1", "c?a"] {
      #expect(await lines.run("open swiftboard://api/rm/\(part)") == 0, "\(lines.allPrinted)")
    }
    #expect(
      lines.world.api.requests.map(\.url) == [
        "http://rm.test/c?--out=f", "http://rm.test/c?a%40%2Fetc%2Fpasswd=",
        "http://rm.test/c?%40x=1", "http://rm.test/c?a%3D=b%26c", "http://rm.test/c?X%3Ay=1",
        "http://rm.test/c?a=",
      ])
    #expect(lines.world.api.requests.allSatisfy { $0.body == nil })
    #expect(lines.world.files.files.isEmpty)
  }
}
