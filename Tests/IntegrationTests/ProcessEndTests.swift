import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The end of the program's process.
@Suite(.timeLimit(.minutes(20))) struct ProcessEndTests {
  /// A library with an exit handler, which leaves a file.
  private static let library = """
    #include <fcntl.h>
    #include <stdlib.h>
    static void leave(void) { open("handled", O_CREAT | O_WRONLY, 0600); }
    __attribute__((constructor)) static void begin(void) { atexit(leave); }

    """

  @Test(
    "exit handlers of libraries do not run, because a thread may still use what they release",
    .enabled("there is no C compiler") { Interposer.isAvailable },
    arguments: [["-c", "echo on"], ["-c", "exit 3"]])
  func exitHandlers(arguments: [String]) async throws {
    let program = try Program()
    let library = try await Interposer.make(Self.library, for: program)
    let run = try await program.shell(
      "LD_PRELOAD='\(library)' \"$0\" --home h "
        + arguments.map { "'\($0)'" }.joined(separator: " "))
    #expect(run.status == .exited(arguments.last == "exit 3" ? 3 : 0), "\(run.errorText)")
    #expect(try !program.files().contains("handled"))
  }

  @Test(
    "the exit handler of a library runs at the end of another program",
    .enabled("there is no C compiler") { Interposer.isAvailable })
  func otherProgram() async throws {
    let program = try Program()
    let library = try await Interposer.make(Self.library, for: program)
    _ = try await program.shell("LD_PRELOAD='\(library)' /bin/cat /dev/null")
    #expect(try program.files().contains("handled"))
  }
}
