import SwiftBoardDependencies
import SwiftBoardSystem
import Synchronization

/// The files of `> FILE` and `>> FILE`. They are opened before the command runs, as in a shell, and
/// closed after its end.
///
/// `>` replaces an existing file after the end of the command, and `>>` appends to it. If a write
/// fails, or if a command fails before its first output, the previous content is kept. A file that
/// another command is writing is not replaced: `>` truncates it at once, so that nothing of what
/// follows is lost. A file that another command will replace cannot be opened.
public final class RedirectFiles: Sendable {
  /// An open file. Writing it holds only its own lock, because the reader of a pipe may block
  /// forever.
  private final class File: Sendable {
    struct State {
      var output: OutputFile
      var isEmpty = true
      /// The first error. All later writes are discarded.
      var error: FileError?
      var isClosed = false
    }

    let state: Mutex<State>
    /// Whether writes may block on another program. Such a file leaves nothing to remove.
    let mayStall: Bool
    let id: FileID?
    /// The path of the existing file that the command replaces.
    let replacedPath: String?

    init(_ output: OutputFile) {
      mayStall = output.isDirect
      id = output.id
      replacedPath = output.replacedPath
      state = Mutex(State(output: output))
    }
  }

  private struct State {
    var files: [Int: File] = [:]
    /// The commands whose output goes into another command's file.
    var owners: [Int: Int] = [:]
    /// The exit codes of commands that ended before those that write into their files.
    var ended: [Int: Int32] = [:]

    /// The file that receives the output of a command.
    func file(of job: Int) -> File? {
      var job = job
      while let owner = owners[job] { job = owner }
      return files[job]
    }

    /// Whether a command has a file open.
    func isOpen(_ id: FileID?) -> Bool { !openFiles(id).isEmpty }

    /// The files of commands that are a certain file.
    func openFiles(_ id: FileID?) -> [File] { id == nil ? [] : files.values.filter { $0.id == id } }

    /// Removes a command, and returns the file to close and the exit code of the command it is of.
    mutating func remove(_ job: Int, status: Int32) -> (file: File, status: Int32)? {
      if owners.values.contains(job) {
        ended[job] = status
        return nil
      }
      if let owner = owners.removeValue(forKey: job) {
        return ended.removeValue(forKey: owner).flatMap { remove(owner, status: $0) }
      }
      return files.removeValue(forKey: job).map { ($0, status) }
    }
  }

  private let state = Mutex(State())
  private let check: @Sendable (String) throws(FileError) -> Void
  private let report: @Sendable (String) -> Void

  /// Creates an empty collection of files.
  ///
  /// - Parameters:
  ///   - service: Rejects files that must not be written, or `nil` to permit all.
  ///   - report: Receives messages about failed writes.
  public init(
    files service: (any FileService)? = nil, report: @escaping @Sendable (String) -> Void
  ) {
    check = { (path) throws(FileError) in try service?.checkTarget(path, isRecording: false) }
    self.report = report
  }

  /// Opens a file for a command. A new file has mode 0600. Waits for the reader of a pipe until the
  /// task is cancelled.
  ///
  /// - Parameter waits: Whether to wait; otherwise a pipe without a reader is a failure.
  /// - Returns: The failure if that is impossible.
  func open(_ path: String, appends: Bool, job: Int, waits: Bool = true) async -> Failure? {
    // Opening a pipe waits for its reader, which must not block a thread of the effects.
    do throws(FileError) {
      let output = try await DetachedThread.runInterruptibly {
        [self] (interruption) throws(FileError) in
        try check(path)
        if !waits { interruption.interrupt() }
        let id = FileID(path)
        let (others, replaced) = state.withLock {
          ($0.openFiles(id), $0.files.values.compactMap(\.replacedPath))
        }
        if let id, replaced.contains(where: { FileID($0) == id }) { throw Self.replaced(path) }
        let mode: OutputFile.Mode = appends ? .append : others.isEmpty ? .stream : .truncate
        let output = try OutputFile(path, mode, until: interruption)
        for other in others where !appends && !other.mayStall {
          other.state.withLock { $0.output.keepWritten() }
        }
        return output
      }
      state.withLock { $0.files[job] = File(output) }
      return nil
    } catch {
      let hasNoReader = !waits && FileInfo(path)?.isPipe == true && access(path, W_OK) == 0
      return hasNoReader ? .noReader(of: path) : Failure(error)
    }
  }

  private static func replaced(_ path: String) -> FileError {
    FileError(
      .cannotCreate, path: path,
      message: "\(path) cannot be written while another command replaces it: "
        + "wait for its end, or use '>>' for both")
  }

  /// Lets a command write into the file of another one. It is closed when both have ended.
  func lend(_ job: Int, to inner: Int) { state.withLock { $0.owners[inner] = job } }

  /// Gives the file of a command to another one, which closes it.
  func give(_ job: Int, to other: Int) {
    state.withLock {
      $0.files[other] = $0.files.removeValue(forKey: job)
      $0.owners[other] = $0.owners.removeValue(forKey: job)
    }
  }

  /// Writes the output of a command to its file.
  public func write(_ bytes: [UInt8], job: Int) {
    let file = state.withLock { $0.file(of: job) }
    guard !bytes.isEmpty, let file else { return }
    file.state.withLock { file in
      guard file.error == nil, !file.isClosed else { return }
      file.isEmpty = false
      bytes.withUnsafeBytes { bytes in
        do throws(FileError) { try file.output.write(bytes) } catch { file.error = error }
      }
    }
  }

  /// Ends the output of a command, and closes its file unless others still write into it. The last
  /// of them closes it. Returns the failure if writing failed.
  ///
  /// - Parameters:
  ///   - job: The job of the command.
  ///   - status: The exit code of the command.
  func close(_ job: Int, status: Int32) -> Failure? {
    guard let (file, status) = state.withLock({ $0.remove(job, status: status) }) else {
      return nil
    }
    let isShared = state.withLock { $0.isOpen(file.id) }
    return file.state.withLock { close(&$0, status, isShared: isShared) }
  }

  private func close(
    _ file: inout File.State, _ status: Int32, isShared: Bool = false
  ) -> Failure? {
    file.isClosed = true
    guard file.error == nil, !file.isEmpty || status == 0 else {
      file.output.discard(isShared: isShared)
      return file.error.map(Failure.init(unwritten:))
    }
    do throws(FileError) {
      try file.output.finish(isShared: isShared, check: check)
      return nil
    } catch {
      return Failure(unwritten: error)
    }
  }

  /// Closes all files after the last command. A pipe or a device with a write in progress is left
  /// open until the process exits.
  func closeAll() {
    let open = state.withLock { state in
      defer { state = State() }
      return state.files.sorted { $0.key < $1.key }.map(\.value)
    }
    for file in open {
      if file.mayStall {
        file.state.withLockIfAvailable { report(close(&$0, ExitCode.interrupted)) }
      } else {
        file.state.withLock { report(close(&$0, ExitCode.interrupted)) }
      }
    }
  }

  private func report(_ failure: Failure?) {
    if let failure { report(failure.message) }
  }
}

extension Failure {
  /// The failure of a command in the background that writes to a pipe without a reader.
  fileprivate static func noReader(of path: String) -> Failure {
    Failure(
      code: ExitCode.cannotCreate, error: "noReader",
      message: "no program reads the pipe '\(path)', and '&' does not wait for one",
      help: "start its reader first, or leave out the '&' to wait for it here")
  }

  /// The failure of a command whose output did not get into its file.
  fileprivate init(unwritten error: FileError) {
    self.init(error)
    message = "the output could not be written whole: \(message)"
  }
}
