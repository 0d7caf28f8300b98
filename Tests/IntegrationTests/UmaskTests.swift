import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// The permissions of what the program creates do not depend on the owner's part of the umask.
struct UmaskTests {
  @Test(
    "folders and files are the owner's with any umask",
    arguments: ["0700", "0777", "0277", "0077", "0000"])
  func modes(mask: String) async throws {
    let program = try Program()
    let outcome = try await program.shell(
      """
      umask \(mask)
      "$0" --home h --record r.jsonl db put a b 1 && "$0" --home h db get a b > got &&
      "$0" --home h -c 'log note x' && "$0" --home h api service list &&
      "$0" --home h --record h/sessions/s.jsonl echo x
      """)
    #expect(outcome.status == .exited(0), "\(outcome.errorText)")
    let names = ["h", "r.jsonl"] + (try program.files("h").map { "h/\($0)" })
    for name in ["main.sqlite", "log.jsonl", "sessions"] {
      #expect(names.contains("h/\(name)"), "\(names)")
    }
    for name in names {
      var status = stat()
      #expect(lstat(program.folder.path(name), &status) == 0)
      let expected: mode_t = status.st_mode & S_IFMT == S_IFDIR ? 0o700 : 0o600
      #expect(status.st_mode & 0o777 == expected, "\(name)")
    }
  }
}
