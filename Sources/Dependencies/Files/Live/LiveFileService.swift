import SwiftBoardSystem

/// Files on disk. Each call waits on a thread of its own: one that waits for the other end of a
/// pipe holds up neither the pool that runs effects nor any other call.
package struct LiveFileService: FileService {
  private let system: FileSystem
  private let own: OwnFiles?

  /// Holds nothing.
  ///
  /// - Parameters:
  ///   - own: Where the board's own files are, which no line may write to; `nil`: there are none.
  ///   - environment: The process's variables: the files of its unlock sources are the board's own,
  ///     too.
  package init(own: BoardPaths? = nil, environment: [String: String] = [:]) {
    self.init(own: own, environment: environment, system: FileSystem())
  }

  init(own: BoardPaths? = nil, environment: [String: String] = [:], system: FileSystem) {
    self.own = own.map { OwnFiles($0, secrets: UnlockSources.files(in: environment)) }
    self.system = system
  }

  /// Reads 64 KiB at a time until the end or the limit. Works on pipes too, and waits there;
  /// cancelling the task does not end that.
  ///
  /// - Throws: `missing`, `denied`, `tooLarge` or `io`; a folder is `io`.
  package func read(_ path: String, limit: Int) async throws(FileError) -> Data {
    try await DetachedThread.run { () throws(FileError) in
      try LiveFileService.readNow(path, limit)
    }
  }

  /// `replace` writes a new file beside the old one and renames it when it is whole; it goes
  /// through symbolic links, also to where nothing is yet, and keeps the old permissions. What is
  /// no regular file is written to directly. A write that fails leaves what was there before, and
  /// nothing waits for the disk.
  ///
  /// - Throws: `ownFile` for the board's own, `exists`, `cannotCreate` where the file cannot be
  ///   opened, `full`, `denied` or `io`.
  package func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {
    try await DetachedThread.run { [self] () throws(FileError) in
      try FileWriter(system: system, path: path) { (path) throws(FileError) in
        try checkTarget(path, isRecording: false)
      }.write(data, mode)
    }
  }

  /// Compares with the files in the folders of the board's own, and with the descriptors that it
  /// has opened: a few dozen system calls.
  ///
  /// - Throws: `ownFile`.
  package func checkTarget(_ path: String, isRecording: Bool) throws(FileError) {
    if let descriptor = DescriptorPath(path), descriptor.isInternal {
      throw FileError(
        .ownFile, path: path,
        message: "\(path) is the board's own descriptor and is not written to: name a file")
    }
    guard let title = own?.title(of: path, isRecording: isRecording) else { return }
    throw FileError(
      .ownFile, path: path,
      message:
        "\(path) belongs to the board's own \(title) and is not written to: name another file")
  }

  /// Looks at what is there and at the folder: a few system calls.
  ///
  /// - Throws: `cannotCreate` for a folder, and where the folder of a new file is missing or must
  ///   not be written to.
  package func checkCreatable(_ path: String) throws(FileError) {
    func cannotCreate(_ number: Int32) -> FileError {
      FileError(
        .cannotCreate, path: path,
        message: "\(path) cannot be written: \(SystemError.text(of: number))")
    }
    if let info = FileInfo(path) {
      if info.isFolder { throw cannotCreate(EISDIR) }
      return
    }
    guard errno == ENOENT else { throw cannotCreate(errno) }
    let folder = PathComponents(ResolvedFile.followed(path), ignoresTrailingSlashes: true).folder
    guard access(folder, W_OK) == 0 else { throw cannotCreate(errno) }
  }

  /// Opens it on a thread of its own, where a pipe may wait for its other end.
  ///
  /// - Throws: `missing`, `denied` or `io`; a folder is `io`.
  package func input(_ path: String) async throws(FileError) -> FileInput {
    try await FileInput.open(path, system)
  }

  /// Writes as `write` with `replace`, or where it continues `PATH.part`, which takes the name when
  /// it is whole.
  ///
  /// - Throws: `cannotCreate` where the file cannot be continued.
  package func output(_ path: String, continues: Bool) async throws(FileError) -> any FileOutput {
    let check: @Sendable (String) throws(FileError) -> Void = { (path) throws(FileError) in
      try checkTarget(path, isRecording: false)
    }
    guard continues else { return LiveFileOutput(path, .replace, system, check: check) }
    let system = system
    return try await DetachedThread.run { () throws(FileError) in
      try PartialFile(path, system, check: check)
    }
  }

  /// Opens nothing before `begin`, which throws `exists`, `cannotCreate` or `ownFile`.
  package func newFile(_ path: String) async throws(FileError) -> any FileOutput {
    LiveFileOutput(path, .create, system) { (path) throws(FileError) in
      try checkTarget(path, isRecording: false)
    }
  }

  // MARK: Reading

  private static func readNow(_ path: String, _ limit: Int) throws(FileError) -> Data {
    var data = Data()
    do throws(SystemError) {
      let system = FileSystem()
      let file = try system.open(path, O_RDONLY)
      guard try !system.info(file).isFolder else { throw SystemError(code: EISDIR, call: "read") }
      while data.count <= limit {
        let bytes = try Descriptor.read(file.number, atMost: 1 << 16)
        if bytes.isEmpty { return data }
        data.append(contentsOf: bytes)
      }
    } catch {
      throw FileError(path, "read", error.code)
    }
    throw FileError(
      .tooLarge, path: path,
      message: "\(path) is larger than the \(limit) bytes that are taken here")
  }
}

extension FileError {
  /// What an error number of the system means for a file that was to be `verb`.
  init(_ path: String, _ verb: String, _ number: Int32) {
    let kind: Kind =
      switch number {
      case ENOENT, ENOTDIR: .missing
      case EACCES, EPERM: .denied
      case ENOSPC, EDQUOT: .full
      default: .io
      }
    self.init(
      kind, path: path,
      message: kind == .missing
        ? "there is no file \(path)"
        : "\(path) cannot be \(verb): \(SystemError.text(of: number))")
  }
}
