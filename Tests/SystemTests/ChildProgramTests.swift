import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardSystem

struct ChildProgramTests {
  @Test("a program gets its input and output, and its exit code is known")
  func pipes() throws {
    let input = try Descriptor.pipe()
    let output = try Descriptor.pipe()
    let child = try ChildProgram(
      ["sh", "-c", "read a; echo $a$a; exit 7"], input: input.read, output: output.write)
    close(input.read)
    close(output.write)
    TerminalOutput.show("x\n", on: input.write)
    #expect(try Descriptor.read(output.read, atMost: 10) == Array("xx\n".utf8))
    #expect(child.wait() == 7)
    #expect(try Descriptor.read(output.read, atMost: 10) == [])
    close(input.write)
    close(output.read)
  }

  @Test("signals have their default effect")
  func signals() throws {
    let input = try Descriptor.pipe()
    let child = try ChildProgram(["cat"], input: input.read)
    close(input.read)
    child.terminate()
    #expect(child.wait() == 128 + SIGTERM)
    close(input.write)
    for (name, number) in [("PIPE", SIGPIPE), ("XFSZ", SIGXFSZ)] {
      _ = signal(number, SIG_IGN)
      let killed = try ChildProgram(["sh", "-c", "kill -\(name) $$"])
      #expect(killed.wait() == 128 + number)
    }
  }

  @Test("a program inherits no descriptor but 0, 1 and 2")
  func inheritance() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "file")
    // Without O_CLOEXEC: what a library opens.
    let leaked = open(folder.path("file"), O_RDONLY)
    try #require(leaked > STDERR_FILENO)
    defer { close(leaked) }
    #expect(try ChildProgram(["test", "!", "-e", "/dev/fd/\(leaked)"]).wait() == 0)
    #expect(try ChildProgram(["test", "-e", "/dev/fd/2"]).wait() == 0)
  }

  @Test("a program gets the variables, the folder and the error output that are named")
  func surroundings() throws {
    let folder = try TemporaryFolder()
    let output = try Descriptor.pipe()
    let child = try ChildProgram(
      ["/bin/sh", "-c", "pwd -P; echo $WORD; echo ${HOME-none} >&2"],
      environment: ["WORD": "x"], folder: folder.path, output: output.write, error: output.write)
    close(output.write)
    #expect(child.wait() == 0)
    let text = String(decoding: try Descriptor.read(output.read, atMost: 9999), as: UTF8.self)
    close(output.read)
    #expect(text.hasSuffix("/\(folder.path.split(separator: "/").last ?? "")\nx\nnone\n"))
  }

  @Test("a program that is not there is an error")
  func missing() throws {
    let error = #expect(throws: SystemError.self) { try ChildProgram(["no-such-program-here"]) }
    #expect(error?.isMissing == true)
    #expect(!ChildProgram.isInstalled("no-such-program-here"))
    #expect(ChildProgram.isInstalled("sh"))
  }
}
