import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
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
  func links() async {
    let lines = Lines()
    for id in ["a b", "a/b", "--where", "-1", "é", "%"] {
      #expect(await lines.run("db put c -- '\(id)' 1") == 0)
    }
    for id in ["a%20b", "a%2fb", "--where", "-1", "%C3%A9", "%25"] {
      #expect(await lines.run("open swiftboard://db/c/\(id)") == 0, "\(lines.allPrinted)")
    }
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
