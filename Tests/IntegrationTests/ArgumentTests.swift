import SwiftBoardTestSupport
import Testing

/// The program where `/proc` is lost: under a `chroot`, in a small container, behind `hidepid`.
@Suite(.timeLimit(.minutes(20)))
struct ArgumentTests {
  /// Runs `$0 "$@"` where nothing is below `/proc`.
  private static let hidden = #"unshare -rm sh -c 'mount -t tmpfs none /proc && exec "$0" "$@"' "#

  /// Whether the machine lets a program hide `/proc` from itself.
  private static func canHide() async throws -> Bool {
    #if os(Linux)
      let run = try await runProcess(
        "/bin/sh", ["-c", hidden + "sh -c '! test -e /proc/self/cmdline'"])
      return run.status == .exited(0)
    #else
      return false
    #endif
  }

  @Test(
    "arguments are main's own, and standard input is no script", .enabled { try await canHide() })
  func oneShot() async throws {
    let program = try Program()
    let run = try await program.shell(
      "echo 'topsecret canary' | \(Self.hidden) $0 --home h echo 'two words' '' grüße")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText == "two words  grüße\n")
    #expect(!run.errorText.contains("canary"), "\(run.errorText)")
  }

  @Test("a script has its arguments", .enabled { try await canHide() })
  func script() async throws {
    let program = try Program()
    try program.folder.write("echo $1 $2\n", to: "s.sb")
    let run = try await program.shell("\(Self.hidden) $0 --home h -f s.sb one two < /dev/null")
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText == "one two\n")
  }

  @Test(
    "nothing else needs /proc: keychain, database, log, recording", .enabled { try await canHide() }
  )
  func services() async throws {
    let program = try Program.withKeychain()
    let run = try await program.shell(
      """
      printf hidden | \(Self.hidden) $0 --home h --record r.jsonl -c 'keychain set k --from-stdin' \
      -c 'keychain get k --reveal' -c 'db put c 1 {}' -c 'db get c 1' -c 'log note x' -c 'log stats'
      """, environment: ["SWIFTBOARD_PASSPHRASE_FILE": "pass"])
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.hasPrefix("hidden{"), "\(run.outputText)")
    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
  }

  @Test("the program lives on without /proc", .enabled { try await canHide() })
  func livesOn() async throws {
    let program = try Program()
    // Real time: Dispatch looks at its threads at once, and then each second.
    let run = try await program.shell(
      """
      for i in 1 2 3 4 5 6 7 8 9 10; do \(Self.hidden) $0 --home h$i echo x & done
      { echo 'echo y'; sleep 2.5; echo 'echo z'; } | \(Self.hidden) $0 --home h
      wait
      """)
    #expect(
      run.outputText.split(separator: "\n").sorted()
        == Array(repeating: "x", count: 10) + ["y", "z"], "\(run.errorText)")
    #expect(run.errorText == "")
  }

  @Test(
    "an argument that is not UTF-8 is refused: repaired it would name something else",
    arguments: ["echo", "--home h -f", "", "--json echo"])
  func notUTF8(before: String) async throws {
    let program = try Program()
    let position = before.split(separator: " ").count + 1
    let run = try await program.shell(#"$0 \#(before) "$(printf 'a\377b')" > out"#)
    #expect(run.status == .exited(64), "\(run.errorText)")
    #expect(run.errorText.contains("argument \(position) is not UTF-8"), "\(run.errorText)")
    #expect(
      run.errorText.hasPrefix(#"{"line":0,"ok":false,"code":64,"#) == before.hasPrefix("--json"))
    #expect(try program.text("out") == "")
  }

  @Test(
    "a variable of the program's files that is not UTF-8 is refused: repaired it would name others",
    arguments: [
      "HOME", "XDG_STATE_HOME", "SWIFTBOARD_HOME", "SWIFTBOARD_CONFIG", "SWIFTBOARD_KEY_FILE",
    ], ["$PWD/", "$(printf '\\314\\201')"])
  func variable(name: String, beginning: String) async throws {
    let program = try Program()
    let run = try await program.shell(
      #"""
      env \#(name)="\#(beginning)$(printf 'a\377b')" $0 --json log note x > out
      code=$?; ls; exit $code
      """#)
    #expect(run.status == .exited(78), "\(run.errorText)")
    #expect(run.errorText.hasPrefix(#"{"line":0,"ok":false,"code":78,"#))
    #expect(run.errorText.contains("the variable \(name) is not UTF-8"), "\(run.errorText)")
    #expect(run.outputText == "home\nout\n")
    #expect(try program.text("out") == "")
  }

  @Test("another variable may have any bytes, and so may every one where it is not read")
  func otherVariable() async throws {
    let program = try Program()
    let run = try await program.shell(
      #"""
      set -e
      bytes="$(printf 'a\377b')"
      env LESS="$bytes" TMPDIR="$bytes" $0 --home h echo x
      for variable in HOME SWIFTBOARD_CONFIG; do
        env $variable="$bytes" $0 --help | head -n 1 | cut -c 1-10
        env $variable="$bytes" $0 --version | cut -c 1-10
        env $variable="$bytes" $0 --complete -- keychain l
        env $variable="$bytes" $0 --complete -- db get ''
      done
      """#)
    #expect(run.status == .exited(0), "\(run.errorText)")
    #expect(run.outputText.hasPrefix("x\n"))
    #expect(run.outputText.ranges(of: "swiftboard").count >= 2, "\(run.outputText)")
    #expect(run.outputText.ranges(of: "\nlist\t").count == 2, "\(run.outputText)")
    #expect(run.errorText == "")
  }
}
