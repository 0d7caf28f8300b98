import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardSystem
import Synchronization

/// The files of `> FILE` and `>> FILE`: opened before the command runs, as a shell does, and closed
/// when it has ended.
///
/// `>` replaces an existing file when the command has ended, and `>>` adds to it. Where a write
/// fails, and where a command fails before it has printed anything, what was there before is left.
public final class RedirectFiles: Sendable {
  /// One file. Only its own lock is held while it is written: the reader of a pipe may stall for
  /// ever.
  private final class File: Sendable {
    struct State {
      var output: OutputFile
      var isEmpty = true
      var error: Int32?
    }

    let state: Mutex<State>
    /// Whether a write may wait for another program, and leaves nothing to clear away.
    let mayStall: Bool

    init(_ output: OutputFile) {
      mayStall = output.isDirect
      state = Mutex(State(output: output))
    }
  }

  private let files = Mutex<[Int: File]>([:])
  private let check: @Sendable (String) throws(FileError) -> Void
  private let report: @Sendable (String) -> Void

  /// - Parameters:
  ///   - service: Says which files are not written to; `nil`: all are.
  ///   - report: Hears of writes that failed.
  public init(
    files service: (any FileService)? = nil, report: @escaping @Sendable (String) -> Void
  ) {
    check = { (path) throws(FileError) in try service?.checkTarget(path, isRecording: false) }
    self.report = report
  }

  /// Opens a file for a command, mode 0600 where it is new. Gives the failure where it cannot be.
  func open(_ path: String, appends: Bool, job: Int) async -> Failure? {
    // A pipe waits for its reader, and that must not take a thread from the effects.
    do throws(FileError) {
      let output = try await DetachedThread.run { [check] () throws(FileError) in
        try check(path)
        return try OutputFile(path, appends ? .append : .stream)
      }
      files.withLock { $0[job] = File(output) }
      return nil
    } catch {
      return Failure(error)
    }
  }

  /// Writes what a command prints.
  public func write(_ bytes: [UInt8], job: Int) {
    guard !bytes.isEmpty, let file = files.withLock({ $0[job] }) else { return }
    let failure = file.state.withLock { file -> FileError? in
      guard file.error == nil else { return nil }
      file.isEmpty = false
      let result = bytes.withUnsafeBytes { bytes -> Result<Void, FileError> in
        do throws(FileError) {
          return .success(try file.output.write(bytes))
        } catch {
          return .failure(error)
        }
      }
      guard case .failure(let error) = result else { return nil }
      file.error = ExitCode.io
      return error
    }
    if let failure { report("the output could not be written whole: \(failure.message)\n") }
  }

  /// Closes a command's file; an exit code where writing failed.
  ///
  /// - Parameter status: How the command ended.
  func close(_ job: Int, status: Int32) -> Int32? {
    guard let file = files.withLock({ $0.removeValue(forKey: job) }) else { return nil }
    return file.state.withLock { close(&$0, status) }
  }

  private func close(_ file: inout File.State, _ status: Int32) -> Int32? {
    // Whatever is still to be written comes too late.
    defer { file.error = file.error ?? ExitCode.io }
    guard file.error == nil, !file.isEmpty || status == 0 else {
      file.output.discard()
      return file.error
    }
    do throws(FileError) {
      try file.output.finish(check: check)
      return nil
    } catch {
      report("the output could not be written whole: \(error.message)\n")
      return Failure(error).code
    }
  }

  /// Closes what is open, when no command goes on. A pipe or a device that is being written to at
  /// the moment is left to the end of the process.
  func closeAll() {
    let open = files.withLock { files in
      defer { files = [:] }
      return files.sorted { $0.key < $1.key }.map(\.value)
    }
    for file in open {
      if file.mayStall {
        file.state.withLockIfAvailable { _ = close(&$0, ExitCode.interrupted) }
      } else {
        file.state.withLock { _ = close(&$0, ExitCode.interrupted) }
      }
    }
  }
}
