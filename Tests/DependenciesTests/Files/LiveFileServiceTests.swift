import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardDependencies

@Suite("files on disk")
struct LiveFileServiceTests {
  let old = Data("old".utf8)
  let new = Data(repeating: 7, count: 200_000)

  private func content(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test("replacing goes through symbolic links, also through one whose file is not there yet")
  func links() async throws {
    let folder = try TemporaryFolder()
    let service = LiveFileService()
    try folder.write("old", to: "file")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("first"), withDestinationPath: "file")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("second"), withDestinationPath: "third")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("third"), withDestinationPath: folder.path("made"))
    for (name, target) in [("first", "file"), ("second", "made")] {
      try await service.write(new, to: folder.path(name), mode: .replace)
      #expect(content(folder.path(target)) == new)
      #expect(
        (try? FileManager.default.destinationOfSymbolicLink(atPath: folder.path(name))) != nil)
    }
    #expect(try names(folder) == ["file", "first", "made", "second", "third"])
  }

  @Test("a relative path becomes absolute by the working folder, and an absolute one stays")
  func absolutePaths() {
    let service = LiveFileService()
    let folder = FileManager.default.currentDirectoryPath
    #expect(service.absolutePath("a/b") == PathComponents.join(folder, "a/b"))
    #expect(service.absolutePath("/a/../b") == "/a/../b")
  }

  /// Notes the calls; one of them fails.
  private final class Script: Sendable {
    private let calls = Mutex<[FileSystem.Call]>([])
    let fault: (call: FileSystem.Call, code: Int32)?

    init(_ fault: (call: FileSystem.Call, code: Int32)? = nil) { self.fault = fault }

    var made: [FileSystem.Call] { calls.withLock { $0 } }

    var service: LiveFileService {
      LiveFileService(
        system: FileSystem { call, _ in
          let isFirst = self.calls.withLock { calls in
            defer { calls.append(call) }
            return !calls.contains(call)
          }
          guard isFirst, let fault = self.fault, call == fault.call else { return nil }
          return .error(fault.code)
        })
    }
  }

  @Test("replacing: written, closed, renamed, in this order, and nothing waits for the disk")
  func order() async throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "file")
    let script = Script()
    try await script.service.write(new, to: folder.path("file"), mode: .replace)
    #expect(
      script.made
        == [
          .access, .access, .createFile, .lock, .changeGroup, .changeMode, .write, .close, .rename,
        ])
    #expect(content(folder.path("file")) == new)
    #expect(try names(folder) == ["file"])
  }

  @Test(
    "whatever call fails, the old file is left, and nothing else",
    arguments: [FileSystem.Call.createFile, .changeMode, .write, .close, .rename], [EIO, ENOSPC])
  func faults(call: FileSystem.Call, code: Int32) async throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "file")
    let script = Script((call, code))
    let error = await #expect(throws: FileError.self) {
      try await script.service.write(new, to: folder.path("file"), mode: .replace)
    }
    #expect(error?.path == folder.path("file"))
    #expect(content(folder.path("file")) == old)
    #expect(try names(folder) == ["file"])
    if call == .write { #expect(error?.kind == (code == ENOSPC ? .full : .io)) }
  }

  @Test(
    "a new file that cannot be written whole is not there, and what was added is taken back",
    arguments: [FileSystem.Call.write, .close], [FileWriteMode.create, .replace, .append])
  func newFiles(call: FileSystem.Call, mode: FileWriteMode) async throws {
    let folder = try TemporaryFolder()
    await #expect(throws: FileError.self) {
      try await Script((call, ENOSPC)).service.write(new, to: folder.path("file"), mode: mode)
    }
    #expect(try names(folder) == [])
    guard mode == .append, call == .write else { return }
    try folder.write("old", to: "file")
    await #expect(throws: FileError.self) {
      try await Script((call, ENOSPC)).service.write(new, to: folder.path("file"), mode: mode)
    }
    #expect(content(folder.path("file")) == old)
  }

  @Test("a file that cannot be replaced is known before a request, also one to be continued")
  func protected() async throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "file")
    let path = folder.path("file")
    var error = #expect(throws: FileError.self) {
      try Script((.access, EACCES)).service.checkCreatable(path)
    }
    #expect(error?.kind == .cannotCreate)
    error = await #expect(throws: FileError.self) {
      _ = try await Script((.access, EACCES)).service.output(path, continues: true)
    }
    #expect(error?.kind == .cannotCreate)
    #expect(try names(folder) == ["file"])
  }

  @Test(
    "interrupted calls are made again",
    arguments: [FileSystem.Call.createFile, .write, .changeMode, .rename])
  func harmless(call: FileSystem.Call) async throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "file")
    try await Script((call, EINTR)).service.write(new, to: folder.path("file"), mode: .replace)
    #expect(content(folder.path("file")) == new)
  }

  @Test("permissions stay, create leaves what is there, append adds, a pipe is written to")
  func modes() async throws {
    let folder = try TemporaryFolder()
    let (service, file) = (LiveFileService(), folder.path("file"))
    try await service.write(old, to: file, mode: .create)
    #expect(chmod(file, 0o640) == 0)
    try await service.write(new, to: file, mode: .replace)
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o640)
    let error = await #expect(throws: FileError.self) {
      try await service.write(old, to: file, mode: .create)
    }
    #expect(error?.kind == .exists)
    try await service.write(old, to: file, mode: .append)
    #expect(content(file) == new + old)
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    async let read = service.read(folder.path("pipe"), limit: 1 << 20)
    try await service.write(new, to: folder.path("pipe"), mode: .replace)
    #expect(try await read == new)
    #expect(try names(folder) == ["file", "pipe"])
  }

  @Test("calls that wait for a pipe hold up no other", .timeLimit(.minutes(20)))
  func manyPipes() async throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "file")
    let service = LiveFileService()
    let pipes = (0..<100).map { folder.path("pipe\($0)") }
    for pipe in pipes { #expect(mkfifo(pipe, 0o600) == 0) }
    try await withThrowingTaskGroup(of: Data.self) { group in
      for pipe in pipes { group.addTask { try await service.read(pipe, limit: 100) } }
      #expect(try await service.read(folder.path("file"), limit: 100) == old)
      for pipe in pipes { try await service.write(old, to: pipe, mode: .replace) }
      for try await data in group { #expect(data == old) }
    }
  }

  /// A thread that was left reading would take the bytes of the next reader.
  @Test("a cancelled task reads no pipe any more", .timeLimit(.minutes(20)))
  func cancelledReader() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pipe")
    let service = LiveFileService()
    #expect(mkfifo(path, 0o600) == 0)
    let whole = Task { try await service.read(path, limit: 100) }
    let streamed = Task { try await service.input(path).next() }
    for task in [Task { try await whole.value }, Task { try await streamed.value ?? Data() }] {
      whole.cancel()
      streamed.cancel()
      await #expect(throws: FileError.self) { try await task.value }
    }
    try await endOfReaders(ofPipe: path)
    let write = Task { try await service.write(old, to: path, mode: .replace) }
    write.cancel()
    await #expect(throws: FileError.self) { try await write.value }
  }

  @Test("a cancelled task writes to no pipe any more", .timeLimit(.minutes(20)))
  func cancelledWriter() async throws {
    let folder = try TemporaryFolder()
    let (path, service) = (folder.path("pipe"), LiveFileService())
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDWR | O_CLOEXEC)
    defer { close(reader) }
    // More than a pipe holds.
    let data = Data(repeating: 0x78, count: 4 << 20)
    let output = try await service.output(path, continues: false)
    try await output.begin(afterKept: false, tag: nil)
    let writes = [
      Task { try await output.write(data) },
      Task { try await service.write(data, to: path, mode: .replace) },
    ]
    for write in writes {
      // It is being written to as soon as anything comes out.
      _ = try await DetachedThread.run { try Descriptor.read(reader, atMost: 1) }
      write.cancel()
      await #expect(throws: FileError.self) { try await write.value }
    }
    await output.discard()
  }

  @Test("the end of the program discards what is not complete, and keeps what is")
  func shutDown() async throws {
    let folder = try TemporaryFolder()
    let service = LiveFileService()
    try folder.write("old", to: "file")
    let whole = try await service.output(folder.path("whole"), continues: false)
    try await whole.begin(afterKept: false, tag: nil)
    try await whole.write(new)
    try await whole.finish()
    let begun = try await service.output(folder.path("file"), continues: false)
    try await begun.begin(afterKept: false, tag: nil)
    try await begun.write(new)
    let created = try await service.newFile(folder.path("created"))
    try await created.begin(afterKept: false, tag: nil)
    #expect(try names(folder).count == 4)
    #expect(await service.shutDown(within: .seconds(1)))
    #expect(try names(folder) == ["file", "whole"])
    #expect(content(folder.path("file")) == old)
    await #expect(throws: FileError.self) { try await begun.write(new) }
    await #expect(throws: FileError.self) { try await begun.finish() }
    await #expect(throws: FileError.self) { try await begun.begin(afterKept: false, tag: nil) }
    await begun.discard()
    #expect(try names(folder) == ["file", "whole"])
  }

  @Test("the part of a file behind a link is next to the file, and named so")
  func partBehindLink() async throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "file")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: "file")
    let linked = try await LiveFileService().output(folder.path("link"), continues: true)
    let resolved = try #require(linked.resolvedPath)
    #expect(
      resolved.hasSuffix("/file") && FileManager.default.fileExists(atPath: resolved + ".part"))
    await linked.discard()
    let plain = try await LiveFileService().output(folder.path("file"), continues: true)
    #expect(plain.resolvedPath == nil)
    await plain.discard()
  }

  @Test("a link that leads to itself is refused and stays")
  func loop() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("loop"), withDestinationPath: "loop")
    await #expect(throws: FileError.self) {
      try await LiveFileService().write(new, to: folder.path("loop"), mode: .replace)
    }
    #expect(try names(folder) == ["loop"])
  }
}
