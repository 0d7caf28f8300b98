import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// Checks of requests, their cache and their recordings; see docs/acceptance.md.
@Suite(.timeLimit(.minutes(20)))
struct AcceptanceRequestTests {
  @Test("a thousand requests at once all complete within the limit of their host")
  func thousandRequests() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    let lines = (0..<1000).map { "api get \(server.origin)/echo/\($0) --cache noCache &\n" }
    try program.folder.write(lines.joined() + "wait\n", to: "x.sb")
    let run = try await program.run("--home", "h", "-q", "-f", "x.sb")
    #expect(run.status == .exited(0), "\(run.errorText.suffix(500))")
    #expect(Set(server.requests.map(\.path)) == Set((0..<1000).map { "/echo/\($0)" }))
    #expect(server.requests.count == 1000)
    #expect(server.connectionCount <= 64)
  }

  @Test("the cache answers once, asks whether an answer holds, and is used without a service")
  func cache() async throws {
    let server = try TestHTTPServer { request in
      let tag = ("ETag", "\"1\"")
      if request.header("If-None-Match") == "\"1\"" { return .response(.init(304, headers: [tag])) }
      return .response(.init(json: #"{"n":1}"#, headers: [tag, ("Cache-Control", "max-age=600")]))
    }
    let program = try Program()
    func get(_ path: String, _ policy: String) async throws -> ChildProcess.Outcome {
      try await program.run("--home", "h", "api", "get", server.origin + path, "--cache", policy)
    }
    let body = #"{"n":1}"#
    let none = try await get("/none", "noCache")
    #expect(none.outputText == body && none.status == .exited(0), "\(none.errorText)")
    let kept = try await program.run("--home", "h", "--json", "api", "cache", "stats")
    #expect(kept.outputText.contains(#""entries":0"#), "\(kept.outputText)")
    let first = try await get("/a", "localFirst")
    #expect(first.outputText == body && first.errorText.contains("MISS"), "\(first.errorText)")
    let second = try await get("/a", "localFirst")
    #expect(second.outputText == body && second.errorText.contains("HIT"), "\(second.errorText)")
    #expect(server.requests.count { $0.path == "/a" } == 1)
    let third = try await get("/a", "remoteFirst")
    #expect(third.outputText == body && third.errorText.contains("REVALIDATED 304"))
    #expect(server.requests.last?.header("If-None-Match") == "\"1\"")
    server.stop()
    let stale = try await get("/a", "remoteFirst")
    #expect(stale.status == .exited(0), "\(stale.errorText)")
    #expect(stale.outputText == body && stale.errorText.contains("STALE"), "\(stale.errorText)")
    let lost = try await get("/none", "remoteFirst")
    #expect(lost.status == .exited(69), "\(lost.errorText)")
  }

  @Test("what a line has changed at a service is not answered from the cache")
  func changedAnswer() async throws {
    let server = try TestHTTPServer { request in
      .response(.init(json: #""\#(request.method)""#, headers: [("Cache-Control", "max-age=600")]))
    }
    let program = try Program()
    let lines = [
      "api service add s \(server.origin)", "api get s/a --cache localFirst",
      "api put s/a n=1 X:1", "api get s/a --cache localFirst", "api get s/a --cache localFirst",
    ]
    let run = try await program.run(["--home", "h"] + lines.flatMap { ["-c", $0] })
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(server.requests.map(\.method) == ["GET", "PUT", "GET"], "\(run.errorText)")
  }

  @Test(
    "a change behind a redirect, or under another spelling, is not answered from the cache",
    arguments: ["api put ORIGIN/moved n=1 --follow 1", "api put http://LOCALHOST:PORT/x/../a n=1"])
  func changeElsewhere(line: String) async throws {
    let server = try TestHTTPServer { request in
      request.path == "/moved"
        ? .response(.init(307, headers: [("Location", "/a")]))
        : .response(.init(json: "1", headers: [("Cache-Control", "max-age=600")]))
    }
    let program = try Program()
    let origin = "http://localhost:\(server.port)"
    let change = line.replacing("ORIGIN", with: origin).replacing("PORT", with: "\(server.port)")
    let get = "api get \(origin)/a --cache localFirst"
    let run = try await program.run("--home", "h", "-c", get, "-c", change, "-c", get)
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(server.requests.count { $0.method == "GET" } == 2, "\(run.errorText)")
  }

  // MARK: Recordings

  @Test(
    "500 mixed steps replay without a network, and each change of the recording is found",
    .enabled("no network name spaces", NameSpaces.canLeaveNetwork))
  func offline() async throws {
    let server = try TestHTTPServer()
    let program = try Program()
    var script = "api service add rm \(server.origin)/api\n"
    for index in 0..<60 {
      script += """
        api get rm/character/\(1 + index % 20) --select name
        api get rm/character page==\(1 + index % 2) --cache noCache --headers &
        db put c \(index) {"n":\(index)}
        set x\(index) {{last}}
        db list c --limit 3
        -api get rm/character/99999
        wait

        """
    }
    try program.folder.write(script, to: "x.sb")
    let first = try await program.run("--home", "h", "--record", "r.jsonl", "-f", "x.sb")
    #expect(first.status == .exited(0), "\(first.errorText.suffix(500))")
    server.stop()
    let lines = try program.text("r.jsonl").split(separator: "\n").map(String.init)
    #expect(lines.count >= 500)
    func offline(_ words: String...) async throws -> ChildProcess.Outcome {
      try await runProcess(
        "/usr/bin/unshare", ["-rn", try Program.executable()] + words,
        environment: program.environment(), folder: program.folder.path)
    }
    let verified = try await offline("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    let replayed = try await offline("session", "replay", "r.jsonl")
    #expect(replayed.output == first.output)

    let answer = try #require(lines.firstIndex { $0.contains(#""answered":{"answer""#) })
    let other = try #require(lines.lastIndex { $0.contains(#""answered":{"answer""#) })
    let body = try #require(lines[answer].firstRange(of: #"\"name\""#))
    let header = try #require(lines[answer].firstRange(of: "Content-Type"))
    let changes: [(String, line: Int, [String])] = [
      (
        "body", answer + 1,
        lines.replacing(answer, lines[answer].replacingSubrange(body, #"\"nane\""#))
      ),
      (
        "header", answer + 1,
        lines.replacing(answer, lines[answer].replacingSubrange(header, "Content-Tape"))
      ),
      ("order", answer + 1, lines.replacing(answer, lines[other]).replacing(other, lines[answer])),
      ("added", answer + 2, lines.replacing(answer, lines[answer] + "\n" + lines[answer])),
      ("removed", answer + 1, Array(lines[..<answer] + lines[(answer + 1)...])),
    ]
    for (name, line, changed) in changes {
      try program.folder.write(changed.map { $0 + "\n" }.joined(), to: "changed.jsonl")
      let run = try await offline("session", "verify", "changed.jsonl")
      #expect(run.status == .exited(65), "\(name): \(run.outputText) \(run.errorText)")
      #expect(
        (run.outputText + run.errorText).contains("line \(line)"),
        "\(name): \(run.outputText) \(run.errorText)")
    }
  }
}

extension String {
  fileprivate func replacingSubrange(_ range: Range<Index>, _ text: String) -> String {
    String(self[..<range.lowerBound]) + text + self[range.upperBound...]
  }
}

extension [String] {
  fileprivate func replacing(_ index: Int, _ line: String) -> [String] {
    var lines = self
    lines[index] = line
    return lines
  }
}
