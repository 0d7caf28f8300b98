import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// A secret with everything that an encoding changes is used, repeated by a service and typed;
/// afterwards it is searched, in all its forms, in all that the program left behind and printed.
@Suite(.timeLimit(.minutes(20)))
struct CanaryTests {
  static let canary = #"Kn4ry"z/w\?+~é4711"#
  static let passphrase = "canary passphrase"

  /// Answers with the canary in every form, in headers and body, beside what the request held.
  private static let echo: TestHTTPServer.Handler = { request in
    guard request.path.hasPrefix("/canary") else { return nil }
    if request.path == "/canary/raw" {
      return .response(.init(200, body: [0xFF, 0x00] + Array(canary.utf8) + [0x80, 0xFE]))
    }
    let bytes = Array(canary.utf8)
    let base64 = (0..<3).map { Data(Array("use".utf8.prefix($0)) + bytes).base64EncodedString() }
    let urlSafe = base64.map { text in
      String(text.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
    // What is searched in base64 is a part of it, and no form of its own.
    let other = SecretForms.all(of: canary).map { String(decoding: $0, as: UTF8.self) }
      .filter { form in !(base64 + urlSafe).contains { $0.contains(form) } }
    let forms = (other + base64 + urlSafe).enumerated().map { index, form in
      "\"f\(index)\":\(quote(form))"
    }
    let headers = request.headers.map { "\(quote($0.name)):\(quote($0.value))" }
    // The value in JSON's own escapes, and as a part of a longer base64 text.
    let body =
      "{\(forms.joined(separator: ",")),\"sent\":{\(headers.joined(separator: ","))},"
      + "\"body\":\(quote(request.bodyText)),\"target\":\(quote(request.target)),"
      + "\"long\":\"\(Data("user:\(canary):rest".utf8).base64EncodedString())\",\"free\":\"word\"}"
    let status = request.path == "/canary/denied" ? 403 : 200
    return .response(
      .init(
        status,
        headers: [
          ("Content-Type", "application/json"), ("ETag", "\"1\""), ("Cache-Control", "max-age=60"),
          ("Set-Cookie", "sid=\(canary)"), ("X-Echo", Data(canary.utf8).base64EncodedString()),
        ], body: Array(body.utf8)))
  }

  private static func quote(_ text: String) -> String {
    "\""
      + text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
      + "\""
  }

  /// - Parameter typed: The canary as a line in double quotes has it.
  private static func script(_ origin: String, closed: Int, typed: String) -> String {
    """
    keychain init
    keychain set canary --from-file key
    keychain lock
    keychain unlock
    api service add e \(origin)/canary --auth header:X-Api-Key={{secret:canary}}
    api service add q \(origin)/canary --auth query:apikey={{secret:canary}}
    api service add b \(origin)/canary --auth basic:me:{{secret:canary}}
    api get e/a
    api get e/a --json
    api get e/a --pretty
    api get e/a --headers
    api get e/a --verbose
    api get e/a -v
    api get e/a --select f0
    api get e/a --cache localFirst > kept.txt
    api get e/a --save s
    api run s
    api get e/raw
    api get e/raw > raw.bin
    api get q/a x=={{secret:canary}}
    api get b/a 'X-Other:a '{{secret:canary}}
    api post e/a a={{secret:canary}} b=c
    api get e/{{secret:canary}}
    api get e/a
    db put d free {{last.body.sent.Host}}
    db put d free {"w":"{{last.body.free}}"}
    db get d free
    db put d x {{last}}
    set v {{last}}
    api get e/a
    db put d y {{last.body}}
    db preference set p {{last.body.f0}}
    set v {{last.body.f0}}
    api post e/a a=$v
    keychain set other --from-file kept.txt
    echo "\(typed)"
    log note "\(typed)"
    set x "\(typed)"
    api get e/a a=="\(typed)"
    api post e/a a="\(typed)"
    db put d z {"a":"\(typed)"}
    session mark "\(typed)"
    keychain set canary2 "\(typed)"
    open "swiftboard://db/\(typed)"
    "\(typed)"
    echo "\(typed)
    "
    api get e/denied
    api get http://127.0.0.1:\(closed)/ a=={{secret:canary}}
    api post http://127.0.0.1:\(closed)/ a={{secret:canary}}
    api get e/a --out exact.json
    api service list
    api service show e
    api service test e
    api recent
    api cache list
    keychain status
    keychain check
    keychain list
    keychain rename canary other
    api get \(origin)/canary
    keychain rename other canary
    db list d
    db stats
    db backup backup.sqlite
    log tail -n 500
    log export log.out
    log redact test "nothing here"
    log stats
    state
    jobs
    effects
    session status
    session timeline
    session state
    session diff 1 30
    session stop
    exit
    """
  }

  @Test(
    "rule 2 to 8: a canary is in nothing that a session of all commands prints or leaves behind")
  func aCanaryIsNowhere() async throws {
    let server = try TestHTTPServer(handler: Self.echo)
    let closed = try ClosedPort()
    let program = try Program()
    let folder = program.folder
    try folder.write(Self.passphrase, to: "pass")
    try folder.write(Self.canary, to: "key")
    let typed = Self.canary.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    try folder.write(
      Self.script(server.origin, closed: closed.number, typed: typed), to: "all.sb")

    var locations: [(String, [UInt8])] = []
    func run(_ arguments: String..., code: Int32? = 0) async throws {
      let run = try await program.run(
        ["--home", "h"] + arguments,
        environment: ["SWIFTBOARD_PASSPHRASE_FILE": folder.path("pass")])
      if let code { #expect(run.status == .exited(code), "\(arguments): \(run.errorText)") }
      locations.append(("standard output of \(arguments)", run.output))
      locations.append(("standard error of \(arguments)", run.error))
    }
    try await run("--record", "s.jsonl", "-x", "-v", "-k", "-f", "all.sb", code: nil)
    let first = locations
    #expect(String(decoding: first[0].1, as: UTF8.self).contains("[secret:canary]"))
    let errors = String(decoding: first[1].1, as: UTF8.self)
    #expect(errors.contains("[refused: secret canary]") && errors.contains("values are masked"))
    #expect(!errors.contains("internal error"), "\(errors)")
    try await run("session", "verify", "s.jsonl")
    try await run("session", "replay", "s.jsonl")
    #expect(locations[4].1 == first[0].1, "a replay prints the same")
    try await run("session", "test", "s.jsonl")
    try await run("session", "stats", "s.jsonl")
    try await run("session", "graph", "s.jsonl", "--causes")
    #expect(
      server.requests.contains { $0.header("X-Api-Key") == Self.canary }, "the service gets it")
    #expect(
      server.requests.contains {
        $0.body == Array("\"\(Self.canary)\"".utf8) || $0.bodyText.contains("4711")
      })

    // What the user's own files hold, and --out, which is exact, are not searched.
    let own: Set<String> = ["pass", "key", "all.sb", "exact.json"]
    #expect(try SecretForms.isFound(Self.canary, in: folder.read("exact.json")))
    for file in try program.files() where !own.contains(file) && Program.isFile(folder.path(file)) {
      locations.append((file, try folder.read(file)))
    }
    for name in [
      "s.jsonl", "h/log.jsonl", "h/main.sqlite", "h/cache.sqlite", "backup.sqlite", "kept.txt",
      "raw.bin", "log.out",
    ] {
      #expect(locations.contains { $0.0 == name }, "\(name) is searched")
    }
    for (location, bytes) in locations {
      #expect(!SecretForms.isFound(Self.canary, in: bytes), "\(location): \(excerpt(bytes))")
      #expect(!SecretForms.isFound(Self.passphrase, in: bytes), "\(location) has the passphrase")
    }
  }

  private func excerpt(_ bytes: [UInt8]) -> String {
    for form in SecretForms.all(of: Self.canary) {
      guard let range = bytes.firstRange(of: form) else { continue }
      return String(
        decoding: bytes[max(0, range.lowerBound - 200)..<min(bytes.count, range.upperBound + 40)],
        as: UTF8.self)
    }
    return ""
  }

  // MARK: Memory

  /// Whether this process may read another one's memory, as only root may where dumps are
  /// forbidden.
  @Sendable private static func canReadMemory() -> Bool {
    geteuid() == 0 && access("/proc/self/mem", R_OK) == 0
  }

  @Test(
    "rule 8: after lock no memory of the process holds a value, and it dumps no core",
    .enabled("the memory of another process cannot be read here", canReadMemory))
  func memoryAfterLock() async throws {
    let program = try Program()
    try program.folder.write(Self.passphrase, to: "pass")
    try program.folder.write(Self.canary, to: "key")
    let environment = ["SWIFTBOARD_PASSPHRASE_FILE": program.folder.path("pass")]
    let made = try await program.run(
      ["--home", "h", "-c", "keychain init", "-c", "keychain set canary --from-file key"],
      environment: environment)
    #expect(made.status == .exited(0), "\(made.errorText)")

    let child = try ChildProcess(
      try Program.executable(), ["--home", "h"],
      environment: program.environment(
        environment.mapValues { $0 }), folder: program.folder.path)
    child.writeInput(
      "keychain unlock\nkeychain list\nkeychain status\nkeychain lock\necho lo''cked\n")
    #expect(await child.waitForOutput("locked\n"))
    let limits = try String(contentsOfFile: "/proc/\(child.processID)/limits", encoding: .utf8)
    #expect(limits.contains { $0.isNewline })
    #expect(
      limits.split(separator: "\n").contains {
        $0.hasPrefix("Max core file size")
          && $0.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"]
      }, "\(limits)")
    let memory = try Self.regions(of: child.processID).map {
      Self.memory(of: child.processID, $0)
    }
    #expect(
      memory.contains { SecretForms.isFound("keychain unlock", in: $0) }, "the memory can be read")
    let found = memory.count { SecretForms.isFound(Self.canary, in: $0) }
    #expect(found == 0, "the value is in \(found) regions after lock")
    child.closeInput()
    #expect(await child.wait().status == .exited(0))
  }

  /// The readable and writable regions of a process.
  private static func regions(of process: Int32) throws -> [Range<UInt>] {
    try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8).split(separator: "\n")
      .compactMap { line in
        let fields = line.split(separator: " ")
        let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard fields[1].hasPrefix("rw"), ends.count == 2 else { return nil }
        return ends[0]..<ends[1]
      }
  }

  private static func memory(of process: Int32, _ region: Range<UInt>) -> [UInt8] {
    let descriptor = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return [UInt8](unsafeUninitializedCapacity: region.count) { buffer, count in
      var offset = 0
      while offset < region.count {
        let read = pread(
          descriptor, buffer.baseAddress?.advanced(by: offset), region.count - offset,
          off_t(region.lowerBound) + off_t(offset))
        if read <= 0 { break }
        offset += read
      }
      count = offset
    }
  }
}
