import SwiftBoardTestSupport
import Testing

/// A database of which something can no longer be read.
@Suite(.timeLimit(.minutes(20)))
struct DamagedDatabaseTests {
  private static func program() async throws -> (Program, path: String) {
    let program = try Program()
    let run = try await program.run(
      "--home", "h", "-c", "db put c 1 {\"w\":\"sound\"}", "-c",
      "db put c 2 {\"w\":\"perishable\"}",
      "-c", "db put c 3 {\"w\":\"firm\"}", "-c", "db path")
    try #require(run.status == .exited(0), "\(run.errorText)")
    let path = try #require(run.outputText.split(separator: "\n").first { $0.contains("main") })
    let name = try #require(path.split(separator: "/").last)
    var bytes = try program.folder.read("h/\(name)")
    let place = try #require(bytes.firstRange(of: Array("perishable".utf8)))
    bytes[place.lowerBound] ^= 1
    try program.folder.write(bytes, to: "h/\(name)")
    return (program, "h/\(name)")
  }

  @Test("a list shows the documents beside a damaged one, and ends with its name and 65")
  func list() async throws {
    let (program, _) = try await Self.program()
    for format in ["plain", "json"] {
      let run = try await program.run("--home", "h", "-o", format, "-c", "db list c")
      #expect(run.status == .exited(65))
      #expect(run.outputText.contains("sound") && run.outputText.contains("firm"))
      #expect(!run.outputText.contains("erishable"))
      #expect((run.outputText + run.errorText).contains("c/2"), "\(run.errorText)")
    }
    // It is not read where it is not shown, and heals.
    let healed = try await program.run(
      "--home", "h", "-c", "db get c 3", "-c", "db put c 2 2", "-c", "db list c", "-c", "db check")
    #expect(healed.status == .exited(0), "\(healed.errorText)")
  }

  @Test("a damaged database is recovered to a new one, which can take its place")
  func recover() async throws {
    let (program, path) = try await Self.program()
    let check = try await program.run("--home", "h", "-c", "db check")
    #expect(check.status == .exited(65))
    #expect(check.errorText.contains("document c/2 is damaged"))
    #expect(check.errorText.contains("'db recover'"))
    let backup = try await program.run("--home", "h", "-c", "db backup copy.sqlite")
    #expect(backup.status == .exited(65))
    #expect(backup.errorText.contains("copy.sqlite was written"))
    let recovered = try await program.run("--home", "h", "-c", "db recover new.sqlite")
    // The new one has the damaged document, too.
    #expect(recovered.status == .exited(65), "\(recovered.errorText)")
    #expect(recovered.errorText.contains("recovered 3 documents, 0 preferences, 0 services"))
    #expect(recovered.errorText.contains("damaged entries: document c/2 is damaged"))
    #expect(
      try await program.run("--home", "h", "-c", "db recover new.sqlite").status == .exited(73))
    try program.folder.write(program.folder.read("new.sqlite"), to: path)
    let last = try await program.run("--home", "h", "-c", "db get c 1", "-c", "db remove c 2")
    #expect(last.status == .exited(0), "\(last.errorText)")
    #expect(last.outputText.contains("sound"))
  }
}
