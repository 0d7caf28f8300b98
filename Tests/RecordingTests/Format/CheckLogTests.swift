import SwiftBoardStore
import SwiftBoardSystem
import Testing

@testable import SwiftBoardRecording

/// The same files, read by a program in another language that shares no code with this one.
struct CheckLogTests {
  private static let python: String? = [
    "/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3",
  ]
  .first { access($0 as String, X_OK) == 0 }

  /// The exit status of `check_log.py`.
  private func check(_ paths: [String]) throws -> Int32 {
    let python = try #require(CheckLogTests.python)
    let ignored = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(ignored) }
    return try ChildProgram(
      [python, "-S", TestFolder.path + "/check_log.py"] + paths, output: ignored, error: ignored
    ).wait()
  }

  @Test("another program agrees", .enabled(if: python != nil)) func anotherProgramAgrees() throws {
    try withFolder { folder in
      let log = try Session.example()
      try write(log, to: folder + "/good")
      #expect(try check([folder + "/good"]) == 0)
      try write(Array(log.dropLast(50)), to: folder + "/torn")
      #expect(try check([folder + "/torn"]) == 0)
      for position in [700, 1200, 30] {
        var bytes = log
        bytes[position] ^= 1
        try write(bytes, to: folder + "/bad\(position)")
        #expect(try check([folder + "/bad\(position)"]) == 1)
      }
      for name in ["counter-1", "ledger-1", "ledger-2", "impure-order", "two-ids"] {
        #expect(try check([Logs.path(name + ".actions.jsonl")]) == 0)
      }
      #expect(try check([]) == 1)
    }
  }

  @Test("the ids of effects are checked", .enabled(if: python != nil))
  func itChecksTheIDsOfEffects() throws {
    let log = try EffectIDTests.record()
    let bodies = split(log).map { Array($0.dropLast(HashChain.tailLength + 1)) }
    try withFolder { folder in
      try write(log, to: folder + "/good")
      #expect(try check([folder + "/good"]) == 0)
      for (number, wrong) in [#"["pool"]"#, #"["b","pool"]"#, "[]"].enumerated() {
        var changed = bodies
        // A member of a group.
        changed[2] = Array(
          String(decoding: bodies[2], as: UTF8.self)
            .replacing(#"["pool","b"]"#, with: wrong).utf8)
        try write(sealed(changed), to: folder + "/bad\(number)")
        #expect(try check([folder + "/bad\(number)"]) == 1)
      }
    }
  }

  @Test("the files of a rotated recording are read", .enabled(if: python != nil))
  func itReadsTheFilesOfARotatedRecording() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let options = RecordingOptions(digestEvery: 4, snapshotEvery: 6, rotation: .init(size: 2500))
      let rotation = FileRotation(path: path, keep: nil, synchronizes: false)
      let session = try Session(
        FileSink(creating: path), rotation: rotation, options: options)
      for number in 1...50 { session.send(number % 9 == 0 ? .roll(times: 1) : .add(number)) }
      session.recorder.stop(state: session.state)
      let paths = try RotatedLog(path: path).segments.map(\.path)
      #expect(paths.count > 2)
      #expect(try check(paths) == 0)
      #expect(try check(Array(paths.dropFirst())) == 0, "the oldest may be gone")
      #expect(try check([paths[0]] + paths.dropFirst(2)) == 1, "one between may not")
      #expect(try check(paths.reversed()) == 1)
    }
  }
}
