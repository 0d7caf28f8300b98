import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

@Suite("Redirects")
struct RedirectTests {
  @Test(
    "a redirect that waits for a pipe's reader takes no thread from anything else",
    .timeLimit(.minutes(20)))
  func pipes() async throws {
    let folder = try TemporaryFolder()
    let lines = Lines()
    let pipes = (0..<64).map { folder.path("pipe\($0)") }
    for pipe in pipes { #expect(mkfifo(pipe, 0o600) == 0) }
    await withTaskGroup(of: Int32.self) { group in
      for pipe in pipes { group.addTask { await lines.run("echo x > \(pipe)") } }
      #expect(await lines.run("echo y") == 0)
      for pipe in pipes {
        let read = try? await LiveFileService().read(pipe, limit: 100)
        #expect(read == .init("x\n".utf8))
      }
      for await code in group { #expect(code == 0) }
    }
  }

  @Test("a pipe whose reader stalls holds up no other file and no end", .timeLimit(.minutes(20)))
  func stalledReader() async throws {
    let folder = try TemporaryFolder()
    let redirects = RedirectFiles { _ in }
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    let reader = open(folder.path("pipe"), O_RDWR | O_CLOEXEC)
    #expect(await redirects.open(folder.path("pipe"), appends: false, job: 1) == nil)
    #expect(await redirects.open(folder.path("file"), appends: false, job: 2) == nil)
    // More than a pipe holds.
    async let stalled: Void = DetachedThread.run {
      redirects.write([UInt8](repeating: 0x78, count: 4 << 20), job: 1)
    }
    // It is being written to as soon as anything comes out.
    _ = await DetachedThread.run {
      var byte: UInt8 = 0
      return read(reader, &byte, 1)
    }
    redirects.write(Array("x".utf8), job: 2)
    redirects.closeAll()
    #expect(try folder.read("file") == Array("x".utf8))
    // The write ends when all of it is read.
    var rest = [UInt8](repeating: 0, count: 1 << 16)
    var left = (4 << 20) - 1
    while left > 0 { left -= max(0, read(reader, &rest, rest.count)) }
    await stalled
    close(reader)
  }

  @Test("a job that writes to a pipe without a reader fails at once")
  func pipeInBackground() async throws {
    let folder = try TemporaryFolder()
    let (lines, pipe) = (Lines(), folder.path("pipe"))
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(await lines.run("echo x > \(pipe) &") == 0)
    #expect(await lines.run("wait") == 73)
    #expect(lines.allPrinted.contains("no program reads the pipe '\(pipe)'"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("help: start its reader first"), "\(lines.allPrinted)")
    let reader = open(pipe, O_RDWR | O_CLOEXEC)
    defer { close(reader) }
    #expect(await lines.run("echo x > \(pipe) &") == 0)
    #expect(await lines.run("wait") == 0)
    await lines.board.close()
  }

  @Test(
    "cancelling a line ends its wait for the other end of a pipe", .timeLimit(.minutes(20)),
    arguments: [
      "echo x > PIPE", "echo x >> PIPE", "source PIPE", "db import PIPE", "db export PIPE",
      "api post http://h/ @PIPE", "api post http://h/ m=@PIPE",
    ])
  func cancelled(text: String) async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let world = World()
    var dependencies = world.dependencies
    dependencies.files = LiveFileService()
    let lines = Lines(world, dependencies: dependencies)
    let task = Task { await lines.run(text.replacing("PIPE", with: pipe)) }
    task.cancel()
    #expect(await task.value == 130)
    #expect(lines.allPrinted.contains("error: cancelled\n"), "\(lines.allPrinted)")
    #expect(await lines.run("echo y") == 0)
  }

  @Test("the file of a command stays open for others that write into it")
  func lentFile() async throws {
    let folder = try TemporaryFolder()
    let redirects = RedirectFiles { _ in }
    #expect(await redirects.open(folder.path("file"), appends: false, job: 1) == nil)
    redirects.give(1, to: -1)
    // A file that is run by a line of the file, a repeated command in it, and its round.
    redirects.lend(-1, to: 2)
    redirects.give(2, to: -2)
    redirects.lend(-2, to: 3)
    redirects.lend(3, to: 4)
    redirects.lend(-1, to: 5)
    for job in [5, -2, -1] { #expect(redirects.close(job, status: 0) == nil) }
    redirects.write(Array("round\n".utf8), job: 4)
    #expect(redirects.close(4, status: 66) == nil)
    redirects.write(Array("end\n".utf8), job: 3)
    #expect(redirects.close(3, status: 0) == nil)
    #expect(try folder.read("file") == Array("round\nend\n".utf8))
  }

  @Test(
    "a command that fails does not remove what others have written to its new file",
    arguments: [false, true])
  func failedWithOthers(appends: Bool) async throws {
    let folder = try TemporaryFolder()
    let redirects = RedirectFiles { _ in }
    let path = folder.path("file")
    #expect(await redirects.open(path, appends: appends, job: 1) == nil)
    #expect(await redirects.open(path, appends: true, job: 2) == nil)
    #expect(await redirects.open(path, appends: true, job: 3) == nil)
    redirects.write(Array("two\n".utf8), job: 2)
    #expect(redirects.close(2, status: 0) == nil)
    #expect(redirects.close(1, status: 75) == nil)
    redirects.write(Array("three\n".utf8), job: 3)
    #expect(redirects.close(3, status: 0) == nil)
    #expect(try folder.read("file") == Array("two\nthree\n".utf8))
  }

  @Test("a new file stays while another command has it open, also if nothing is in it yet")
  func failedBeforeOthers() async throws {
    let folder = try TemporaryFolder()
    let redirects = RedirectFiles { _ in }
    #expect(await redirects.open(folder.path("file"), appends: true, job: 1) == nil)
    #expect(await redirects.open(folder.path("file"), appends: true, job: 2) == nil)
    #expect(redirects.close(1, status: 75) == nil)
    redirects.write(Array("two\n".utf8), job: 2)
    #expect(redirects.close(2, status: 0) == nil)
    #expect(try folder.read("file") == Array("two\n".utf8))
  }

  @Test("a file that another command is writing is truncated, and not replaced")
  func openFile() async throws {
    let folder = try TemporaryFolder()
    let redirects = RedirectFiles { _ in }
    for (first, appends) in [("log", true), ("new", false)] {
      let path = folder.path(first)
      #expect(await redirects.open(path, appends: appends, job: 1) == nil)
      redirects.write(Array("before\n".utf8), job: 1)
      #expect(await redirects.open(path, appends: false, job: 2) == nil)
      redirects.write(Array("reset\n".utf8), job: 2)
      #expect(redirects.close(2, status: 0) == nil)
      redirects.write(Array("after\n".utf8), job: 1)
      #expect(redirects.close(1, status: 0) == nil)
      #expect(try folder.read(first) == Array("reset\nafter\n".utf8))
    }
  }

  @Test(
    "a file that another command will replace is not opened until then", arguments: [false, true])
  func replacedFile(appends: Bool) async throws {
    let folder = try TemporaryFolder()
    let redirects = RedirectFiles { _ in }
    let (path, link) = (folder.path("file"), folder.path("link"))
    try folder.write("old\n", to: "file")
    #expect(symlink(path, link) == 0)
    #expect(await redirects.open(path, appends: false, job: 1) == nil)
    for name in [path, link] {
      let failure = await redirects.open(name, appends: appends, job: 2)
      #expect(failure?.code == 73)
      #expect(
        failure?.message.hasPrefix("\(name) cannot be written while another command replaces it")
          == true)
    }
    redirects.write(Array("new\n".utf8), job: 1)
    #expect(redirects.close(1, status: 0) == nil)
    #expect(await redirects.open(link, appends: appends, job: 2) == nil)
    redirects.write(Array("more\n".utf8), job: 2)
    #expect(redirects.close(2, status: 0) == nil)
    #expect(try folder.read("file") == Array((appends ? "new\nmore\n" : "more\n").utf8))
  }

  @Test("a line of a sourced file cannot write to the file that its results replace")
  func sourcedIntoTheReplacedFile() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out")
    try folder.write("old\n", to: "out")
    try folder.write("echo mine >> \(path)\n", to: "s.sb")
    let lines = Lines()
    #expect(await lines.run("source \(folder.path("s.sb")) > \(path)") == 73)
    #expect(try folder.read("out") == Array("old\n".utf8))
  }

  @Test("the lines of a sourced file keep what they append to the file of its results")
  func sourcedIntoTheSameFile() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out")
    try folder.write("echo mine >> \(path)\nfail\n", to: "s.sb")
    let lines = Lines()
    #expect(await lines.run("source \(folder.path("s.sb")) >> \(path)") == 64)
    #expect(try folder.read("out") == Array("mine\n".utf8))
  }

  @Test(
    "a command whose output is lost leaves {{last}} as it was",
    .enabled(if: access("/dev/full", W_OK) == 0))
  func lastOfLostOutput() async {
    let lines = Lines()
    #expect(await lines.run("echo a > /dev/full") == 74)
    #expect(lines.board.store.state.shell.last == nil)
    #expect(await lines.run("echo b") == 0)
    #expect(await lines.run("-echo c > /dev/full") == 0)
    #expect(await lines.run("echo {{last}}") == 0)
    #expect(lines.allPrinted.hasSuffix("\nb\n"), "\(lines.allPrinted)")
    let long = String(repeating: "x", count: StateText.longest + 1)
    #expect(await lines.run("echo \(long)") == 0)
    let last = lines.board.store.state.shell.last
    #expect(await lines.run("echo c > /dev/full") == 74)
    #expect(lines.board.store.state.shell.last?.text == "\"\(long)\"")
    #expect(lines.board.store.state.shell.last == last)
    // A reader of the recording has the same state without the text.
    #expect(lines.allSteps.contains(#""earlier":{"value":{"bytes":"#))
    await lines.board.close()
  }

  @Test("a command's end is told as often as it is asked for")
  func waitedForTwice() async {
    let lines = Lines()
    #expect(await lines.run("api nonsense") == 64)
    #expect(await lines.board.wait(for: 1) == 64)
    #expect(await lines.board.wait(for: 1) == 64)
  }
}
