import SwiftBoardCommandLine
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures
@testable import SwiftBoardRecording

/// Every kind of error of a recording has its exit code, name and help in one table.
struct RecordingFailureTests {
  private static let damage = LogReadError.damage(
    LogDamage(line: 3, offset: 9, expected: "a", content: "b", message: "it is wrong"))
  private static let call = LogIOError(code: 13, operation: "open")
  private static let divergence = Divergence(
    step: 2, line: 3, offset: 9, origin: .program("p"), action: .null, differences: [])

  @Test(
    "reading",
    arguments: [
      (damage, 65, "damaged", "a.log: line 3, byte 9: it is wrong (expected a, found b)"),
      (.changed(path: "a.log"), 65, "damaged", "a.log changed while it was read"),
      (.missing(path: "a.log"), 66, "missing", "there is no file a.log"),
      (
        .io(path: "a.log", call), 74, "io", "a.log cannot be read: open: Permission denied"
      ),
      (
        .file(path: "a.log.2", damage), 65, "damaged",
        "a.log.2: line 3, byte 9: it is wrong (expected a, found b)"
      ),
      (
        .gap(path: "a.log.2"), 65, "damaged",
        "a.log.2 is missing: the files before and after it are there"
      ),
      (
        .broken(path: "a.log.2", expected: "a", found: "b"), 65, "damaged",
        "a.log.2 does not go on where the file before it ends (expected a, found b)"
      ),
      (.cancelled, 130, "io", "a.log: the reading was cancelled"),
    ] as [(LogReadError, Int32, String, String)])
  func reading(error: LogReadError, code: Int32, name: String, message: String) {
    let failures = [
      Failure(error, "a.log"), Failure(ReplayError.unreadable(error), "a.log"),
    ]
    for failure in failures {
      #expect(failure.code == code)
      #expect(failure.error == name)
      #expect(failure.message == message)
      let hasHelp = [Self.damage, .changed(path: "a.log")].contains(error)
      #expect((failure.help != nil) == (message.contains("before") || hasHelp))
    }
    #expect(ExitCode.of(RecordingError.unreadable(error)) == code)
  }

  @Test(
    "a file of a rotated recording that does not fit is named with what to do",
    arguments: [
      (
        .gap(path: "d/a.log.2"),
        "put a.log.2 back, or move the files before it elsewhere: the recording then begins "
          + "behind it"
      ),
      (
        .file(path: "d/a.log.2", .broken(path: "d/a.log.2", expected: "a", found: "b")),
        "a.log.2 or the file before it was changed, cut or replaced, or is another recording's: "
          + "put the right one back, or open a file by itself by its number"
      ),
    ] as [(LogReadError, String)])
  func rotatedFiles(error: LogReadError, help: String) {
    #expect(Failure(error, "d/a.log").help == help)
  }

  @Test(
    "replaying",
    arguments: [
      (.risky(.risky([], more: 1)), 1, "differs"), (.diverged(divergence), 1, "differs"),
      (.unreachable(step: 9, divergence), 1, "differs"),
      (
        .foreign(
          log: BoardFeatures.all.schema, program: BoardFeatures.all.schema), 65, "damaged"
      ),
      (
        .impossible(LogDecodingFailure(line: 1, offset: 0, step: 0, reason: "r", found: .null)), 65,
        "damaged"
      ),
      (.encoding(step: 1, "r"), 70, "io"), (.noStep(9, last: 3), 64, "noStep"),
      (.noMark("m"), 64, "noMark"), (.speed(0), 64, "noPace"),
      (.idleLimit(.seconds(-1)), 64, "noPace"),
    ] as [(ReplayError, Int32, String)])
  func replaying(error: ReplayError, code: Int32, name: String) {
    let failure = Failure(error, "a.log")
    #expect(failure.code == code)
    #expect(failure.error == name)
    #expect(failure.message.hasSuffix(error.description))
    #expect((failure.help != nil) == ["noStep", "noMark"].contains(name))
  }

  @Test(
    "writing",
    arguments: [
      (.exists(path: "a"), 73, "exists", "exists"), (.busy(path: "a"), 73, "exists", "exists"),
      (.failed(path: "a", call), 73, "cannotCreate", "cannotCreate"),
      (.changed(path: "a"), 73, "exists", "exists"), (.io(call), 74, "io", "io"),
      (.unwritable(path: "a", call), 74, "io", "io"), (.encoding("r"), 70, "io", "io"),
      (.noStep(9, last: 3), 64, "io", "noStep"), (.unreadable(damage), 65, "io", "damaged"),
    ] as [(RecordingError, Int32, String, String)])
  func writing(error: RecordingError, code: Int32, name: String, forkingName: String) {
    let (failure, forking) = (Failure(error), Failure(forking: error))
    #expect(failure.code == code && forking.code == code)
    #expect(failure.error == name)
    #expect(forking.error == forkingName)
    #expect(failure.message == error.description && forking.message == error.description)
    #expect(
      failure.help
        == (code == 74
          ? "nothing is recorded; make room on the disk, or record to another one"
          : "a recording needs a new file in a folder that can be written"))
    #expect(forking.help == nil)
  }
}
