import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardRecording

/// Readers of a recording that is rotated, and whose old files are removed, meanwhile.
struct RotatedReadingTests {
  private func session(_ path: String, keep: Int?) throws -> Session {
    try Session(
      FileSink(creating: path),
      rotation: FileRotation(path: path, keep: keep, synchronizes: false),
      options: RecordingOptions(rotation: .init(size: 2000, keep: keep)))
  }

  private func run(_ session: Session, _ steps: Int) {
    for n in 1...steps { session.send(.add(n)) }
  }

  @Test("a file is the one that was found or missing", arguments: [0, 1, 2])
  func aFileIsTheOneThatWasFoundOrMissing(keep: Int) throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, keep: keep)
      run(session, 3)
      let chain = try RotatedLog(path: path)
      let file = chain.files[0]
      let header = try file.reader().header()
      let position = try { () throws in
        let reader = try file.reader()
        _ = try reader.next()
        _ = try reader.next()
        return reader.position
      }()
      var found = 0
      var missing = 0
      for _ in 0..<60 {
        run(session, 1)
        do throws(LogReadError) {
          #expect(try file.reader().header() == header)
          #expect(try file.reader(at: position).next()?.line.step?.n == 2)
          found += 1
        } catch {
          #expect(error == .missing(path: path))
          missing += 1
        }
      }
      session.recorder.stop()
      #expect(found > 0)
      #expect(missing > 0)
      #expect(file.size == 0)
      let error = #expect(throws: LogReadError.self) { try chain.check() }
      #expect(error?.isAboutNames == true)
      #expect(error?.kind == "missing")
      let unreadable = #expect(throws: ReplayError.self) { try Session.replayer().replay(chain) }
      #expect(unreadable?.kind == "missing")
    }
  }

  @Test("a copy under the name of an ended file is not read instead of the recording")
  func copy() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, keep: nil)
      func copy() throws {
        try write(contents(of: path), to: path + ".1")
      }
      run(session, 1)
      try copy()
      run(session, 1)
      session.recorder.stop()
      #expect(try RotatedLog(path: path).check().steps == 2)

      // The end of a rotation, in a folder that was copied.
      unlink(path + ".1")
      try copy()
      #expect(try RotatedLog(path: path).check().steps == 2)

      var bytes = try contents(of: path)
      bytes[bytes.count - 3] ^= 1
      unlink(path)
      try write(bytes, to: path)
      let error = #expect(throws: LogReadError.self) { try RotatedLog(path: path).check() }
      #expect(error != nil)
    }
  }

  @Test("a pipe in place of an ended file is refused, and nothing waits for a writer")
  func pipe() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, keep: nil)
      run(session, 60)
      session.recorder.stop()
      let chain = try RotatedLog(path: path)
      try #require(chain.segments.count > 2)
      unlink(path + ".2")
      #expect(mkfifo(path + ".2", 0o600) == 0)
      let unread = #expect(throws: LogReadError.self) { try RotatedLog(path: path) }
      #expect(unread?.kind == "broken")
      let unchecked = #expect(throws: LogReadError.self) { try chain.check() }
      #expect(unchecked?.kind == "broken")
    }
  }

  @Test("a pipe without a writer is left when the reader is cancelled, and has no reader then")
  func cancelledPipe() throws {
    try withFolder { folder in
      let path = folder + "/pipe"
      try #require(mkfifo(path, 0o600) == 0)
      let asked = Atomic(0)
      let error = #expect(throws: LogReadError.self) {
        try RotatedLog(path: path) { asked.add(1, ordering: .relaxed).newValue > 1 }
      }
      #expect(error?.kind == "cancelled", "\(error as Any)")
      #expect(open(path, O_WRONLY | O_NONBLOCK) == -1 && errno == ENXIO)
    }
  }

  @Test("a copy with the number of the newest file does not hide the files before it")
  func copyOfNewest() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, keep: nil)
      while FileInfo(path + ".1") == nil { run(session, 1) }
      run(session, 1)
      try write(contents(of: path), to: path + ".2")
      run(session, 1)
      session.recorder.stop()
      let log = try RotatedLog(path: path)
      #expect(log.segments.count == 2)
      #expect(try log.check().steps == session.recorder.step)
    }
  }

  @Test("every reader warns of the last file's end, with steps of the whole recording")
  func warnings() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, keep: nil)
      run(session, 30)
      session.recorder.stop()
      let bytes = try contents(of: path)
      try write(Array(bytes.dropLast(5)), to: folder + "/cut")
      #expect(rename(folder + "/cut", path) == 0)
      let log = try RotatedLog(path: path)
      try #require(log.segments.count > 2)
      let expected: [LogWarning] = [
        .tornTail(offset: split(bytes).last?.startIndex ?? 0), .cutShort(afterStep: 30),
      ]
      let timeline = try LogTimeline(log)
      while try timeline.next() != nil {}
      #expect(timeline.warnings == expected)
      #expect(try LogStatistics(log).warnings == expected)
      #expect(try CausalTree(log).warnings == expected)
      #expect(try LogNavigator(log, replayer: Session.replayer()).warnings == expected)
      #expect(try Session.replayer().replay(log).warnings == expected)
      #expect(try log.check().warnings == expected)
    }
  }

  @Test("a file that is truncated while it is read has changed, and is not missing")
  func truncatedFile() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, keep: nil)
      run(session, 60)
      session.recorder.stop()
      let chain = try RotatedLog(path: path)
      let ended = path + ".1"
      try #require(chain.segments.count > 2 && chain.segments[0].path == ended)
      #expect(truncate(path, 10) == 0)
      #expect(throws: LogReadError.changed(path: path)) { try chain.files.last?.reader() }
      #expect(throws: LogReadError.changed(path: path)) { try chain.check() }
      // Another look at the names finds the same truncated file.
      #expect(!LogReadError.changed(path: path).isAboutNames)
      // No rotation puts another file in the place of an ended one.
      try write(Array("another file".utf8), to: folder + "/other")
      #expect(rename(folder + "/other", ended) == 0)
      let change = LogReadError.changed(path: ended, isAnotherFile: true)
      #expect(throws: change) { try chain.files[0].reader() }
      #expect(change.isAboutNames)
      unlink(ended)
      #expect(throws: LogReadError.missing(path: ended)) { try chain.files[0].reader() }
    }
  }

  /// The system may give a removed file's number to the next one.
  @Test("another recording in the same file is not the one that was found")
  func anotherRecordingInTheSameFileIsNotTheOneThatWasFound() throws {
    try withFolder { folder in
      let (path, other) = (folder + "/a", folder + "/b")
      for (path, first) in [(path, 1), (other, 2)] {
        let session = try session(path, keep: nil)
        session.send(.add(first))
        session.recorder.stop()
      }
      let old = try RotatedLog(path: path)
      #expect(try old.check().steps == 1)
      let recorder = try Recorder<CounterState, CounterAction>(
        path: folder + "/c", info: Session.info, state: CounterState(count: 7), journal: nil,
        clock: { 0 })
      recorder.stop()
      let bytes = try contents(of: folder + "/c")
      let descriptor = open(path, O_WRONLY | O_TRUNC)
      #expect(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
      close(descriptor)
      #expect(throws: LogReadError.missing(path: path)) { try old.files[0].reader() }
      #expect(try RotatedLog(path: path).check().steps == 0)
    }
  }

  @Test("all that was found is verified while new files begin")
  func allThatWasFoundIsVerifiedWhileNewFilesBegin() throws {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, keep: nil)
      run(session, 30)
      let chain = try RotatedLog(path: path)
      let (steps, parts) = (try chain.check().steps, chain.segments.count)
      #expect(steps == 30)
      #expect(parts > 2)
      run(session, 60)
      // The last file has got steps until it was ended.
      let verified = try chain.files.map { try Session.replayer().verify($0).steps }
      #expect(verified.count == parts)
      #expect(try verified.reduce(0, +) == chain.check().steps)
      #expect(try Session.replayer().replay(chain).steps == verified.reduce(0, +))
      #expect(verified.reduce(0, +) >= 30)
      #expect(try LogFile(path: path).reader().header() != chain.files[parts - 1].reader().header())
      session.recorder.stop()
      let all = try RotatedLog(path: path)
      #expect(try Session.replayer().replay(all).steps == 90)
      #expect(!all.isNewestMissing)
    }
  }

  @Test("a newest file that is not there is told of") func aNewestFileThatIsNotThereIsToldOf()
    throws
  {
    try withFolder { folder in
      let path = folder + "/a"
      let session = try session(path, keep: nil)
      run(session, 30)
      session.recorder.stop()
      unlink(path)
      let chain = try RotatedLog(path: path)
      #expect(chain.isNewestMissing)
      #expect(try chain.check().steps < 30)
    }
  }
}
