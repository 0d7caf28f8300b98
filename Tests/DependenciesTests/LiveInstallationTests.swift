import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardDependencies

@Suite("what doctor finds")
struct LiveInstallationTests {
  private func findings(
    _ folder: TemporaryFolder, _ variables: [String: String] = [:],
    configuration: String? = nil
  ) -> [String: InstallationFinding] {
    var paths = BoardPaths(home: folder.path("home"), environment: [:])
    if let configuration { paths.configuration = configuration }
    let installation = LiveInstallation(
      paths: paths, variables: variables, unlockSources: UnlockSources(environment: variables))
    return Dictionary(
      installation.findings().map { ($0.subject, $0) }, uniquingKeysWith: { first, _ in first })
  }

  @Test("of libcurl's libraries, those for TLS and HTTP/2 are named")
  func brief() {
    let version =
      "libcurl/7.88.1 OpenSSL/3.0.19 zlib/1.2.13 libpsl/0.21.2 (+libidn2/2.3.3) nghttp2/1.52.0 librtmp/2.3"
    #expect(LiveInstallation.brief(version) == "libcurl/7.88.1 OpenSSL/3.0.19 nghttp2/1.52.0")
    #expect(LiveInstallation.brief("libcurl/8.0") == "libcurl/8.0")
    #expect(LiveInstallation.brief("") == "")
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
    for subject in [
      "configuration", "database", "cache", "log", "analytics", "history", "keychain",
    ] {
      #expect(found[subject]?.state == .problem, "\(subject)")
      let text = found[subject]?.text ?? ""
      #expect(
        text.hasSuffix(" cannot be reached: '\(folder.path("home"))' is a file, not a folder"),
        "\(text)")
    }
    #expect(found["disk"]?.text.hasSuffix(" MiB free at \(folder.path)") == true)
  }

  @Test("a home that leads nowhere is a problem of all that would be in it")
  func unreachable() throws {
    for (target, reason) in [
      ("nowhere/home", "is a symbolic link that leads nowhere"),
      ("home", "cannot be examined: \(SystemError.text(of: ELOOP))"),
    ] {
      let folder = try TemporaryFolder()
      try #require(symlink(target, folder.path("home")) == 0)
      let found = findings(folder)
      for subject in [
        "configuration", "init script", "database", "cache", "log", "analytics", "history",
        "recordings", "keychain",
      ] {
        // Requests work without a cache.
        #expect(found[subject]?.state == (subject == "cache" ? .note : .problem), "\(subject)")
        let text = found[subject]?.text ?? ""
        #expect(
          text.hasSuffix(" cannot be reached: '\(folder.path("home"))' \(reason)"), "\(text)")
        #expect(found[subject]?.remedy != nil, "\(subject)")
      }
    }
  }

  @Test(
    "a folder that its owner has closed can be opened again",
    .enabled(if: geteuid() != 0, "root may enter every folder"))
  func closedHome() throws {
    let folder = try TemporaryFolder()
    let home = folder.path("home")
    try FileSystem().makeFolder(home)
    chmod(home, 0)
    defer { chmod(home, 0o700) }
    let found = findings(folder)
    for subject in ["database", "cache", "keychain"] {
      #expect(found[subject]?.remedy == .changeMode(path: home, mode: 0o700), "\(subject)")
    }
  }

  @Test("a file that others may use is a problem, and its content is another one")
  func modeAndContent() throws {
    let folder = try TemporaryFolder()
    try FileSystem().makeFolder(folder.path("home"))
    let paths = BoardPaths(home: folder.path("home"), environment: [:])
    for (path, subject) in [(paths.mainDatabase, "database"), (paths.keychain, "keychain")] {
      try DatabaseFolder.write(Array("random bytes, more than sixteen".utf8), to: path)
      _ = chmod(path, 0o644)
      let found = LiveInstallation(
        paths: paths, variables: [:], unlockSources: UnlockSources(environment: [:])
      ).findings().filter { $0.subject == subject }
      #expect(found.map(\.state) == [.problem, .problem], "\(found)")
      #expect(found.first?.remedy == .changeMode(path: path, mode: 0o600))
      #expect(found.last?.text.contains(" is not a \(subject)") == true, "\(found)")
    }
  }

  @Test("files that others may read or change are problems, with what mends them")
  func modes() throws {
    let folder = try TemporaryFolder()
    try FileSystem().makeFolder(folder.path("home"))
    for (name, mode, subject, isProblem) in [
      ("main.sqlite", 0o644, "database", true), ("log.jsonl", 0o600, "log", false),
      ("keychain.sbkc", 0o644, "keychain", true),
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
      #expect(finding?.text.contains(" is not a \(subject)") == true, "\(name)")
      #expect(finding?.remedy != nil, "\(name)")
      try folder.write([], to: "home/" + name)
      #expect(findings(folder)[subject]?.state == .problem, "\(name)")
    }
  }

  @Test("a keychain beside a database that cannot be read may be an older one, which is said")
  func keychainWithoutDatabase() throws {
    let folder = try TemporaryFolder()
    try FileSystem().makeFolder(folder.path("home"))
    try folder.write(try Self.keychain("ok_passphrase"), to: "home/keychain.sbkc")
    _ = chmod(folder.path("home/keychain.sbkc"), 0o600)
    #expect(findings(folder)["keychain"]?.state == .good)
    try folder.write(Array("random bytes, more than sixteen".utf8), to: "home/main.sqlite")
    _ = chmod(folder.path("home/main.sqlite"), 0o600)
    let found = findings(folder)["keychain"]
    #expect(
      found?.state == .note && found?.text.contains("an older file") == true,
      "\(String(describing: found))")
  }

  @Test("a whole database is good, and one that another program or version made is a problem")
  func databaseHeaders() async throws {
    let folder = try TemporaryFolder()
    let paths = BoardPaths(home: folder.path("home"), environment: [:])
    let service = LivePersistenceService(
      mainPath: paths.mainDatabase, cachePath: paths.cacheDatabase)
    try await service.setPreference("p", to: "1")
    try await service.appendLogRecords([
      LogRecord(time: 1, level: .error, category: "c", message: "m")
    ])
    try await service.close()
    // A log that is left has the header too.
    for path in service.paths { for suffix in ["-wal", "-shm"] { unlink(path + suffix) } }
    for subject in ["database", "cache"] {
      #expect(findings(folder)[subject]?.state == .good, "\(subject)")
    }
    for (offset, bytes, words) in [
      (68, [0, 0, 0, 42], "the database has application id 42, not "),
      (
        60, [255, 255, 255, 255], "the database is damaged: it has schema -1, which no version made"
      ),
      (60, [0, 0, 0, 99], "the database has schema 99; this version knows "),
      (0, [1], "this is not a database"),
      (4096, [UInt8](repeating: 7, count: 300), "the database is damaged"),
    ] as [(Int, [UInt8], String)] {
      for (subject, path) in [
        ("database", paths.mainDatabase), ("cache", paths.cacheDatabase),
      ] {
        let whole = try DatabaseFolder.bytes(path)
        var changed = whole
        changed.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        try DatabaseFolder.write(changed, to: path)
        let finding = findings(folder)[subject]
        // The next command that needs a damaged cache begins a new one. That of another program or
        // of a newer version is left to it.
        let isReplaced = subject == "cache" && !words.hasPrefix("the database has")
        #expect(finding?.state == (isReplaced ? .note : .problem), "\(words)")
        #expect(finding?.text.hasPrefix(words) == true, "\(finding?.text ?? "")")
        #expect(finding?.text.contains(path) == true, "\(finding?.text ?? "")")
        #expect(finding?.remedy != nil)
        if subject == "cache", !isReplaced {
          let isNewer = words.hasPrefix("the database has schema")
          #expect(
            finding?.remedy
              == .other(
                isNewer ? "move it away: nothing in it is unique" : "move the file away"))
        }
        try DatabaseFolder.write(whole, to: path)
      }
    }
  }

  /// A published keychain.
  private static func keychain(_ vector: String) throws -> [UInt8] {
    try DatabaseFolder.bytes(
      "\(SourceTree.root)/Tests/DependenciesTests/keychain-vectors/\(vector).sbkc")
  }

  @Test(
    "a keychain that shows damage without a secret is a problem, and is left as it is",
    arguments: ["flip_generation", "cut_and_checksum", "kdf_ops_17"])
  func damagedKeychain(vector: String) throws {
    let folder = try TemporaryFolder()
    try FileSystem().makeFolder(folder.path("home"))
    let bytes = try Self.keychain(vector)
    try folder.write(bytes, to: "home/keychain.sbkc")
    _ = chmod(folder.path("home/keychain.sbkc"), 0o600)
    let found = findings(folder)["keychain"]
    #expect(found?.state == .problem, "\(String(describing: found))")
    #expect(found?.remedy != nil)
    #expect(try folder.read("home/keychain.sbkc") == bytes)
  }

  @Test("a keychain of another version is answered as its message does")
  func otherKeychain() throws {
    let folder = try TemporaryFolder()
    try FileSystem().makeFolder(folder.path("home"))
    var bytes = try Self.keychain("ok_passphrase")
    bytes.replaceSubrange(8..<10, with: [0, 0])
    bytes.replaceSubrange(
      (bytes.count - 32)..., with: KeychainCrypto.hash(bytes[..<(bytes.count - 32)]))
    try folder.write(bytes, to: "home/keychain.sbkc")
    _ = chmod(folder.path("home/keychain.sbkc"), 0o600)
    let found = findings(folder)["keychain"]
    #expect(found?.text.contains("Restore a backup") == true, "\(String(describing: found))")
    #expect(
      found?.remedy
        == .other("update the program if it is older than the keychain, or else restore a backup"))
  }

  @Test("a link in the place of the keychain is a problem, because a save would replace it")
  func linkedKeychain() throws {
    let folder = try TemporaryFolder()
    try FileSystem().makeFolder(folder.path("home"))
    try folder.write(try Self.keychain("ok_passphrase"), to: "real")
    _ = chmod(folder.path("real"), 0o600)
    try #require(symlink(folder.path("real"), folder.path("home/keychain.sbkc")) == 0)
    let found = findings(folder)["keychain"]
    #expect(
      found?.state == .problem && found?.text.contains("symbolic link") == true,
      "\(String(describing: found))")
  }

  @Test("a database whose log has changes is checked without it, and neither changes")
  func leftLog() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.setPreference("p", to: "1")
    let names = [folder.main, folder.main + "-wal"]
    let before = try names.map { try DatabaseFolder.bytes($0) }
    try #require(!before[1].isEmpty)
    let file = DatabaseFile(path: folder.main, schema: .main)
    #expect(try file.inspect() == .whole)
    #expect(try names.map { try DatabaseFolder.bytes($0) } == before)
    // The content of a large file takes long to read.
    #expect(try file.inspect(limit: 1000) == .notChecked)
    // The log may have the right page.
    let descriptor = open(folder.main, O_WRONLY)
    #expect(pwrite(descriptor, [UInt8](repeating: 0xFF, count: 4096), 4096, 4096 * 2) == 4096)
    #expect(try file.inspect() == .doubtful)
    close(descriptor)
    try? await service.close()
  }

  @Test("a left log is read, and neither it nor the file changes")
  func closedLog() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.addSearch("one", scope: "s", at: 1)
    try await service.close()
    unlink(folder.main + "-shm")
    let names = try folder.names
    let before = try names.map { try DatabaseFolder.bytes("\(folder.path)/\($0)") }
    try #require(names.contains("main.sqlite-wal"))
    #expect(try DatabaseFile(path: folder.main, schema: .main).inspect() == .whole)
    #expect(try folder.names == names)
    #expect(try names.map { try DatabaseFolder.bytes("\(folder.path)/\($0)") } == before)
  }

  @Test("a database without one of its tables is damaged")
  func missingTable() async throws {
    let folder = try DatabaseFolder()
    let service = folder.service()
    try await service.setPreference("p", to: "1")
    try await service.close()
    let file = DatabaseFile(path: folder.main, schema: .main)
    #expect(try file.inspect() == .whole)
    let stranger = try folder.stranger()
    try stranger.execute("DROP TABLE documents")
    try stranger.close()
    let error = #expect(throws: PersistenceError.self) { try file.inspect() }
    #expect(error?.kind == .corrupted)
    #expect(error?.message.contains("it has no table documents") == true)
  }

  #if os(Linux)
    @Test("checking a database that this process has open keeps its locks")
    func locks() throws {
      let folder = try DatabaseFolder()
      let file = DatabaseFile(path: folder.main, schema: .main)
      let connection = try file.openWriter(operation: "test")
      var status = stat()
      try #require(stat(folder.main, &status) == 0)
      /// The locks of the file, without their numbers in the list.
      func read() throws -> Set<Substring> {
        let files = FileSystem()
        let bytes = try files.read(try files.open("/proc/locks", O_RDONLY), limit: 1 << 20)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return Set(
          lines.filter { $0.contains(":\(status.st_ino) ") }.map { $0.drop { $0 != " " } })
      }
      // The system gives the list in pieces. Where locks of other tests come and go in between, it
      // may leave out a line.
      func locks() throws -> Set<Substring> {
        var (last, next) = (try read(), try read())
        while next != last { (last, next) = (next, try read()) }
        return next
      }
      let before = try locks()
      try #require(!before.isEmpty)
      #expect(try file.inspect() == .whole)
      #expect(try locks() == before)
      try connection.close()
    }
  #endif

  @Test("folders in which others may replace files are noted, but not with the sticky bit")
  func sharedFolder() throws {
    let folder = try TemporaryFolder()
    let home = folder.path("home")
    try FileSystem().makeFolder(home)
    for (mode, remedy) in [
      (0o755, nil), (0o775, .changeMode(path: home, mode: 0o700)), (0o1777, nil),
    ] as [(mode_t, InstallationFinding.Remedy?)] {
      try #require(chmod(home, mode) == 0)
      let found = findings(folder)["disk"]
      #expect(found?.state == (remedy == nil ? .good : .note), "\(mode)")
      #expect(found?.remedy == remedy, "\(mode)")
    }
  }

  @Test("an unlock source that cannot be used is a problem, and a descriptor stays unread")
  func unlockSources() throws {
    let folder = try TemporaryFolder()
    try folder.write("secret words\n", to: "pass")
    let path = folder.path("pass")
    func found(_ variables: [String: String]) -> InstallationFinding? {
      findings(folder, variables)["unlock source"]
    }
    #expect(found([:]) == nil)
    _ = chmod(path, 0o600)
    #expect(found(["SWIFTBOARD_PASSPHRASE_FILE": path])?.state == .good)
    for variables in [
      ["SWIFTBOARD_PASSPHRASE_FILE": path + "2"], ["SWIFTBOARD_KEY_FILE": path],
      ["SWIFTBOARD_PASSPHRASE_FILE": path, "SWIFTBOARD_KEY_FILE": path],
      ["SWIFTBOARD_PASSPHRASE_FD": "words"], ["SWIFTBOARD_PASSPHRASE_FD": "1000000"],
    ] {
      let finding = found(variables)
      #expect(finding?.state == .problem, "\(variables)")
      #expect(finding?.text.contains("SWIFTBOARD_") == true, "\(variables)")
    }
    _ = chmod(path, 0o644)
    #expect(found(["SWIFTBOARD_PASSPHRASE_FILE": path])?.text.contains("mode 644") == true)

    let file = try FileSystem().open(path, O_RDONLY)
    #expect(found(["SWIFTBOARD_PASSPHRASE_FD": "\(file.number)"])?.state == .good)
    #expect(lseek(file.number, 0, SEEK_CUR) == 0)
  }

  @Test("certificates and proxies that requests cannot use are problems, without their values")
  func requests() throws {
    let folder = try TemporaryFolder()
    try folder.write("-----BEGIN CERTIFICATE-----", to: "ca.pem")
    try folder.write("words", to: "words")
    let pem = folder.path("ca.pem")
    for (name, value, subject, state) in [
      ("SSL_CERT_FILE", pem, "certificates", .good),
      ("CURL_CA_BUNDLE", pem + "2", "certificates", .problem),
      ("CURL_CA_BUNDLE", folder.path("words"), "certificates", .problem),
      ("SSL_CERT_DIR", "/nowhere:\(folder.path)", "certificates", .good),
      ("SSL_CERT_DIR", pem, "certificates", .note),
      ("all_proxy", "user:hunter2@localhost:3128", "proxy", .good),
      ("https_proxy", "socks://127.0.0.1:1080/", "proxy", .good),
      ("http_proxy", "ftp://user:hunter2@localhost", "proxy", .problem),
      ("HTTPS_PROXY", "http://", "proxy", .problem),
      ("http_proxy", "http://localhost:hunter2", "proxy", .problem),
      ("ALL_PROXY", "localhost:99999", "proxy", .problem),
      ("HTTP_PROXY", "http://localhost:3128", "proxy", .note),
    ] as [(String, String, String, InstallationFinding.State)] {
      let finding = findings(folder, [name: value])[subject]
      #expect(finding?.state == state, "\(name)=\(value)")
      #expect(finding?.text.contains(name) == true, "\(finding?.text ?? "")")
      #expect(finding?.text.contains("hunter2") == false)
      #expect((finding?.remedy == nil) == (state == .good), "\(name)=\(value)")
    }
    let none = findings(folder)
    #expect(none["certificates"] == nil && none["proxy"] == nil)
  }

  @Test("folders, pipes and links in place of files are problems, whatever their modes")
  func kinds() throws {
    let folder = try TemporaryFolder()
    let home = folder.path("home")
    try FileSystem().makeFolder(home)
    for (name, subject) in [
      ("config.json", "configuration"), ("init.sb", "init script"), ("main.sqlite", "database"),
      ("cache.sqlite", "cache"), ("log.jsonl", "log"), ("history", "history"),
      ("analytics.jsonl", "analytics"), ("keychain.sbkc", "keychain"),
    ] {
      let path = home + "/" + name
      for mode in [0o700, 0o755] as [mode_t] {
        try #require(mkdir(path, mode) == 0)
        #expect(findings(folder)[subject]?.text == "\(path) is a folder, not a file", "\(name)")
        #expect(findings(folder)[subject]?.state == .problem, "\(name)")
        rmdir(path)
      }
      try #require(mkfifo(path, 0o600) == 0)
      #expect(findings(folder)[subject]?.text == "\(path) is not a file", "\(name)")
      unlink(path)
      try #require(symlink("nowhere", path) == 0)
      #expect(
        findings(folder)[subject]?.text == "\(path) is a symbolic link that leads nowhere",
        "\(name)")
      #expect(findings(folder)[subject]?.state == .problem, "\(name)")
      unlink(path)
    }
    try folder.write([], to: "home/sessions")
    #expect(findings(folder)["recordings"]?.text == "\(home)/sessions is not a folder")
  }

  @Test("a link to the log or the analytics is a problem, because nothing is written through it")
  func linkedLog() throws {
    let folder = try TemporaryFolder()
    try FileSystem().makeFolder(folder.path("home"))
    for name in ["log.jsonl", "analytics.jsonl", "history"] {
      try folder.write([], to: "real")
      _ = chmod(folder.path("real"), 0o600)
      try #require(symlink(folder.path("real"), folder.path("home/" + name)) == 0)
    }
    for subject in ["log", "analytics"] {
      let found = findings(folder)[subject]
      #expect(found?.state == .problem)
      #expect(
        found?.text.hasSuffix("is a symbolic link, and nothing is written through one") == true)
    }
    #expect(findings(folder)["history"]?.state == .good)
  }

  @Test("a configuration that an option names may be a device")
  func namedConfiguration() throws {
    let found = findings(try TemporaryFolder(), configuration: "/dev/null")
    #expect(
      found["configuration"]?.text.contains("is not a file") == false,
      "\(found["configuration"]?.text ?? "")")
  }

  @Test("a configuration for all users, which belongs to root, is none of another user")
  func sharedConfiguration() throws {
    let found = findings(try TemporaryFolder(), configuration: "/etc/passwd")
    #expect(found["configuration"]?.state == .good, "\(String(describing: found["configuration"]))")
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
