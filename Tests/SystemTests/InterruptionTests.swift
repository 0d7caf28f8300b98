import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@Suite("waits that end early", .timeLimit(.minutes(20)))
struct InterruptionTests {
  private func pipe(in folder: TemporaryFolder) throws -> String {
    let path = folder.path("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    return path
  }

  @Test("an interruption before or during a wait for a byte ends it", arguments: [true, false])
  func input(isEarly: Bool) async throws {
    let ends = try Descriptor.pipe()
    let interruption = Interruption()
    if isEarly { interruption.interrupt() }
    async let code = DetachedThread.run { () -> Int32 in
      do throws(SystemError) {
        _ = try interruption.read(ends.read, atMost: 1)
        return 0
      } catch {
        return error.code
      }
    }
    interruption.interrupt()
    #expect(await code == ECANCELED)
    close(ends.read)
    close(ends.write)
  }

  @Test("the end of a pipe's readers is noticed without a write", arguments: [true, false])
  func readersLeave(isEarly: Bool) async throws {
    let ends = try Descriptor.pipe()
    if isEarly { close(ends.read) }
    async let end: Void = DetachedThread.run { Descriptor.waitForEndOfReaders(ends.write) }
    if !isEarly { close(ends.read) }
    await end
    close(ends.write)
  }

  @Test("what can be read is read, and the end is no bytes")
  func available() throws {
    let ends = try Descriptor.pipe()
    let interruption = Interruption()
    TerminalOutput.show("ab", on: ends.write)
    #expect(try interruption.read(ends.read, atMost: 9) == Array("ab".utf8))
    close(ends.write)
    #expect(try interruption.read(ends.read, atMost: 9) == [])
    close(ends.read)
  }

  @Test("cancelling the task ends the wait for the other end of a named pipe")
  func cancelled() async throws {
    let folder = try TemporaryFolder()
    let path = try pipe(in: folder)
    for flags in [O_RDONLY, O_WRONLY] {
      let task = Task { () async -> Int32 in
        do throws(SystemError) {
          _ = try await DetachedThread.runInterruptibly { (interruption) throws(SystemError) in
            try interruption.open(path, flags)
          }
          return 0
        } catch {
          return error.code
        }
      }
      task.cancel()
      #expect(await task.value == ECANCELED)
      try await endOfReaders(ofPipe: path)
    }
  }

  @Test("a named pipe is opened with its other end, and only its reader blocks then")
  func opened() async throws {
    let folder = try TemporaryFolder()
    let path = try pipe(in: folder)
    async let reader = DetachedThread.run { try Interruption().open(path, O_RDONLY) }
    let writer = try await DetachedThread.run { try Interruption().open(path, O_WRONLY) }
    TerminalOutput.show("x", on: writer.number)
    let file = try await reader
    #expect(try Interruption().read(file.number, atMost: 9) == Array("x".utf8))
    #expect(fcntl(file.number, F_GETFL) & O_NONBLOCK == 0)
    #expect(fcntl(writer.number, F_GETFL) & O_NONBLOCK != 0)
    for end in [file, writer] {
      #expect(fcntl(end.number, F_GETFD) & FD_CLOEXEC != 0)
    }
    writer.close()
    #expect(try Interruption().read(file.number, atMost: 9) == [])
  }

  @Test("a file that is no pipe is opened as ever")
  func regular() throws {
    let folder = try TemporaryFolder()
    try folder.write("x", to: "file")
    let file = try Interruption().open(folder.path("file"), O_RDONLY)
    #expect(try Interruption().read(file.number, atMost: 9) == Array("x".utf8))
    let error = #expect(throws: SystemError.self) {
      try Interruption().open(folder.path("none"), O_RDONLY)
    }
    #expect(error?.code == ENOENT)
  }
}
