import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// What a program with an open keychain leaves when it crashes.
@Suite(
  .enabled("the system writes no core dumps into the working folder") { CoreDump.isPossible },
  .timeLimit(.minutes(20)))
struct CoreDumpTests {
  /// An entry of the keychain of `Program.withKeychain`, and its value.
  private static let (name, value) = ("api.openai.token", "sk-test-123")

  /// Opens the keychain and crashes. Returns the names of the dumps.
  private func crash(_ program: Program, preload: String? = nil) async throws -> [String] {
    // Without the report of a crash, which Swift's runtime writes.
    let variables = "SWIFT_BACKTRACE=enable=no \(preload.map { "LD_PRELOAD='\($0)'" } ?? "")"
    let command = "ulimit -c $(ulimit -H -c); exec env \(variables) \"$0\" --home h"
    let child = try ChildProcess(
      "/bin/sh", ["-c", command, try Program.executable()],
      environment: program.environment([
        "SWIFTBOARD_PASSPHRASE_FILE": program.folder.path("pass")
      ]),
      folder: program.folder.path)
    child.writeInput("keychain unlock\nkeychain list\n")
    #expect(await child.waitForOutput(Self.name))
    child.signal(SIGABRT)
    #expect(await child.wait().status == .signaled(SIGABRT))
    return try program.files().filter { $0.hasPrefix("core") }
  }

  @Test("a program that crashes with an open keychain leaves no core dump")
  func none() async throws {
    let program = try Program.withKeychain()
    #expect(try await crash(program) == [])
  }

  /// Lets the program be dumped, which it forbids.
  private static let interposer = """
    #include <stdarg.h>
    struct rlimit;
    int setrlimit(int resource, const struct rlimit *limit) { return 0; }
    int prctl(int option, ...) { return 0; }

    """

  @Test(
    "the memory of an open keychain is in no core dump, nor is the passphrase",
    .enabled("there is no C compiler") { Interposer.isAvailable })
  func memory() async throws {
    let program = try Program.withKeychain()
    let library = try await Interposer.make(Self.interposer, for: program)
    let dumps = try await crash(program, preload: library)
    try #require(dumps.count == 1)
    let path = program.folder.path(dumps[0])
    func isDumped(_ text: String) async throws -> Bool {
      try program.folder.write(text, to: "text")
      return try await program.shell("grep -aqF -f text '\(path)'").status == .exited(0)
    }
    // The dump is one of the program with its keychain open.
    #expect(try await isDumped(Self.name))
    #expect(try await !isDumped(Self.value))
    #expect(try await !isDumped(Program.passphrase))
  }
}

enum CoreDump {
  /// Whether a process that crashes leaves a dump in its working folder.
  static var isPossible: Bool {
    guard let pattern = try? FileSystem().open("/proc/sys/kernel/core_pattern", O_RDONLY),
      let bytes = try? FileSystem().read(pattern, limit: 256)
    else { return false }
    // A program or a folder of the system would get them.
    guard bytes.first != UInt8(ascii: "|"), !bytes.contains(UInt8(ascii: "/")) else { return false }
    var limit = rlimit()
    #if canImport(Glibc)
      return getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 && limit.rlim_max > 0
    #else
      return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_max > 0
    #endif
  }
}
