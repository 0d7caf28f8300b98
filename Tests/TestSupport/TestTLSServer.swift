import SwiftBoardSystem
import Synchronization

/// A real server of HTTPS on 127.0.0.1 and a port of its own: `openssl s_server`, which answers
/// every GET with a page.
///
/// Its certificate is made for it, by an authority of its own. Dropping the value stops the server.
public final class TestTLSServer: Sendable {
  public enum Fault: String, Sendable, CaseIterable {
    /// The certificate is for 127.0.0.1 and holds.
    case none
    /// It ended yesterday; it is for another host; the client has to show one of its own.
    case expired, otherHost, clientCertificate
  }

  public let port: Int
  /// A PEM file with the authority.
  public let authority: String
  /// PEM files with a certificate that `clientCertificate` accepts, and with its key.
  public var clientCertificate: String { folder.path("c.pem") }
  public var clientKey: String { folder.path("c.key") }
  private let process: ChildProcess
  private let folder: TemporaryFolder
  private let keptPort = Mutex<ClosedPort?>(nil)

  /// `https://127.0.0.1:PORT`, without a slash at the end.
  public var origin: String { "https://127.0.0.1:\(port)" }

  /// Whether there is an `openssl` that can do it.
  public static let isAvailable: Bool = {
    #if os(Linux)
      access(openssl, X_OK) == 0
    #else
      // LibreSSL has other options.
      false
    #endif
  }()

  private static let openssl = "/usr/bin/openssl"

  public init(_ fault: Fault = .none) async throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    func openssl(_ arguments: String) async throws {
      let run = try await runProcess(
        Self.openssl, arguments.split(separator: " ").map(String.init), folder: folder.path)
      guard run.status == .exited(0) else { throw Failure(description: run.errorText) }
    }
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    try await openssl("req -x509 \(key) -days 2 -subj /CN=authority -keyout a.key -out a.pem")
    try await openssl("req \(key) -subj /CN=server -keyout s.key -out s.csr")
    try folder.write(
      "subjectAltName=\(fault == .otherHost ? "DNS:other.example" : "IP:127.0.0.1")\n", to: "names")
    try await openssl(
      """
      x509 -req -in s.csr -CA a.pem -CAkey a.key -CAcreateserial -extfile names -out s.pem \
      -days \(fault == .expired ? -1 : 2)
      """)
    authority = folder.path("a.pem")
    let verifies =
      fault == .clientCertificate
      ? ["-Verify", "1", "-verify_return_error", "-CAfile", "a.pem"] : []
    if fault == .clientCertificate {
      try await openssl("req \(key) -subj /CN=client -keyout c.key -out c.csr")
      try await openssl(
        "x509 -req -in c.csr -CA a.pem -CAkey a.key -CAcreateserial -out c.pem -days 2")
    }
    process = try ChildProcess(
      Self.openssl,
      ["s_server", "-accept", "127.0.0.1:0", "-cert", "s.pem", "-key", "s.key", "-www"] + verifies,
      folder: folder.path)
    await process.waitForOutput("ACCEPT 127.0.0.1:")
    let text = String(decoding: process.output, as: UTF8.self)
    guard let start = text.firstRange(of: "ACCEPT 127.0.0.1:"),
      let port = Int(text[start.upperBound...].prefix { $0.isNumber })
    else { throw Failure(description: text) }
    self.port = port
  }

  deinit { process.signal(SIGKILL) }

  /// Stops it and waits until nothing listens any more.
  public func stop() async {
    process.signal(SIGKILL)
    _ = await process.wait()
    // No other server gets the port.
    let port = try? ClosedPort(number: port)
    keptPort.withLock { $0 = port }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}
