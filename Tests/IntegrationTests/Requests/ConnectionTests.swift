import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// How a service is reached and trusted, and as whom it is asked.
@Suite(.timeLimit(.minutes(20)))
struct ConnectionTests {
  let program: Program

  init() throws { program = try Program.withKeychain() }

  private func run(_ words: String...) async throws -> ChildProcess.Outcome {
    try await program.run(
      ["--home", "h"] + words,
      environment: ["SWIFTBOARD_PASSPHRASE_FILE": program.folder.path("pass")])
  }

  // MARK: TLS

  @Test(
    "a service of one's own authority is trusted by a file", .enabled(if: TestTLSServer.isAvailable)
  )
  func anAuthorityOfOnesOwn() async throws {
    let server = try await TestTLSServer()
    let unknown = try await run("api", "get", server.origin)
    #expect(unknown.status == .exited(76), "\(unknown.errorText)")
    #expect(unknown.errorText.contains("help: --cacert FILE"), "\(unknown.errorText)")
    let known = try await run("api", "get", server.origin, "--cacert", server.authority)
    #expect(known.status == .exited(0), "\(known.errorText)")
    #expect(known.outputText.contains("s_server"))
    let insecure = try await run("api", "get", server.origin, "--insecure")
    #expect(insecure.status == .exited(0), "\(insecure.errorText)")
    // What was not checked once is checked the next time.
    let both = try await run(
      "-c", "api get \(server.origin) --insecure", "-c", "api get \(server.origin)")
    #expect(both.status == .exited(76), "\(both.errorText)")
    let missing = try await run("api", "get", server.origin, "--cacert", "nothing.pem")
    #expect(missing.status == .exited(66))
    #expect(missing.errorText.contains("nothing.pem"), "\(missing.errorText)")
  }

  @Test(
    "the advice about an unknown authority names the file that is in force",
    .enabled(if: TestTLSServer.isAvailable))
  func theFileInForce() async throws {
    let (server, other) = (try await TestTLSServer(), try await TestTLSServer())
    for (variables, advice) in [
      ([:], "set CURL_CA_BUNDLE or SSL_CERT_FILE to a file"),
      (["SSL_CERT_FILE": other.authority], "set SSL_CERT_FILE to a file"),
      (
        ["SSL_CERT_FILE": "x", "CURL_CA_BUNDLE": other.authority], "set CURL_CA_BUNDLE to a file"
      ),
    ] as [([String: String], String)] {
      let run = try await program.run(
        ["--home", "h", "api", "get", server.origin], environment: variables)
      #expect(run.errorText.contains(advice), "\(run.errorText)")
    }
    let run = try await run("api", "get", server.origin, "--cacert", other.authority)
    #expect(
      run.errorText.contains("put the authority that signed it into \(other.authority)"),
      "\(run.errorText)")
  }

  @Test(
    "a missing file of the connection is told before anything is sent",
    arguments: [
      ["--cacert", "none.pem"], ["--cert", "none.pem"],
      ["--cert", "here.pem", "--key", "none.pem"],
    ])
  func missingFiles(options: [String]) async throws {
    let server = try TestHTTPServer()
    try program.folder.write("", to: "here.pem")
    let run = try await program.run(
      ["--home", "h", "api", "get", server.origin + "/echo"] + options)
    #expect(run.status == .exited(66), "\(run.errorText)")
    #expect(run.errorText.contains("none.pem"), "\(run.errorText)")
    #expect(server.requests.isEmpty)
  }

  @Test("a certificate is shown where one is wanted", .enabled(if: TestTLSServer.isAvailable))
  func aCertificateIsShown() async throws {
    let server = try await TestTLSServer(.clientCertificate)
    let without = try await run("api", "get", server.origin, "--cacert", server.authority)
    #expect(without.status == .exited(76), "\(without.errorText)")
    #expect(without.errorText.contains("help: --cert FILE"), "\(without.errorText)")
    let with = try await run(
      "api", "get", server.origin, "--cacert", server.authority, "--cert",
      server.clientCertificate, "--key", server.clientKey)
    #expect(with.status == .exited(0), "\(with.errorText)")
    let wrong = try await run(
      "api", "get", server.origin, "--cacert", server.authority, "--cert", "none.pem")
    #expect(wrong.status == .exited(66))
    #expect(wrong.errorText.contains("none.pem"), "\(wrong.errorText)")
    #expect(try await run("api", "get", server.origin, "--key", "k").status == .exited(64))
  }

  @Test(
    "the passphrase of an encrypted key is not asked for, and no input is taken for it",
    .enabled(if: TestTLSServer.isAvailable))
  func anEncryptedKey() async throws {
    let server = try await TestTLSServer(.clientCertificate)
    for form in ["", " -traditional"] {
      let made = try await program.shell(
        "openssl pkey -in \(server.clientKey)\(form) -aes256 -passout pass:abc -out enc.key; "
          + "cat \(server.clientCertificate) enc.key > both.pem")
      try #require(made.status == .exited(0), "\(made.errorText)")
      for options in [
        ["--cert", server.clientCertificate, "--key", "enc.key"], ["--cert", "both.pem"],
      ] {
        let run = try await program.run(
          ["--home", "h", "api", "get", server.origin, "--cacert", server.authority] + options,
          stdin: "abc\nabc\n")
        let file = options.last ?? ""
        #expect(run.status == .exited(77), "\(run.errorText)")
        #expect(run.errorText.contains("the key in \(file) is encrypted"), "\(run.errorText)")
        #expect(run.errorText.contains("openssl pkey -in \(file) -out"), "\(run.errorText)")
        #expect(!run.errorText.contains("pass phrase"), "\(run.errorText)")
      }
    }
  }

  @Test(
    "no authority is advised where the certificate has ended or is for another host",
    .enabled(if: TestTLSServer.isAvailable), arguments: [TestTLSServer.Fault.expired, .otherHost])
  func certificatesThatDoNotHold(fault: TestTLSServer.Fault) async throws {
    let server = try await TestTLSServer(fault)
    let run = try await run("api", "get", server.origin, "--cacert", server.authority)
    #expect(run.status == .exited(76), "\(run.errorText)")
    #expect(!run.errorText.contains("help:"), "\(run.errorText)")
    #expect(
      run.errorText.contains(fault == .expired ? "has to renew it" : "Check the address"),
      "\(run.errorText)")
  }

  // MARK: Proxies

  @Test("a proxy is asked for the whole address") func aProxyIsAsked() async throws {
    let proxy = try TestHTTPServer { _ in .response(.init(json: "{}")) }
    let run = try await run(
      "api", "get", "http://service.invalid/a?b=1", "--proxy", proxy.origin)
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(proxy.requests.map(\.target) == ["http://service.invalid/a?b=1"])
  }

  @Test("a proxy that fails says that it is the proxy") func aProxyThatFails() async throws {
    let closed = try ClosedPort()
    let refused = try await run(
      "api", "get", "http://service.invalid/", "--proxy", "http://127.0.0.1:\(closed.number)")
    #expect(refused.status == .exited(69))
    #expect(
      refused.errorText.contains(
        "the proxy http://127.0.0.1:\(closed.number) refused the connection"),
      "\(refused.errorText)")
    let unknown = try await run(
      "api", "get", "http://127.0.0.1/", "--proxy", "http://proxy.invalid:1")
    #expect(unknown.status == .exited(69))
    #expect(unknown.errorText.contains("the host name of the proxy"), "\(unknown.errorText)")
    for (status, text, code) in [(407, "user name", 4), (403, "(403)", 69)] as [(_, _, Int32)] {
      let proxy = try TestHTTPServer { _ in .response(.init(status)) }
      let run = try await run("api", "get", "https://service.invalid/", "--proxy", proxy.origin)
      #expect(run.status == .exited(code), "\(run.errorText)")
      #expect(run.errorText.contains("the proxy"), "\(run.errorText)")
      #expect(run.errorText.contains(text), "\(run.errorText)")
      #expect(proxy.requests.map(\.method) == ["CONNECT"])
    }
    for answer in ["garbage\r\n\r\n", ""] {
      let proxy = try TestHTTPServer { _ in .raw(Array(answer.utf8)) }
      let run = try await run("api", "get", "https://service.invalid/", "--proxy", proxy.origin)
      #expect(run.status == .exited(76), "\(run.errorText)")
      #expect(run.errorText.contains("through the proxy \(proxy.origin) broke"), "\(run.errorText)")
    }
    for (proxy, code) in [("nonsense", 64), ("http://u:secret-word@127.0.0.1:1", 64)] {
      let run = try await run("api", "get", "http://h.invalid/", "--proxy", proxy)
      #expect(run.status == .exited(Int32(code)))
      #expect(!run.errorText.contains("secret-word"), "\(run.errorText)")
    }
  }

  @Test("a proxy of the environment is named where it refuses, and asked for no excepted host")
  func aProxyOfTheEnvironment() async throws {
    let proxy = try TestHTTPServer { _ in .response(.init(403)) }
    let server = try TestHTTPServer()
    for (exception, code) in [("other", 4), ("127.0.0.1", 0)] {
      let run = try await program.run(
        ["--home", "h", "api", "get", "\(server.origin)/echo"],
        environment: ["http_proxy": proxy.origin, "no_proxy": exception])
      #expect(run.status == .exited(Int32(code)), "\(run.errorText)")
      let isNamed = run.errorText.contains("through the proxy \(proxy.origin) (http_proxy)")
      #expect(isNamed == (code == 4), "\(run.errorText)")
    }
    #expect(proxy.requests.count == 1 && server.requests.count == 1)
  }

  @Test("a login that a proxy refuses is sent once, and no kept answer stands in for it")
  func aRefusedLogin() async throws {
    let proxy = try TestHTTPServer { request in
      // u:p
      .response(
        request.header("Proxy-Authorization") == "Basic dTpw" ? .init(json: "{}") : .init(407))
    }
    let place = proxy.origin.dropFirst("http://".count)
    for (login, code, count) in [("u:p", 0, 1), ("u:wrong", 4, 2)] as [(String, Int32, Int)] {
      let run = try await program.run(
        ["--home", "h", "api", "get", "http://service.invalid/", "--retry", "2"],
        environment: ["http_proxy": "http://\(login)@\(place)"])
      #expect(run.status == .exited(code), "\(run.errorText)")
      #expect(proxy.requests.count == count)
    }
  }

  // MARK: Other places

  @Test("a socket of the file system is connected to") func aSocketIsConnectedTo() async throws {
    let path = program.folder.path("socket")
    let server = try TestHTTPServer(at: .socket(path: path))
    let run = try await run("api", "get", "http://any.invalid/echo", "--unix-socket", "socket")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(server.requests.first?.header("Host") == "any.invalid")
    // It is another answer than that of the host, and not kept for it.
    let kept = try await self.run("--json", "api", "cache", "list")
    #expect(kept.outputText.contains(#""value":[]"#))
    let none = try await self.run("api", "get", "http://h.invalid/", "--unix-socket", "nothing")
    #expect(none.status == .exited(69))
    #expect(none.errorText.contains("the socket nothing"), "\(none.errorText)")
    let long = String(repeating: "x", count: 200)
    let tooLong = try await self.run("api", "get", "http://h.invalid/", "--unix-socket", long)
    #expect(tooLong.status == .exited(64))
  }

  @Test("an address of IPv6 is asked", .enabled(if: TestHTTPServer.hasIPv6))
  func anAddressOfIPv6() async throws {
    let server = try TestHTTPServer(at: .ipv6)
    let run = try await run("api", "get", "\(server.origin)/echo")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(server.requests.first?.header("Host") == "[::1]:\(server.port)")
  }

  private static let nginx = "/usr/sbin/nginx"

  /// Whether nginx, with TLS, can stand between the program and a service.
  private static let hasNginx =
    FileManager.default.isExecutableFile(atPath: nginx) && TestTLSServer.isAvailable

  /// Starts nginx with HTTP/2 at the socket `s` with the certificate `c`.
  ///
  /// - Parameters:
  ///   - upstream: The server that it asks for what is under `/up/`.
  ///   - requests: The number of requests after which a connection ends.
  private func startNginx(
    before upstream: TestHTTPServer, requestsPerConnection requests: Int = 1000
  ) async throws -> ChildProcess {
    let folder = program.folder
    let openssl = try await runProcess(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
        "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "k",
        "-out", "c",
      ], folder: folder.path)
    #expect(openssl.status == .exited(0), "\(openssl.errorText)")
    try folder.write(
      """
      daemon off; master_process off; pid \(folder.path("pid")); error_log stderr notice;
      events {}
      http {
        access_log off; client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp;
        uwsgi_temp_path tmp; scgi_temp_path tmp; client_max_body_size 10m;
        keepalive_requests \(requests);
        server {
          listen unix:\(folder.path("s")) ssl http2; ssl_certificate \(folder.path("c"));
          ssl_certificate_key \(folder.path("k")); root \(folder.path);
          location = /version { return 200 "$server_protocol"; }
          location /up/ { proxy_pass \(upstream.origin)/; }
        }
      }

      """, to: "nginx.conf")
    let process = try ChildProcess(
      Self.nginx, ["-p", folder.path, "-c", folder.path("nginx.conf")], folder: folder.path)
    #expect(
      await process.waitForError("getrlimit"), "\(String(decoding: process.error, as: UTF8.self))")
    return process
  }

  private func runOverHTTP2(_ words: String...) async throws -> ChildProcess.Outcome {
    try await program.run(["--home", "h"] + words + ["--cacert", "c", "--unix-socket", "s"])
  }

  @Test("a service that has HTTP/2 is asked so", .enabled(if: hasNginx))
  func aServiceThatHasHTTP2() async throws {
    let folder = program.folder
    try folder.write(TestHTTPServer.pattern(0..<3_000_000), to: "big")
    let process = try await startNginx(before: TestHTTPServer())
    defer { process.signal(SIGKILL) }
    let origin = "https://localhost"
    let version = try await runOverHTTP2("api", "get", "\(origin)/version")
    #expect(version.outputText == "HTTP/2.0", "\(version.errorText)")
    let headers = try await runOverHTTP2("api", "get", "\(origin)/version", "--headers")
    #expect(headers.outputText.hasPrefix("HTTP/2 200\n"), "\(headers.outputText)")
    // A real server's validators and ranges.
    let big = try await runOverHTTP2(
      "api", "get", "\(origin)/big", "--out", "got", "--resume")
    #expect(big.status == .exited(0), "\(big.errorText)")
    #expect(try folder.read("got") == TestHTTPServer.pattern(0..<3_000_000))
    let whole = try await runOverHTTP2("api", "get", "\(origin)/big")
    #expect(whole.output == TestHTTPServer.pattern(0..<3_000_000))
  }

  @Test(
    "an answer that breaks off over HTTP/2 is truncated, and asked for again",
    .enabled(if: hasNginx))
  func aBreakOverHTTP2() async throws {
    let server = try TestHTTPServer()
    let process = try await startNginx(before: server)
    defer { process.signal(SIGKILL) }
    let run = try await runOverHTTP2(
      "api", "get", "https://localhost/up/faults/cut", "--retry", "1")
    #expect(run.status == .exited(76), "\(run.errorText)")
    #expect(run.errorText.contains("reset the request before its answer"), "\(run.errorText)")
    #expect(server.requests.count == 2)
  }

  @Test(
    "of requests on a connection of HTTP/2 that ends, each is carried out once or not",
    .enabled(if: hasNginx))
  func endingConnection() async throws {
    let server = try TestHTTPServer()
    let process = try await startNginx(before: server, requestsPerConnection: 3)
    defer { process.signal(SIGKILL) }
    let options = "--cacert c --unix-socket s --cache noCache"
    let posts = (0..<12).map { "api post https://localhost/up/echo x=\($0) \(options) &" }
    let lines = ["api get https://localhost/version \(options)"] + posts + ["wait"]
    let run = try await program.run(
      ["--home", "h", "-q", "-k"], stdin: lines.joined(separator: "\n") + "\n")
    // libcurl repeats those that it knows to be refused. The others have failed, and may be
    // repeated by the user.
    let failures = run.errorText.split(separator: "may have carried out the request").count - 1
    #expect(server.requests.count + max(0, failures) >= posts.count, "\(run.errorText)")
    #expect(Set(server.requests.map(\.body)).count == server.requests.count)
  }

  @Test(
    "a body that is sent while it is read goes with a digest where HTTP/2 is spoken",
    .enabled(if: hasNginx))
  func aDigestWithALongBodyOverHTTP2() async throws {
    let server = try Self.digestServer("x")
    let process = try await startNginx(before: server)
    defer { process.signal(SIGKILL) }
    let body = TestHTTPServer.pattern(0..<3_000_000)
    try program.folder.write(body, to: "big")
    let names = try await run("keychain", "list", "--plain")
    let secret = try #require(names.outputText.split { $0 == "\n" || $0 == "\t" }.first)
    // The first request leaves a connection of HTTP/2.
    let url = "https://localhost/up/a"
    let options = "--cacert c --unix-socket s --auth digest:joe:{{secret:\(secret)}}"
    let run = try await run(
      "-c", "api get https://localhost/version --cacert c --unix-socket s", "-c",
      "api post \(url) @big \(options)")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.hasPrefix("HTTP/2.0"), "\(run.outputText)")
    #expect(server.requests.last?.body == body)
  }

  // MARK: As whom

  /// Answers as RFC 7616 asks, with MD5.
  private static func digestServer(_ password: String) throws -> TestHTTPServer {
    try TestHTTPServer { request in
      guard let given = request.header("Authorization"), given.hasPrefix("Digest ") else {
        return .response(
          .init(
            401,
            headers: [("WWW-Authenticate", #"Digest realm="r", nonce="n0", qop="auth""#)]))
      }
      return .response(.init(200, body: Array(given.utf8)))
    }
  }

  @Test("a challenge is answered with a digest, for a service and for a line, with any body")
  func aChallengeIsAnswered() async throws {
    let server = try Self.digestServer("x")
    let other = try TestHTTPServer()
    let names = try await run("keychain", "list", "--plain")
    let secret = try #require(names.outputText.split { $0 == "\n" || $0 == "\t" }.first)
    let auth = "digest:joe:{{secret:\(secret)}}"
    #expect(
      try await run("api", "service", "add", "s", server.origin, "--auth", auth).status
        == .exited(0))
    let shown = try await run("api", "service", "show", "s", "--json")
    #expect(shown.outputText.contains("digest:joe"), "\(shown.outputText)")
    let get = try await run("api", "get", "s/a")
    #expect(get.status == .exited(0), "\(get.errorText)")
    #expect(get.outputText.contains(#"username="joe""#) && get.outputText.contains("response="))
    try program.folder.write(TestHTTPServer.pattern(0..<3_000_000), to: "big")
    let post = try await run("api", "post", "\(server.origin)/b", "@big", "--auth", auth)
    #expect(post.status == .exited(0), "\(post.errorText)")
    #expect(server.requests.last?.body == TestHTTPServer.pattern(0..<3_000_000))
    // Another host is not told.
    let redirect = try TestHTTPServer { request in
      .response(.init(302, headers: [("Location", "\(other.origin)/echo")]))
    }
    let gone = try await run("api", "get", redirect.origin, "--auth", auth, "--follow", "1")
    #expect(gone.status == .exited(0), "\(gone.errorText)")
    #expect(other.requests.first?.header("Authorization") == nil)
  }

  @Test("a line's own key stands before the service's") func aLinesOwnKey() async throws {
    let server = try TestHTTPServer()
    let names = try await run("keychain", "list", "--plain")
    let secret = try #require(names.outputText.split { $0 == "\n" || $0 == "\t" }.first)
    let run = try await run(
      "api", "get", "\(server.origin)/echo", "--auth", "bearer:{{secret:\(secret)}}")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(server.requests.first?.header("Authorization")?.hasPrefix("Bearer ") == true)
    let literal = try await self.run("api", "get", server.origin, "--auth", "bearer:abcdefgh")
    #expect(literal.status == .exited(64))
    #expect(server.requests.count == 1)
  }

  @Test("a preset takes another secret and another user") func aPresetTakesAnotherSecret()
    async throws
  {
    for (name, options, expected) in [
      ("a", ["--preset", "radarr"], "header:X-Api-Key={{secret:a}}"),
      ("b", ["--preset", "radarr", "--secret", "s"], "header:X-Api-Key={{secret:s}}"),
      ("c", ["--preset", "nzbget", "--secret", "s", "--user", "u"], "basic:u:{{secret:s}}"),
    ] {
      let add = try await program.run(
        ["--home", "h", "api", "service", "add", name, "http://127.0.0.1:1"] + options)
      #expect(add.status == .exited(0), "\(add.errorText)")
      let shown = try await run("api", "service", "show", name)
      #expect(shown.outputText.contains(expected), "\(shown.outputText)")
    }
    let alone = try await run(
      "api", "service", "add", "d", "http://127.0.0.1:1", "--secret", "s")
    #expect(alone.status == .exited(64))
  }

  // MARK: Tries

  @Test("what may have been carried out is not sent twice") func whatMayHaveBeenCarriedOut()
    async throws
  {
    let server = try TestHTTPServer { request in
      .response(.init(503, headers: [("Retry-After", "0")]))
    }
    for (method, count) in [("post", 1), ("patch", 1), ("put", 3), ("delete", 3), ("get", 3)] {
      let before = server.requests.count
      let run = try await run("api", method, "\(server.origin)/\(method)", "--retry", "2")
      #expect(run.status == .exited(5))
      #expect(server.requests.count - before == count, "\(method)")
    }
    let before = server.requests.count
    _ = try await run("api", "post", server.origin, "--retry", "2", "Idempotency-Key:a1")
    #expect(server.requests.count - before == 3)
    let cut = try TestHTTPServer { _ in .raw([]) }
    #expect(try await run("api", "post", cut.origin, "a=1", "--retry", "2").status == .exited(76))
    #expect(cut.requests.count == 1)
  }

  @Test("Retry-After may be a date") func retryAfterMayBeADate() async throws {
    let server = try TestHTTPServer { request in
      .response(.init(503, headers: [("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT")]))
    }
    let run = try await run("api", "get", server.origin, "--retry", "1")
    #expect(run.status == .exited(5))
    #expect(server.requests.count == 2)
  }

  @Test("one connection serves a whole script") func oneConnection() async throws {
    let server = try TestHTTPServer()
    let lines = (0..<50).map { "api get \(server.origin)/echo n==\($0)\n" }.joined()
    try program.folder.write(lines, to: "s.sb")
    let run = try await run("-f", "s.sb")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(server.requests.count == 50)
    #expect(server.connectionCount == 1)
  }
}
