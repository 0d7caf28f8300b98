import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@Suite("TemporaryFile")
struct TemporaryFileTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("file")
  }

  private var names: [String] {
    get throws {
      try FileSystem().names(in: folder.path).filter { $0 != "." && $0 != ".." }.sorted()
    }
  }

  private func publish(_ text: String, _ file: TemporaryFile) throws {
    try FileSystem().write(Array(text.utf8), to: file.file)
    // Some file systems only report a full disk here.
    try FileSystem().close(file.file)
    try file.publish(as: path, replaces: true)
  }

  /// Waits until no process holds the lock of a file. A program that another test starts has the
  /// open files of this process for a moment.
  private func waitForLock(of name: String) throws {
    let file = try FileSystem().open(folder.path(name), O_RDWR)
    #expect(flock(file.number, LOCK_EX) == 0)
    #expect(flock(file.number, LOCK_UN) == 0)
    try FileSystem().close(file)
  }

  @Test("what a killed process has left is removed by the next file of the same path")
  func leftovers() throws {
    _ = try (1...3).map { _ in try TemporaryFile(for: path) }
    // Nothing holds them any more, as after the end of a process.
    #expect(try names.count == 3)
    for name in try names { try waitForLock(of: name) }
    try publish("new", TemporaryFile(for: path))
    #expect(try folder.read("file") == Array("new".utf8))
    try publish("newer", TemporaryFile(for: path))
    #expect(try names == ["file"])
  }

  @Test("a file that is being written stays, also while it is closed to be published")
  func living() throws {
    let (first, second) = (try TemporaryFile(for: path), try TemporaryFile(for: path))
    #expect(first.file.name != second.file.name)
    try FileSystem().close(first.file)
    let third = try TemporaryFile(for: path)
    #expect(try names.count == 3)
    third.discard()
    try publish("second", second)
    try first.publish(as: path, replaces: true)
    #expect(try folder.read("file").isEmpty)
    #expect(try names == ["file"])
  }

  @Test(
    "what only looks like a temporary file stays", arguments: ["link", "folder", "pipe", "names"])
  func others(kind: String) throws {
    let name = try TemporaryFile(for: path).file.name
    #expect(unlink(name) == 0)
    try folder.write("mine", to: "mine")
    switch kind {
    case "link": #expect(symlink("mine", name) == 0)
    case "folder": #expect(mkdir(name, 0o700) == 0)
    case "pipe": #expect(mkfifo(name, 0o600) == 0)
    default: #expect(link(folder.path("mine"), name) == 0)
    }
    let before = try names
    try publish("new", TemporaryFile(for: path))
    #expect(try names == (before + ["file"]).sorted())
    #expect(try folder.read("mine") == Array("mine".utf8))
  }

  @Test("a file system without locks is written to as well")
  func withoutLocks() throws {
    let system = FileSystem { call, _ in call == .lock ? .error(ENOLCK) : nil }
    try publish("new", TemporaryFile(for: path, system: system))
    #expect(try names == ["file"])
  }
}
