import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

@Suite("output files")
struct OutputFileTests {
  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func text(_ folder: TemporaryFolder, _ name: String = "file") throws -> String {
    String(decoding: try folder.read(name), as: UTF8.self)
  }

  private func write(_ text: String, to file: inout OutputFile) throws {
    try Array(text.utf8).withUnsafeBytes { bytes in try file.write(bytes) }
  }

  @Test("an existing file stays as it is until the new one is whole")
  func replacing() throws {
    for mode in [OutputFile.Mode.replace, .stream] {
      let folder = try TemporaryFolder()
      try folder.write("old", to: "file")
      #expect(chmod(folder.path("file"), 0o640) == 0)
      var file = try OutputFile(folder.path("file"), mode)
      try write("ne", to: &file)
      #expect(try text(folder) == "old")
      try write("w", to: &file)
      try file.finish()
      #expect(try text(folder) == "new")
      var status = stat()
      #expect(stat(folder.path("file"), &status) == 0 && status.st_mode & 0o777 == 0o640)
      var other = try OutputFile(folder.path("file"), mode)
      try write("other", to: &other)
      other.discard()
      #expect(try text(folder) == "new")
      #expect(try names(folder) == ["file"])
    }
  }

  @Test("a write-protected file is not replaced")
  func writeProtected() throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "file")
    let path = folder.path("file")
    let system = FileSystem { call, name in
      (call == .access || call == .openFile) && name == path ? .error(EACCES) : nil
    }
    for mode in [OutputFile.Mode.replace, .stream] {
      let error = #expect(throws: FileError.self) { _ = try OutputFile(path, mode, system) }
      #expect(error?.kind == .cannotCreate)
      #expect(error?.message == "\(path) cannot be written: \(SystemError.text(of: EACCES))")
    }
    #expect(try text(folder) == "old")
    #expect(try names(folder) == ["file"])
  }

  @Test("in a folder that cannot be written to, a stream writes the file itself")
  func protectedFolder() throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "file")
    let parent = try FileSystem().resolve(folder.path)
    let system = FileSystem { call, name in
      call == .access && name == parent ? .error(EACCES) : nil
    }
    let error = #expect(throws: FileError.self) {
      _ = try OutputFile(folder.path("file"), .replace, system)
    }
    #expect(error?.kind == .cannotCreate)
    #expect(error?.message.contains("its folder \(parent) cannot be written to") == true)
    var file = try OutputFile(folder.path("file"), .stream, system)
    try write("new", to: &file)
    #expect(try text(folder) == "new")
    try file.finish()
  }

  @Test("the new file has the group of the old one", .enabled(if: geteuid() == 0))
  func group() throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "file")
    // A container may not have the group.
    guard chown(folder.path("file"), .max, 1) == 0 else { return }
    for mode in [OutputFile.Mode.replace, .stream] {
      var file = try OutputFile(folder.path("file"), mode)
      try write("new", to: &file)
      try file.finish()
      var status = stat()
      #expect(stat(folder.path("file"), &status) == 0 && status.st_gid == 1)
    }
  }

  @Test(
    "a file whose group cannot be given has no permission for its own group that others do not have",
    arguments: [(0o666, 0o666), (0o660, 0o600), (0o664, 0o644), (0o604, 0o604), (0o640, 0o600)])
  func groupNotGiven(mode: mode_t, expected: mode_t) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("file")
    let system = FileSystem { call, _ in call == .changeGroup ? .error(EPERM) : nil }
    for writing in ["replace", "stream", "continued"] {
      try folder.write("old", to: "file")
      #expect(chmod(path, mode) == 0)
      if writing == "continued" {
        let output = try await LiveFileService(system: system).output(path, continues: true)
        try await output.begin(afterKept: false, tag: nil)
        try await output.finish()
      } else {
        var file = try OutputFile(path, writing == "stream" ? .stream : .replace, system)
        try write("new", to: &file)
        try file.finish()
      }
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == expected, "\(writing)")
    }
  }

  @Test("a new file of a stream grows at once, and one that is discarded is gone")
  func streaming() throws {
    let folder = try TemporaryFolder()
    var file = try OutputFile(folder.path("file"), .stream)
    try write("a", to: &file)
    #expect(try text(folder) == "a")
    try file.finish()
    #expect(try text(folder) == "a")
    var other = try OutputFile(folder.path("other"), .stream)
    try write("a", to: &other)
    other.discard()
    #expect(try names(folder) == ["file"])
  }

  @Test("what another program has put there meanwhile is not removed or cut")
  func others() throws {
    let folder = try TemporaryFolder()
    var file = try OutputFile(folder.path("file"), .stream)
    try write("a", to: &file)
    unlink(folder.path("file"))
    try folder.write("theirs", to: "file")
    file.discard()
    #expect(try text(folder) == "theirs")
    var added = try OutputFile(folder.path("file"), .append)
    try write("+mine", to: &added)
    var theirs = try OutputFile(folder.path("file"), .append)
    try write("+theirs", to: &theirs)
    try theirs.finish()
    added.discard()
    #expect(try text(folder) == "theirs+mine+theirs")
    var last = try OutputFile(folder.path("file"), .append)
    try write("+last", to: &last)
    last.discard()
    #expect(try text(folder) == "theirs+mine+theirs")
  }

  @Test(
    "a new file that others have written to is kept", arguments: [OutputFile.Mode.stream, .append])
  func addedToNew(mode: OutputFile.Mode) throws {
    let folder = try TemporaryFolder()
    var file = try OutputFile(folder.path("file"), mode)
    var theirs = try OutputFile(folder.path("file"), .append)
    try write("theirs\n", to: &theirs)
    try theirs.finish()
    try write("mine\n", to: &file)
    file.discard()
    #expect(try text(folder) == "theirs\nmine\n")
  }

  @Test("a new file whose last bytes were not stored is removed, unless others have written to it")
  func failedClose() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("file")
    let system = FileSystem { call, _ in call == .close ? .error(EIO) : nil }
    var file = try OutputFile(path, .append, system)
    try write("mine", to: &file)
    #expect(throws: FileError.self) { try file.finish() }
    #expect(try names(folder) == [])
    let other = try OutputFile(path, .append, system)
    var theirs = try OutputFile(path, .append)
    try write("theirs", to: &theirs)
    try theirs.finish()
    #expect(throws: FileError.self) { try other.finish() }
    #expect(try text(folder) == "theirs")
    var shared = try OutputFile(folder.path("shared"), .append, system)
    try write("mine", to: &shared)
    #expect(throws: FileError.self) { try shared.finish(isShared: true) }
    #expect(try text(folder, "shared") == "mine")
  }

  @Test("a file that another writer has truncated is not cut to its old length")
  func truncatedMeanwhile() throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "file")
    var file = try OutputFile(folder.path("file"), .append)
    try write("+mine", to: &file)
    var other = try OutputFile(folder.path("file"), .truncate)
    file.keepWritten()
    try write("+theirs!", to: &other)
    try other.finish()
    file.discard()
    #expect(try text(folder) == "+theirs!")
  }

  @Test("the removal of a truncated file is noticed, and writing to it does not block")
  func truncatedAndRemoved() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("file")
    try folder.write("old", to: "file")
    let file = try OutputFile(path, .truncate)
    #expect(!file.isDirect)
    #expect(unlink(path) == 0)
    let error = #expect(throws: FileError.self) { try file.finish() }
    #expect(error?.kind == .io)
  }

  @Test(
    "a file that had no name when it was opened is written",
    .enabled(if: access("/dev/fd", X_OK) == 0))
  func nameless() throws {
    let folder = try TemporaryFolder()
    let descriptor = open(folder.path("file"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    #expect(unlink(folder.path("file")) == 0)
    var file = try OutputFile("/dev/fd/\(descriptor)", .append)
    try write("mine", to: &file)
    try file.finish()
    #expect(FileInfo(descriptor: descriptor)?.size == 4)
  }

  @Test(
    "a file that is removed or replaced while it is written is a failure", arguments: [false, true])
  func removedMeanwhile(exists: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("file")
    if exists { try folder.write("old", to: "file") }
    var file = try OutputFile(path, .append)
    try folder.write("theirs", to: "new")
    #expect(rename(folder.path("new"), path) == 0)
    try write("mine", to: &file)
    let error = #expect(throws: FileError.self) { try file.finish() }
    #expect(error?.kind == .io)
    #expect(error?.message == "\(path) was removed or replaced while it was written")
    #expect(try text(folder) == "theirs")
    // A log that was renamed still has all of its bytes.
    var log = try OutputFile(path, .append)
    #expect(rename(path, folder.path("file.1")) == 0)
    try write("+mine", to: &log)
    try log.finish()
    #expect(try text(folder, "file.1") == "theirs+mine")
  }

  @Test("a file with two names keeps both, as with a shell")
  func twoNames() throws {
    let folder = try TemporaryFolder()
    try folder.write("old text", to: "file")
    #expect(link(folder.path("file"), folder.path("second")) == 0)
    var file = try OutputFile(folder.path("file"), .stream)
    try write("lost", to: &file)
    #expect(truncate(folder.path("file"), 0) == 0)
    try write("new", to: &file)
    try file.finish()
    #expect(try text(folder) == "new")
    #expect(try text(folder, "second") == "new")
  }

  @Test("a refusal before the replacing leaves the old file")
  func refusal() throws {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "file")
    var file = try OutputFile(folder.path("file"), .replace)
    try write("new", to: &file)
    let error = #expect(throws: FileError.self) {
      try file.finish { (path) throws(FileError) in
        throw FileError(.ownFile, path: path, message: "no")
      }
    }
    #expect(error?.kind == .ownFile)
    #expect(try text(folder) == "old")
    #expect(try names(folder) == ["file"])
  }

  @Test("a device is written directly, and stays one", .enabled(if: access("/dev/full", W_OK) == 0))
  func device() throws {
    var file = try OutputFile("/dev/full", .replace)
    let error = #expect(throws: FileError.self) { try write("x", to: &file) }
    #expect(error?.kind == .full)
    file.discard()
    #expect(throws: Never.self) { try OutputFile("/dev/full", .create).discard() }
    let folder = #expect(throws: FileError.self) { _ = try OutputFile("/dev", .create) }
    #expect(folder?.kind == .exists)
    var status = stat()
    #expect(stat("/dev/full", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test("a write to a pipe that another writer has filled can be ended", .timeLimit(.minutes(20)))
  func sharedPipe() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let other = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    defer { close(other) }
    let interruption = Interruption()
    let writes = Mutex(0)
    let system = FileSystem { call, _ in
      guard call == .write else { return nil }
      // The first write finds the pipe full although it has just waited for room.
      fill(other)
      writes.withLock { $0 += 1 }
      interruption.interrupt()
      return nil
    }
    var file = try OutputFile(path, .replace, system, until: Interruption())
    let error = #expect(throws: FileError.self) {
      try [1, 2, 3].withUnsafeBytes { try file.write($0, until: interruption) }
    }
    #expect(error?.message.contains("cancel") == true)
    #expect(writes.withLock(\.self) == 1)
  }
}

/// Writes to a nonblocking descriptor until it takes nothing more.
private func fill(_ descriptor: Int32) {
  let bytes = [UInt8](repeating: 0, count: 1 << 16)
  while write(descriptor, bytes, bytes.count) > 0 {}
}
