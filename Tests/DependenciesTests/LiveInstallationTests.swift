import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardDependencies

@Suite("what doctor finds")
struct LiveInstallationTests {
  private func findings(
    _ folder: TemporaryFolder, _ variables: [String: String] = [:], isDatabaseOpen: Bool = false
  ) -> [String: InstallationFinding] {
    let installation = LiveInstallation(
      paths: BoardPaths(home: folder.path("home"), environment: [:]), variables: variables,
      isDatabaseOpen: isDatabaseOpen)
    return Dictionary(
      installation.findings().map { ($0.subject, $0) }, uniquingKeysWith: { first, _ in first })
  }

  @Test("a home that does not exist yet is no problem, and stays so")
  func fresh() throws {
    let folder = try TemporaryFolder()
    let found = findings(folder)
    #expect(found.values.allSatisfy { $0.state != .problem }, "\(found)")
    #expect(found["keychain"]?.state == .note)
    #expect(found["keychain"]?.remedy == .createKeychain)
    #expect(found["database"]?.text.hasSuffix("main.sqlite, not there yet") == true)
    #expect(FileInfo(folder.path("home")) == nil)
  }

  @Test("a file in place of a folder is a problem of all that would be below it")
  func fileInPlaceOfFolder() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "home")
    let found = findings(folder)
    for subject in ["configuration", "database", "cache", "log", "history", "keychain"] {
      #expect(found[subject]?.state == .problem, "\(subject)")
      let text = found[subject]?.text ?? ""
      #expect(
        text.hasSuffix(" cannot be made: '\(folder.path("home"))' is a file, not a folder"),
        "\(text)")
    }
    #expect(found["disk"]?.text.hasSuffix(" MiB free at \(folder.path)") == true)
  }

  @Test("files that others may read or change are problems, with what mends them")
  func modes() throws {
    let folder = try TemporaryFolder()
    try FileSystem().makeFolder(folder.path("home"))
    for (name, mode, subject, isProblem) in [
      ("keychain.sbkc", 0o644, "keychain", true), ("main.sqlite", 0o600, "database", false),
      ("config.json", 0o644, "configuration", false), ("init.sb", 0o666, "init script", true),
    ] as [(String, UInt32, String, Bool)] {
      let path = folder.path("home/" + name)
      let file = try FileSystem().open(path, O_CREAT | O_WRONLY)
      try FileSystem().changeMode(file, to: mode)
      let finding = findings(folder)[subject]
      #expect((finding?.state == .problem) == isProblem, "\(name)")
      #expect(
        finding?.remedy == (isProblem ? .changeMode(path: path, mode: 0o600) : nil), "\(name)")
    }
  }

  @Test("files that are no databases and no keychain are problems")
  func contents() throws {
    let folder = try TemporaryFolder()
    try FileSystem().makeFolder(folder.path("home"))
    for (name, subject) in [("main.sqlite", "database"), ("keychain.sbkc", "keychain")] {
      try folder.write(Array("random bytes, more than sixteen".utf8), to: "home/" + name)
      _ = chmod(folder.path("home/" + name), 0o600)
      let finding = findings(folder)[subject]
      #expect(finding?.state == .problem, "\(name)")
      #expect(finding?.text.hasSuffix(" is not a \(subject)") == true, "\(name)")
      // What is read again here and closed loses the locks that SQLite has on it.
      let open = findings(folder, isDatabaseOpen: true)[subject]
      #expect((open?.state == .problem) == (subject == "keychain"), "\(name)")
      // SQLite creates its file before it writes to it.
      try folder.write([], to: "home/" + name)
      #expect((findings(folder)[subject]?.state == .problem) == (subject == "keychain"), "\(name)")
    }
  }

  @Test("variables are named without their values")
  func variables() throws {
    let found = findings(
      try TemporaryFolder(),
      ["SWIFTBOARD_PASSPHRASE_FILE": "/a/b", "OTHER": "x", "LANG": "C", "LC_ALL": "C.UTF-8"])
    #expect(found["variables"]?.text == "SWIFTBOARD_PASSPHRASE_FILE")
    #expect(found["locale"]?.text == "C.UTF-8")
  }
}
