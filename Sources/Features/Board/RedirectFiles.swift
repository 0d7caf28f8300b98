import SwiftBoardCommandLine
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The files of `> FILE` and `>> FILE`: opened before the command runs, as a shell does, and closed when it has ended.
public final class RedirectFiles: Sendable {
  private struct File {
    var descriptor: Int32
    var path: String
    var error: Int32?
  }

  private let files = Mutex<[Int: File]>([:])
  private let report: @Sendable (String) -> Void

  /// - Parameter report: Hears of writes that failed.
  public init(report: @escaping @Sendable (String) -> Void) {
    self.report = report
  }

  /// Opens a file for a command, mode 0600 where it is new. Gives the failure where it cannot be.
  func open(_ path: String, appends: Bool, job: Int) async -> Failure? {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (appends ? O_APPEND : O_TRUNC)
    // A pipe waits for its reader, and that must not take a thread from the effects.
    let (descriptor, number) = await OwnThread.run { () -> (Int32, Int32) in
      let descriptor = openFile(path, flags, 0o600)
      return (descriptor, errno)
    }
    guard descriptor >= 0 else {
      return Failure(
        code: ExitCode.cannotCreate, error: "cannotCreate",
        message: "\(path) cannot be written: \(String(cString: strerror(number)))")
    }
    files.withLock { $0[job] = File(descriptor: descriptor, path: path) }
    return nil
  }

  /// Writes what a command prints.
  public func write(_ bytes: [UInt8], job: Int) {
    let failure = files.withLock { files -> String? in
      guard let file = files[job], file.error == nil else { return nil }
      do throws(OutputError) {
        try StandardOutput(descriptor: file.descriptor).write(bytes)
        return nil
      } catch {
        files[job]?.error = ExitCode.io
        return "\(file.path): the output could not be written whole\n"
      }
    }
    if let failure { report(failure) }
  }

  /// Closes a command's file; an exit code where writing failed.
  func close(_ job: Int) -> Int32? {
    let file = files.withLock { $0.removeValue(forKey: job) }
    guard let file else { return nil }
    return closeFile(file.descriptor) == 0 ? file.error : ExitCode.io
  }
}

private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
  open(path, flags, mode)
}

private func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }
