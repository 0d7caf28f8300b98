import SwiftBoardStore
import SwiftBoardSystem
import Testing

@testable import SwiftBoardRecording

/// A recording whose file loses its name says so once, and goes on nowhere.
struct LostFileTests {
  enum Loss: CaseIterable {
    case removed, renamed, replaced, folderRenamed

    func happen(to path: String, in folder: String) throws {
      switch self {
      case .removed: unlink(path)
      case .renamed: rename(path, path + ".elsewhere")
      case .replaced:
        try write("other", to: folder + "/other")
        rename(folder + "/other", path)
      case .folderRenamed: rename(folder + "/in", folder + "/out")
      }
    }
  }

  private func session(_ path: String, _ durability: RecordingOptions.Durability) throws -> Session
  {
    try Session(FileSink(creating: path), options: RecordingOptions(durability: durability))
  }

  @Test(
    "a lost file is noticed when asked for, and at the end", arguments: Loss.allCases,
    [RecordingOptions.Durability.none, .flush])
  func itIsNoticedWhenAskedAndAtTheEnd(
    loss: Loss, durability: RecordingOptions.Durability
  ) throws {
    for asks in [true, false] {
      try withFolder { folder in
        mkdir(folder + "/in", 0o700)
        let path = folder + "/in/a"
        let session = try session(path, durability)
        session.send(.add(1))
        session.recorder.checkFile()
        #expect(session.recorder.failure == nil)
        try loss.happen(to: path, in: folder)
        if asks {
          session.recorder.checkFile()
          session.recorder.checkFile()
          #expect(!session.recorder.isRecording)
          session.send(.add(2))
        }
        session.recorder.stop()
        let failure = try #require(session.recorder.failure)
        #expect(failure.isFileLost && failure.step == 2 && failure.io == nil)
        #expect(failure.reason == "\(path) was removed, renamed or replaced")
        #expect(session.recorder.step == 1)
        #expect(session.failures.now.map(\.message) == [failure.description], "told once")
        if loss == .replaced { #expect(try contents(of: path) == Array("other".utf8)) }
        if loss == .renamed { #expect(read(try contents(of: path + ".elsewhere")).error == nil) }
        rename(folder + "/out", folder + "/in")
      }
    }
  }

  @Test(
    "a file that another program has cut or written to is left as it is", arguments: [true, false],
    [RecordingOptions.Durability.none, .flush])
  func changed(isCut: Bool, durability: RecordingOptions.Durability) throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, durability)
      session.send(.add(1))
      if isCut {
        #expect(truncate(path, 10) == 0)
      } else {
        let file = open(path, O_WRONLY | O_APPEND)
        #expect(write(file, "other", 5) == 5)
        close(file)
      }
      let changed = try contents(of: path)
      session.send(.add(2))
      session.recorder.stop()
      let failure = try #require(session.recorder.failure)
      #expect(failure.io == .changed)
      #expect(failure.isFileLost && !failure.description.contains("is whole"))
      #expect(try contents(of: path) == changed)
      #expect(session.failures.now.map(\.message) == [failure.description], "told once")
    }
  }

  @Test("steps notice it by themselves, with a look every 50 ms")
  func steps() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, .flush)
      session.send(.add(0))
      unlink(path)
      // However many that takes: it ends with the time of a look.
      while session.recorder.isRecording { session.send(.add(1)) }
      #expect(session.recorder.failure?.isFileLost == true)
    }
  }

  @Test("a rotated file is looked for under its own name")
  func rotated() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let rotation = FileRotation(path: path, keep: 1, synchronizes: false)
      let session = try Session(
        FileSink(creating: path), rotation: rotation,
        options: RecordingOptions(rotation: .init(size: 700)))
      for number in 1...30 {
        session.send(.add(number))
        session.recorder.checkFile()
      }
      #expect(session.recorder.failure == nil)
      #expect(FileRotation.numbers(of: path)?.isEmpty == false)
      unlink(path)
      session.recorder.checkFile()
      #expect(session.recorder.failure?.isFileLost == true)
    }
  }
}
