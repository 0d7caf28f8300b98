import Testing

@testable import SwiftBoardRecording

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The same files, read by a program in another language that shares no code with this one.
struct CheckLogTests {
  private static let python: String? = [
    "/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3",
  ]
  .first { access($0 as String, X_OK) == 0 }

  /// The exit status of `check_log.py`.
  private func check(_ path: String) throws -> Int32 {
    let python = try #require(CheckLogTests.python)
    let script =
      #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/check_log.py"
    return try run([python, "-S", script, path], output: "/dev/null")
  }

  @Test(.enabled(if: python != nil)) func anotherProgramAgrees() throws {
    try withFolder { folder in
      let log = try Session.example()
      try write(log, to: folder + "/good")
      #expect(try check(folder + "/good") == 0)
      var bytes = log
      bytes[700] ^= 1
      try write(bytes, to: folder + "/bad")
      #expect(try check(folder + "/bad") == 1)
    }
  }
}
