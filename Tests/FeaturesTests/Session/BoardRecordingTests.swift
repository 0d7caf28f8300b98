import SwiftBoardRecording
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// A recording that takes the place of another one.
struct BoardRecordingTests {
  @Test("a recording that cannot start leaves the running one as it is") func refused() async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("r")
    let board = RunningBoard()
    try board.board.record(to: path)
    await board.run("echo one")
    for other in [path, folder.path("no/such/folder")] {
      #expect(throws: RecordingError.self) { try board.board.record(to: other) }
      #expect(board.board.recording?.path == path)
    }
    await board.run("echo two")
    let ended = try #require(board.board.stopRecording())
    #expect(ended.path == path && ended.steps == 2)
    let summary = try Replayer(BoardFeatures.all).verify(path: path)
    #expect(summary.steps == 2 && summary.warnings == [])
    await board.board.close()
  }

  @Test("a recording goes on where the one that it replaces ends") func replaced() async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    try board.board.record(to: folder.path("first"))
    await board.run("echo one")
    try board.board.record(to: folder.path("second"))
    #expect(board.board.recording?.path == folder.path("second"))
    await board.run("echo two")
    await board.board.close()
    for name in ["first", "second"] {
      let summary = try Replayer(BoardFeatures.all).verify(path: folder.path(name))
      #expect(summary.steps == 1 && summary.warnings == [], "\(name)")
    }
  }

  @Test("a replaced recording that is lost is no problem of the new one") func lost() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("r")
    let board = RunningBoard()
    try board.board.record(to: path)
    await board.run("echo one")
    #expect(unlink(path) == 0)
    try board.board.record(to: path)
    #expect(board.board.hasLostRecording)
    #expect(board.board.recordingProblem == nil)
    #expect(board.board.recording?.path == path)
    await board.board.close()
    #expect(try Replayer(BoardFeatures.all).verify(path: path).steps == 0)
  }

  @Test("a line begins a recording where one was lost", arguments: ["r", "second"])
  func afterLost(name: String) async throws {
    let folder = try TemporaryFolder()
    let (lost, path) = (folder.path("r"), folder.path(name))
    let board = RunningBoard()
    try board.board.record(to: lost)
    #expect(await board.run("session record \(path)").status == 73)
    #expect(unlink(lost) == 0)
    #expect(await board.run("session record \(path)").status == 0)
    #expect(board.board.hasLostRecording && board.board.recordingProblem == nil)
    #expect(board.board.recording?.path == path)
    let status = await board.run("session status")
    #expect(status.status == 0 && !status.output.contains("problem"), "\(status.output)")
    let mark = await board.run("session mark m")
    let stop = await board.run("session stop")
    #expect(mark.status == 0 && stop.status == 0, "\(mark.errors)\(stop.errors)")
    await board.board.close()
    #expect(try Replayer(BoardFeatures.all).verify(path: path).warnings == [])
  }

  @Test("a lost recording has ended, too, where the next one cannot begin")
  func afterLostRefused() async throws {
    let folder = try TemporaryFolder()
    let board = RunningBoard()
    try board.board.record(to: folder.path("r"))
    #expect(unlink(folder.path("r")) == 0)
    try folder.write("kept", to: "taken")
    for name in ["taken", "no/such/folder"] {
      #expect(await board.run("session record \(folder.path(name))").status == 73)
      #expect(board.board.recording == nil && board.board.recordingProblem != nil)
    }
    #expect(await board.run("session record \(folder.path("r"))").status == 0)
    #expect(board.board.recordingProblem == nil)
    await board.board.close()
  }
}
