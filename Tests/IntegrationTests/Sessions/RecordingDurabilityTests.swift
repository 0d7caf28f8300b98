import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The faults that a recording of the board survives.
@Suite(.timeLimit(.minutes(20)))
struct RecordingDurabilityTests {
  /// Appends a line to the file `syncs` for each recording that is synchronized.
  private static let interposer = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <stdio.h>
    #include <string.h>
    #include <unistd.h>

    static void count(int file) {
      char link[64], path[4096];
      snprintf(link, sizeof link, "/proc/self/fd/%d", file);
      ssize_t size = readlink(link, path, sizeof path - 1);
      if (size < 6 || strncmp(path + size - 6, ".jsonl", 6)) return;
      int out = open("syncs", O_WRONLY | O_CREAT | O_APPEND, 0600);
      if (write(out, "x", 1) == 1) close(out);
    }

    int fsync(int file) {
      count(file);
      return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
    }
    int fdatasync(int file) {
      count(file);
      return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
    }
    """

  @Test(
    "--durability sync synchronizes each step, and the others none",
    .enabled(if: Interposer.isAvailable), arguments: ["none", "flush", "sync"])
  func durability(_ durability: String) async throws {
    let program = try Program()
    let library = try await Interposer.make(Self.interposer, for: program)
    let run = try await program.run(
      [
        "-c", "session record r.jsonl --durability \(durability)", "-c", "set a 1", "-c", "echo $a",
      ],
      environment: ["LD_PRELOAD": library])
    #expect(run.status == .exited(0), "\(run.errorText)")
    let syncs = try? program.folder.read("syncs")
    #expect(durability == "sync" ? (syncs?.count ?? 0) >= 3 : syncs == nil)
    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
  }

  @Test(
    "--durability none loses no step to a signal",
    arguments: [
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXCPU,
    ])
  func signals(signal: Int32) async throws {
    let program = try Program()
    let child = try program.start("--home", "h")
    child.writeInput("session record r.jsonl --durability none\necho printed\n")
    #expect(await child.waitForOutput("printed\n"))
    child.signal(signal)
    #expect(await child.wait().status == .exited(128 + signal))
    try await program.expectWholeRecording()
    #expect(try program.text("r.jsonl").contains("echo printed"))
  }

  @Test("a durability that does not exist is refused with those that do")
  func unknown() async throws {
    let program = try Program()
    let run = try await program.run("-c", "session record r.jsonl --durability disk")
    #expect(run.status == .exited(64))
    #expect(run.errorText.contains("--durability is one of none, flush, sync, not 'disk'"))
    #expect(try program.files().contains("r.jsonl") == false)
  }
}
