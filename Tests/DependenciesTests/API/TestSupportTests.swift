import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The tools of the tests are tested too: a test that cannot fail proves nothing.
struct TestSupportTests {
  @Test("a program runs with input, folder and environment")
  func runsAProgramWithInputFolderAndEnvironment() async throws {
    let folder = try SwiftBoardTestSupport.TemporaryFolder()
    let outcome = try await runProcess(
      "/bin/sh", ["-c", "cat; pwd; echo $WORD >&2; exit 3"], stdin: Array("in\n".utf8),
      environment: ["WORD": "value"], folder: folder.path)
    #expect(outcome.outputText == "in\n\(folder.path)\n")
    #expect(outcome.errorText == "value\n")
    #expect(outcome.status == .exited(3))
  }

  @Test("a running program can be signalled") func signalsARunningProgram() async throws {
    let child = try ChildProcess("/bin/sh", ["-c", "echo ready; exec cat"])
    #expect(await child.waitForOutput("ready"))
    child.signal(15)
    #expect(await child.wait().status == .signaled(15))
    #expect(child.writeInput("nobody reads") == false)
  }

  @Test("a child inherits no descriptor") func aChildInheritsNoDescriptor() async throws {
    let server = try TestHTTPServer()
    let outcome = try await runProcess("/bin/sh", ["-c", "ls /dev/fd/ | wc -l"])
    // 0, 1, 2 and the folder that ls reads.
    #expect(Int(outcome.outputText.filter(\.isNumber)) ?? 99 <= 4)
    withExtendedLifetime(server) {}
  }

  @Test("a terminal is a terminal") func aTerminalIsATerminal() async throws {
    let shell = try PtyProcess(
      "/bin/sh", ["-c", "test -t 0 && test -t 1 && stty size && read word && echo got=$word"],
      columns: 100, rows: 30)
    #expect(await shell.waitForOutput("30 100"))
    shell.type("hello\r")
    #expect(await shell.wait() == .exited(0))
    #expect(shell.outputText.contains("got=hello"))
  }

  @Test("Control-C reaches the program on a terminal") func controlCReachesTheProgramOnATerminal()
    async throws
  {
    let shell = try PtyProcess("/bin/sh", ["-c", "echo ready; exec cat"])
    #expect(await shell.waitForOutput("ready"))
    shell.type("\u{3}")
    #expect(await shell.wait() == .signaled(2))
  }

  @Test("a temporary folder goes with its contents") func aTemporaryFolderGoesWithItsContents()
    throws
  {
    var folder: SwiftBoardTestSupport.TemporaryFolder? = try SwiftBoardTestSupport.TemporaryFolder()
    let file = try #require(try folder?.write("text", to: "file"))
    #expect(try folder?.read("file") == Array("text".utf8))
    folder = nil
    #expect(access(file, F_OK) != 0)
  }
}
