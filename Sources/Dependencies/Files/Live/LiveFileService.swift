import SwiftBoardSystem

/// Files on disk. Each call runs on a thread of its own, so a call that waits for a pipe blocks
/// neither the cooperative pool nor any other call.
package struct LiveFileService: FileService {
  private let system: FileSystem
  private let own: OwnFiles?
  /// The folder of the home's recordings.
  private let sessions: String?
  private let recording = RunningRecording()
  private let open = OpenOutputs()

  /// Creates a service without accessing files.
  ///
  /// - Parameters:
  ///   - own: The board's own files, which no line may write to, or `nil` if there are none.
  ///   - environment: The environment variables. The files of their unlock sources are also the
  ///     board's own, and so are those of the home that they name.
  package init(
    own: BoardPaths? = nil, environment: [String: String] = [:], system: FileSystem = FileSystem()
  ) {
    sessions = own?.sessions
    self.own = own.map { own in
      let usual =
        environment.isEmpty
        ? own : BoardPaths(environment: environment, program: own.program)
      return OwnFiles(
        own == usual ? [own] : [own, usual], secrets: UnlockSources.files(in: environment))
    }
    self.system = system
  }

  /// Reads 64 KiB at a time until the end or the limit. Reading a pipe may wait until the task is
  /// cancelled.
  ///
  /// - Throws: `missing`, `denied`, `tooLarge` or `io`; a folder is `io`.
  package func read(_ path: String, limit: Int) async throws(FileError) -> Data {
    try await DetachedThread.runInterruptibly { (interruption) throws(FileError) in
      try LiveFileService.readNow(path, limit, interruption)
    }
  }

  /// Writes a whole file.
  ///
  /// `replace` writes a new file next to the old one and renames it when it is complete. It follows
  /// symbolic links, even if their target does not exist yet, and keeps the old permissions. A path
  /// that is not a regular file is written to directly. A write that fails leaves the previous
  /// file. The data is not synchronized to the disk.
  ///
  /// - Throws: `ownFile` for the board's own files, `exists`, `cannotCreate` if the file cannot be
  ///   opened, `full`, `denied` or `io`.
  package func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {
    try await DetachedThread.runInterruptibly { [self] (interruption) throws(FileError) in
      let check = { (path: String) throws(FileError) in
        try checkTarget(path, isRecording: false)
      }
      try check(path)
      let mode: OutputFile.Mode =
        switch mode {
        case .create: .create
        case .append: .append
        case .replace: .replace
        }
      var file = try OutputFile(path, mode, system, until: interruption)
      do throws(FileError) {
        try data.bytes.withUnsafeBytes { (bytes) throws(FileError) in
          try file.write(bytes, until: interruption)
        }
      } catch {
        file.discard()
        throw error
      }
      // The check is repeated before another file is replaced.
      try file.finish(check: check)
    }
  }

  /// Makes two system calls.
  package func checkReadable(_ path: String) throws(FileError) {
    if FileInfo(path)?.isFolder == true { throw FileError(path, "read", EISDIR) }
    guard access(path, R_OK) == 0 else { throw FileError(path, "read", errno) }
  }

  /// Makes one system call.
  package func isFile(_ path: String) -> Bool { FileInfo(path)?.isRegular == true }

  /// Makes a system call for a relative path.
  package func absolutePath(_ path: String) -> String { PathComponents.absolute(path) }

  /// Protects the files of the recording, also those that its rotation will create.
  package func protect(recording path: String?) { recording.set(path) }

  /// Compares the path with the files in the folders of the board's own files, and with the
  /// descriptors that the board has opened. Makes a few dozen system calls.
  ///
  /// - Throws: `ownFile`.
  package func checkTarget(_ path: String, isRecording: Bool) throws(FileError) {
    if let descriptor = DescriptorPath(path), descriptor.isInternal {
      throw FileError(
        .ownFile, path: path,
        message: "\(path) is the board's own descriptor and is not written to: name a file")
    }
    let title = recording.title(of: path) ?? own?.title(of: path, isRecording: isRecording)
    guard let title else { return }
    throw FileError(ownFile: path, title)
  }

  /// Creates the folder and a missing home with mode 0700. Makes one system call if the folder
  /// exists.
  ///
  /// - Throws: `cannotCreate`.
  package func makeFolder(ofRecording path: String) throws(FileError) {
    guard let sessions, FileInfo(sessions) == nil,
      ResolvedFile(path).folder == ResolvedFile(sessions).path
    else { return }
    do throws(SystemError) {
      try system.makeFolders(sessions)
    } catch {
      throw FileError(cannotCreate: path, error.code)
    }
  }

  /// Checks the path and its folder with a few system calls.
  ///
  /// - Throws: `cannotCreate` for a folder, if a file or its folder is not writable, and if the
  ///   folder of a new file is missing.
  package func checkCreatable(_ path: String) throws(FileError) {
    if let info = FileInfo(path) {
      if info.isFolder { throw FileError(cannotCreate: path, EISDIR) }
      return try OutputFile.checkReplaceable(path, info, system)
    }
    guard errno == ENOENT else { throw FileError(cannotCreate: path, errno) }
    let folder = PathComponents(ResolvedFile.followed(path), ignoresTrailingSlashes: true).folder
    do throws(SystemError) { try system.checkWritable(folder) } catch {
      throw FileError(cannotCreate: path, error.code)
    }
  }

  /// Opens the file on a thread of its own, because opening a pipe may wait.
  ///
  /// - Throws: `missing`, `denied` or `io`; a folder is `io`.
  package func input(_ path: String) async throws(FileError) -> FileInput {
    try await FileInput.open(path, system)
  }

  /// Writes like `write` with `replace`. With `continues`, it writes or continues `PATH.part`,
  /// which is renamed when it is complete.
  ///
  /// - Throws: `cannotCreate` if the file cannot be continued.
  package func output(_ path: String, continues: Bool) async throws(FileError) -> any FileOutput {
    let check: @Sendable (String) throws(FileError) -> Void = { (path) throws(FileError) in
      try checkTarget(path, isRecording: false)
    }
    guard continues else {
      return LiveFileOutput(path, .replace, system, among: open, check: check)
    }
    let system = system
    return try await DetachedThread.run { () throws(FileError) in
      try PartialFile(path, system, check: check)
    }
  }

  /// Opens nothing before `begin`, which throws `exists`, `cannotCreate` or `ownFile`.
  package func newFile(_ path: String) async throws(FileError) -> any FileOutput {
    LiveFileOutput(path, .create, system, among: open) { (path) throws(FileError) in
      try checkTarget(path, isRecording: false)
    }
  }

  /// Discards the files of `output` and `newFile` that are not complete. What writes them may not
  /// get another turn before the process ends.
  package func shutDown(within duration: Duration) async -> Bool {
    await DetachedThread.run { [open] in open.discardAll() }
    return true
  }

  // MARK: Reading

  private static func readNow(
    _ path: String, _ limit: Int, _ interruption: Interruption
  ) throws(FileError) -> Data {
    var data = Data()
    do throws(SystemError) {
      let system = FileSystem()
      let file = try interruption.open(path, O_RDONLY, system)
      guard try !system.info(file).isFolder else { throw SystemError(code: EISDIR, call: "read") }
      while data.count <= limit {
        let bytes = try interruption.read(file.number, atMost: 1 << 16)
        if bytes.isEmpty { return data }
        data.append(contentsOf: bytes)
      }
    } catch {
      throw FileError(path, "read", error.code)
    }
    throw FileError(tooLarge: path, limit: limit)
  }
}

extension FileError {
  /// Creates the error for a file of the board's own.
  init(ownFile path: String, _ title: String) {
    self.init(
      .ownFile, path: path,
      message:
        "\(path) belongs to the board's own \(title) and is not written to: name another file")
  }

  /// Creates the error for a file that cannot be created, with a system error number.
  init(cannotCreate path: String, _ number: Int32) {
    self.init(
      .cannotCreate, path: path,
      message: "\(path) cannot be written: \(SystemError.text(of: number))")
  }

  /// Creates the error for a system error number of the operation `verb`.
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
