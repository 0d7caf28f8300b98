import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@Suite("files by their names")
struct FileSystemTests {
  private let system = FileSystem()

  private func code(_ body: () throws(SystemError) -> Void) -> Int32? {
    do throws(SystemError) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test("missing folders are made for their owner alone, and a file in the way is an error")
  func folders() throws {
    let folder = try TemporaryFolder()
    for _ in 0..<2 { try system.makeFolders(folder.path("a/b/c")) }
    for part in ["a", "a/b", "a/b/c"] {
      let info = try #require(FileInfo(folder.path(part)))
      #expect(info.isFolder)
      #expect(info.permissions == 0o700)
    }
    try folder.write("", to: "plain")
    #expect(
      code { () throws(SystemError) in try system.makeFolders(folder.path("plain")) } == ENOTDIR)
    #expect(
      code { () throws(SystemError) in try system.makeFolders(folder.path("plain/x")) } == ENOTDIR)
  }

  @Test("an error tells its number, its call and the system's text")
  func errors() throws {
    let folder = try TemporaryFolder()
    do throws(SystemError) {
      _ = try system.open(folder.path("none"), O_RDONLY)
      Issue.record("opened")
    } catch {
      #expect(error.code == ENOENT)
      #expect(error.call == "open")
      #expect("\(error)" == String(cString: strerror(ENOENT)))
      #expect(error.isMissing)
    }
  }

  @Test("a new file takes its name when it is whole, and replaces another only where it may")
  func temporaryFiles() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("file")
    for replaces in [false, true] {
      let file = try TemporaryFile(folder.path("new"))
      try system.write(Array("whole".utf8), to: file.file)
      #expect(FileInfo(path)?.size == (replaces ? 5 : nil))
      try file.publish(as: path, replaces: replaces)
      #expect(FileInfo(path)?.permissions == 0o600)
    }
    let other = try TemporaryFile(folder.path("new"))
    #expect(
      code { () throws(SystemError) in try other.publish(as: path, replaces: false) } == EEXIST)
    #expect(try system.names(in: folder.path).sorted() == [".", "..", "file"])
  }

  @Test("where no rename refuses to replace, the name is looked up first")
  func renameFallback() throws {
    let folder = try TemporaryFolder()
    let old = FileSystem { call, _ in call == .renameWithoutReplacing ? .error(EINVAL) : nil }
    let first = try TemporaryFile(folder.path("1"), system: old)
    try first.publish(as: folder.path("file"), replaces: false)
    let second = try TemporaryFile(folder.path("2"), system: old)
    #expect(
      code { () throws(SystemError) in
        try second.publish(as: folder.path("file"), replaces: false)
      } == EEXIST)
    #expect(try system.names(in: folder.path).sorted() == [".", "..", "file"])
  }

  @Test("an interrupted call is made again, except close; a short write is continued")
  func faults() throws {
    let folder = try TemporaryFolder()
    let calls = Mutex<[FileSystem.Call]>([])
    let system = FileSystem { call, _ in
      let isFirst = calls.withLock { calls in
        defer { calls.append(call) }
        return !calls.contains(call)
      }
      if call == .write { return .short }
      return isFirst ? .error(EINTR) : nil
    }
    let file = try system.create(folder.path("file"))
    try system.write(Array("abc".utf8), to: file)
    try system.sync(file)
    #expect(code { () throws(SystemError) in try system.close(file) } == EINTR)
    #expect(
      calls.withLock { $0 } == [
        .createFile, .createFile, .write, .write, .write, .sync, .sync, .close,
      ])
    #expect(FileInfo(folder.path("file"))?.size == 3)
  }

  @Test("two open files of one name share its lock")
  func locks() throws {
    let folder = try TemporaryFolder()
    let first = try system.create(folder.path("file"))
    let second = try system.open(folder.path("file"), O_RDWR)
    #expect(try system.tryLock(first))
    #expect(try !system.tryLock(second))
    first.close()
    #expect(try system.tryLock(second))
  }

  @Test("a lock that is waited for briefly fails as a test says, and is released again")
  func lockFaults() throws {
    let folder = try TemporaryFolder()
    let none = FileSystem { call, _ in call == .lock ? .error(ENOLCK) : nil }
    let first = try system.create(folder.path("file"))
    let second = try system.open(folder.path("file"), O_RDWR)
    #expect(!none.lockBriefly(first))
    #expect(system.lockBriefly(first))
    #expect(!system.lockBriefly(second, attempts: 1))
    system.unlock(first)
    #expect(system.lockBriefly(second, attempts: 1))
  }

  @Test("the file that has the path is locked, even if it was replaced before the lock")
  func openLocked() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("file")
    try folder.write("old", to: "file")
    try folder.write("new", to: "other")
    let system = FileSystem { call, _ in
      if call == .lock { _ = rename(folder.path("other"), path) }
      return nil
    }
    let (file, info, isLocked) = try system.openLocked(path, O_RDWR)
    #expect(isLocked)
    #expect(try system.read(file, limit: 9) == Array("new".utf8))
    #expect(info.id == FileID(path))
  }

  @Test("reading and writing at an offset leaves the position")
  func offsets() throws {
    let folder = try TemporaryFolder()
    let file = try system.create(folder.path("file"))
    try system.write(Array("abcdef".utf8), to: file)
    let written = try [UInt8](arrayLiteral: 0x58, 0x59).withUnsafeBytes {
      try system.write($0, to: file, at: 1)
    }
    #expect(written == 2)
    #expect(try system.read(file, limit: 4, at: 1) == Array("XYde".utf8))
    #expect(try system.read(file, limit: 4, at: 5) == Array("f".utf8))
    try system.write(Array("g".utf8), to: file)
    #expect(try system.read(file, limit: 9, at: 0) == Array("aXYdefg".utf8))
  }
}
