import SwiftBoardTestSupport
import Testing

/// A process that may open few files.
struct OpenFileLimitTests {
  @Test(
    "the program refuses to start if it may open fewer files than it needs", arguments: [6, 31])
  func tooFew(limit: Int) async throws {
    let outcome = try await Program().shell("ulimit -n \(limit) && \"$0\" echo x")
    #expect(outcome.status == .exited(74))
    #expect(outcome.output == [])
    #expect(
      outcome.errorText == """
        swiftboard: error: the limit of open files is \(limit), and at least 32 are needed
        help: raise it with 'ulimit -n 256'

        """)
  }

  @Test("with as many files as are needed, a request is answered")
  func enough() async throws {
    let server = try TestHTTPServer { _ in .response(.init(json: "1")) }
    let outcome = try await Program().shell(
      "ulimit -n 32 && \"$0\" --home h --record r.jsonl api get \(server.origin)/x")
    #expect(outcome.status == .exited(0), "\(outcome.errorText)")
    #expect(outcome.outputText == "1")
  }
}
