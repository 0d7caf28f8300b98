import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardCommandLine

@Suite struct HistoryFileTests {
  /// Appends a line, or reads, and expects the lines that are new.
  private func expect(
    _ file: inout HistoryFile, _ line: String?, _ lines: [String],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let found = try line.map { try file.append($0) } ?? file.read()
    #expect(found == lines, sourceLocation: location)
  }

  @Test("lines of several rows come back, and only the owner can read the file")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("state/history")
    var file = HistoryFile(path: path)
    try expect(&file, nil, [])
    let lines = ["echo one", "echo <<X\n\ta\n\nX", "echo 家"]
    for line in lines { try expect(&file, line, []) }
    try expect(&file, nil, [])
    var other = HistoryFile(path: path)
    try expect(&other, nil, lines)
    #expect(FileInfo(path)?.permissions == 0o600)
    #expect(FileInfo(folder.path("state"))?.permissions == 0o700)
  }

  @Test("processes find each other's lines, and no line is lost")
  func shared() throws {
    let folder = try TemporaryFolder()
    var files = (0..<3).map { _ in HistoryFile(path: folder.path("history")) }
    try expect(&files[0], "a", [])
    try expect(&files[1], "b", ["a"])
    try expect(&files[0], nil, ["b"])
    try expect(&files[2], nil, ["a", "b"])
    // An unfinished line of a process that was killed does not join the next one.
    let bytes = try folder.read("history")
    try folder.write(Array(bytes) + Array("torn".utf8), to: "history")
    try expect(&files[2], "c", [])
    var last = HistoryFile(path: folder.path("history"))
    try expect(&last, nil, ["a", "b", "torn", "c"])
  }

  @Test("a process that was stopped while it held the lock does not stop the others")
  func heldLock() throws {
    let folder = try TemporaryFolder()
    var file = HistoryFile(path: folder.path("history"), limit: 10)
    try expect(&file, "a", [])
    let held = try FileSystem().open(folder.path("history"), O_RDWR)
    try #require(try FileSystem().tryLock(held))
    try expect(&file, "longer than its limit", [])
    var other = HistoryFile(path: folder.path("history"))
    try expect(&other, nil, ["a", "longer than its limit"])
  }

  @Test("a line that comes without the lock is in the file that replaces the one of the lock")
  func replacedWithoutLock() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("history")
    try folder.write("a\n", to: "history")
    try folder.write("a\nb\n", to: "new")
    let held = try FileSystem().open(path, O_RDWR)
    try #require(try FileSystem().tryLock(held))
    let new = folder.path("new")
    let system = FileSystem { call, _ in
      if call == .write { rename(new, path) }
      return nil
    }
    var file = HistoryFile(path: path, system: system)
    try expect(&file, nil, ["a"])
    try expect(&file, "c", [])
    #expect(String(decoding: try folder.read("history"), as: UTF8.self) == "a\nb\nc\n")
  }

  @Test("a line that another process adds meanwhile is no part of the next ones")
  func addedWithoutLock() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("history")
    try folder.write("a\n", to: "history")
    let other = try FileSystem().open(path, O_WRONLY | O_APPEND)
    try #require(try FileSystem().tryLock(other))
    let system = FileSystem { call, _ in
      if call == .write { try? FileSystem().write(Array("other\n".utf8), to: other) }
      return nil
    }
    var file = HistoryFile(path: path, system: system)
    try expect(&file, "b", ["a"])
    try expect(&file, nil, [])
    #expect(String(decoding: try folder.read("history"), as: UTF8.self) == "a\nother\nb\n")
  }

  @Test("lines can be removed, and what other processes add stays")
  func removal() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("history")
    var (file, other) = (HistoryFile(path: path), HistoryFile(path: path))
    try expect(&file, nil, [])
    #expect(try file.removeLines { _ in true }?.removed == 0)
    #expect(FileInfo(path) == nil)
    for line in ["a", "key\n1", "b"] { try expect(&file, line, []) }
    try expect(&other, "key 2", ["a", "key\n1", "b"])
    let changed = try file.removeLines { $0.hasPrefix("key") }
    #expect(changed?.removed == 2 && changed?.others == ["key 2"])
    try expect(&other, "c", [])
    try expect(&file, nil, ["c"])
    var last = HistoryFile(path: path)
    try expect(&last, nil, ["a", "b", "c"])
    let held = try FileSystem().open(path, O_RDWR)
    try #require(try FileSystem().tryLock(held))
    #expect(try file.removeLines { _ in true } == nil)
    #expect(FileInfo(path)?.permissions == 0o600)
  }

  @Test("lines behind a symbolic link are removed from the file that it leads to")
  func removalBehindLink() throws {
    let folder = try TemporaryFolder()
    try folder.write("a\nb\n", to: "file")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("history"), withDestinationPath: "file")
    var file = HistoryFile(path: folder.path("history"))
    #expect(try file.removeLines { $0 == "a" }?.removed == 1)
    #expect(try folder.read("file") == Array("b\n".utf8))
    #expect(FileInfo(folder.path("history"), followsLink: false)?.isRegular == false)
  }

  @Test("many writers at once lose nothing")
  func concurrent() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("history")
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          await DetachedThread.run {
            var file = HistoryFile(path: path)
            for number in 0..<50 { _ = try? file.append("\(writer) \(number)") }
          }
        }
      }
    }
    var file = HistoryFile(path: path)
    let lines = try file.read()
    #expect(lines.count == 200)
  }

  @Test("a file beyond its limit loses its older half, whole lines at a time")
  func bounded() throws {
    let folder = try TemporaryFolder()
    var file = HistoryFile(path: folder.path("history"), limit: 1000)
    var other = HistoryFile(path: folder.path("history"), limit: 1000)
    for number in 0..<200 { _ = try file.append("echo \(number)\nsecond") }
    #expect(FileInfo(folder.path("history")).map { $0.size <= 1000 } == true)
    let lines = try other.read()
    #expect(lines.last == "echo 199\nsecond")
    let parts = lines.filter { !$0.hasPrefix("echo ") || !$0.hasSuffix("\nsecond") }
    #expect(parts == [])
    _ = try file.append("after")
    try expect(&other, nil, ["after"])
  }

  @Test("a line that is too long for the file leaves the others in it")
  func longLine() throws {
    let folder = try TemporaryFolder()
    var file = HistoryFile(path: folder.path("history"))
    var other = HistoryFile(path: folder.path("history"))
    let longest = String(repeating: "x", count: HistoryFile.lineLimit)
    for line in ["a", longest] { try expect(&file, line, []) }
    try expect(&other, "b", ["a", longest])
    try expect(&file, longest + "x", ["b"])
    try expect(&file, String(repeating: "x", count: HistoryFile.sizeLimit + 1), [])
    try expect(&file, "c", [])
    var last = HistoryFile(path: folder.path("history"))
    try expect(&last, nil, ["a", longest, "b", "c"])
  }
}
