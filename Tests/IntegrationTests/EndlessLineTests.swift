import SwiftBoardTestSupport
import Testing

/// Lines that have no end are an error, and take no more memory than a line may.
@Suite("Endless lines", .timeLimit(.minutes(20)))
struct EndlessLineTests {
  /// What stands before the program: 2 GiB of address space, a fraction of what a runaway buffer
  /// reaches.
  private static let limited = "ulimit -v 2097152; "

  @Test(
    "a line without an end is 65",
    arguments: [
      "exec \"$0\" --home h -k -c 'source /dev/zero' -c 'echo on'",
      "exec \"$0\" --home h -k -f /dev/zero", "exec \"$0\" --home h -k < /dev/zero",
      "{ echo 'echo <<END'; yes $(printf %09999d 1); } | \"$0\" --home h -k",
      "{ echo \"echo 'x\"; yes $(printf %09999d 1); } | \"$0\" --home h -k",
    ])
  func endless(line: String) async throws {
    let program = try Program()
    let outcome = try await program.shell(Self.limited + line)
    #expect(outcome.status == .exited(65), "\(outcome.errorText)")
    #expect(outcome.errorText.contains("a line of more than 64 MiB"), "\(outcome.errorText)")
    let isSource = line.contains("source")
    #expect(outcome.outputText == (isSource ? "on\n" : ""), "\(outcome.outputText)")
  }
}
