import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// What `db` has acknowledged is there, whatever happens to the program and its disk.
@Suite("Durability of the database", .timeLimit(.minutes(20)))
struct DatabaseDurabilityTests {
  /// The documents that a run says it has saved.
  private static func saved(_ outcome: ChildProcess.Outcome) -> Set<String> {
    Set(
      outcome.errorText.split(separator: "\n").filter { $0.hasPrefix("saved c/") }
        .map { String($0.dropFirst("saved c/".count)) })
  }

  private static func stored(_ program: Program) async throws -> Set<String> {
    let list = try await program.run(
      "--home", "h", "-o", "csv", "-c", "db check", "-c", "db list c")
    #expect(list.status == .exited(0), "\(list.errorText)")
    let rows = list.outputText.split(whereSeparator: \.isNewline).dropFirst()
    return Set(rows.map { String($0.prefix { $0 != "," }) })
  }

  @Test("what was put before a kill is there after it, whenever it comes")
  func killed() async throws {
    let program = try Program()
    for count in [1, 3, 13, 34] {
      let script = (0..<60).map { "db put c \(count)-\($0) {\"n\":\($0)}\n" }
      try program.folder.write(script.joined(), to: "s")
      let child = try program.start("--home", "h", "-f", "s")
      #expect(await child.waitForError("saved c/\(count)-\(count)\n"))
      child.signal(9)
      let acknowledged = Self.saved(await child.wait())
      let stored = try await Self.stored(program).filter { $0.hasPrefix("\(count)-") }
      #expect(stored.isSuperset(of: acknowledged))
      #expect(stored.count <= acknowledged.count + 1)
    }
  }

  @Test("processes that put at the same time lose nothing of each other")
  func together() async throws {
    let program = try Program()
    for writer in 0..<4 {
      let script = (0..<25).map { "db put c \(writer)-\($0) {\"n\":\($0)}\n" }
      try program.folder.write(script.joined(), to: "s\(writer)")
    }
    let children = try (0..<4).map { try program.start("--home", "h", "-f", "s\($0)") }
    var acknowledged: Set<String> = []
    for child in children {
      let outcome = await child.wait()
      #expect(outcome.status == .exited(0), "\(outcome.errorText)")
      acknowledged.formUnion(Self.saved(outcome))
    }
    #expect(acknowledged.count == 100)
    #expect(try await Self.stored(program) == acknowledged)
  }

  @Test(
    "a home on a disk that may only be read is read",
    .enabled("no disk may be mounted", NameSpaces.canMount))
  func readOnlyHome() async throws {
    let program = try Program()
    let put = try await program.run("--home", "h", "-c", "db put c 1 {\"n\":1}")
    try #require(put.status == .exited(0), "\(put.errorText)")
    try program.makeFolder("disk")
    let outcome = try await program.shell(
      """
      exec unshare -Urm sh -c 'mount -t tmpfs none disk && cp -r h disk/h &&
        mount -o remount,ro none disk || exit 99
        exec "$0" --home disk/h -k -c "db get c 1" -c "db list" -c "db check" -c "db put c 2 1"' "$0"
      """)
    #expect(outcome.status == .exited(74), "\(outcome.errorText)")
    #expect(outcome.outputText.contains("\"n\": 1\n"), "\(outcome.outputText)")
    #expect(outcome.outputText.contains("c           1\n"), "\(outcome.outputText)")
    #expect(outcome.errorText.contains("the database is whole"), "\(outcome.errorText)")
    #expect(outcome.errorText.ranges(of: "error: ").count == 1, "\(outcome.errorText)")
  }

  @Test(
    "a database on a full disk is checked and counted, with a cache whose log has no index",
    .enabled("no disk may be mounted", NameSpaces.canMount))
  func fullHome() async throws {
    let program = try Program()
    let put = try await program.run(
      "--home", "h", "-c", "db put c 1 {\"n\":1}", "-c", "-api head http://127.0.0.1:1/")
    try #require(put.status == .exited(0), "\(put.errorText)")
    try program.makeFolder("disk")
    let outcome = try await program.shell(
      """
      exec unshare -Urm sh -c 'mount -t tmpfs -o size=700k none disk && cp -r h disk/h || exit 99
        rm -f disk/h/*-shm
        cat /dev/zero > disk/filler 2> errors
        "$0" --home disk/h -c "db backup copy.sqlite"; echo "status $?"
        exec "$0" --home disk/h -k -c "db check" -c "db stats"' "$0"
      """)
    #expect(outcome.status == .exited(0), "\(outcome.errorText)")
    #expect(outcome.errorText.contains("the database is whole"), "\(outcome.errorText)")
    #expect(outcome.outputText.contains("log_records      1\n"), "\(outcome.outputText)")
    // A copy needs the writing connection.
    #expect(outcome.outputText.hasPrefix("status 74\n"), "\(outcome.outputText)")
    let reason = "there is no space left for the database ("
    #expect(outcome.errorText.ranges(of: reason).count == 1, "\(outcome.errorText)")
  }

  // MARK: A disk that refuses

  /// Fails every `call` on a file that ends in `-wal`, from the call `FAULT_FROM` on.
  private static let interposer = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>

    static int calls = 0;

    static int fails(const char *call, int file) {
      char link[64], path[4096];
      if (strcmp(call, getenv("FAULT_CALL"))) return 0;
      snprintf(link, sizeof link, "/proc/self/fd/%d", file);
      ssize_t size = readlink(link, path, sizeof path - 1);
      if (size < 4 || strncmp(path + size - 4, "-wal", 4)) return 0;
      if (calls++ < atoi(getenv("FAULT_FROM"))) return 0;
      errno = EIO;
      return 1;
    }

    int fsync(int file) {
      return fails("sync", file) ? -1 : ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
    }
    int fdatasync(int file) {
      return fails("sync", file) ? -1 : ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
    }
    ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
      return fails("write", file) ? -1
        : ((ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64"))(
            file, bytes, size, offset);
    }

    """

  @Test(
    "a change that the disk does not take is not acknowledged, and harms no other",
    .enabled("there is no C compiler") { Interposer.isAvailable }, arguments: ["sync", "write"])
  func refusingDisk(call: String) async throws {
    let program = try Program()
    let library = try await Interposer.make(Self.interposer, for: program)
    #expect(
      try await program.run("--home", "h", "db", "put", "c", "old", "1").status == .exited(0))
    var refused = 0
    for from in [0, 1, 2, 4] {
      let lines = (0..<3).map { "db put c \(from)-\($0) {\"n\":\($0)}" } + ["db get c old"]
      let run = try await program.run(
        ["--home", "h", "-k"] + lines.flatMap { ["-c", $0] },
        environment: ["LD_PRELOAD": library, "FAULT_CALL": call, "FAULT_FROM": "\(from)"])
      #expect(run.outputText == "1\n", "\(run.errorText)")
      let acknowledged = Self.saved(run)
      refused += 3 - acknowledged.count
      #expect(run.status == .exited(acknowledged.count == 3 ? 0 : 74), "\(run.errorText)")
      #expect(try await Self.stored(program).isSuperset(of: acknowledged.union(["old"])))
    }
    #expect(refused > 0, "no call failed")
  }
}
