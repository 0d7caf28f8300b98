import SwiftBoardCommandLine
import SwiftBoardRecording

/// What stands for recordings that were rotated where each file is looked at by itself.
enum SessionChains {
  /// Files that are to be looked at, and what is odd about the recordings they belong to.
  struct Found: Sendable {
    /// The paths, each once.
    var paths: [String] = []
    /// By path: the files that were found there, wherever rotation puts them.
    var files: [String: LogFile] = [:]
    /// By path, of the newest file that is there.
    var warnings: [String: String] = [:]
  }

  /// How often a recording is looked for whose old files are removed meanwhile.
  static let attempts = 5

  /// The files of all recordings, each once: of one that was rotated all that are there, once it is known that each goes on where
  /// the one before it ended. Reads those; what is wrong within a file is left to whoever checks it.
  static func files(of paths: [String]) async throws -> Found {
    let flag = CancelFlag()
    return try await withTaskCancellationHandler {
      try await SessionReplay.offPool { try files(of: paths, isCancelled: { flag.isSet }) }
    } onCancel: {
      flag.set()
    }
  }

  /// Blocks.
  static func files(
    of paths: [String], isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Found {
    var found = Found()
    for path in paths { try add(path, to: &found, isCancelled) }
    return found
  }

  private static func add(
    _ path: String, to found: inout Found, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws {
    func add(_ path: String, _ file: LogFile) {
      guard found.files[path] == nil else { return }
      found.paths.append(path)
      found.files[path] = file
    }
    guard !LogChain.numbers(beside: path).isEmpty else {
      return add(path, LogFile(path: path, isCancelled: isCancelled))
    }
    for attempt in 1...attempts {
      do throws(LogChainError) {
        let chain = try LogChain(path: path, isCancelled: isCancelled)
        _ = try chain.check()
        for (part, file) in zip(chain.parts, chain.files) { add(part.path, file) }
        if let warning = chain.newestWarning(path), let last = chain.parts.last {
          found.warnings[last.path] = warning
        }
        return
      } catch {
        if isCancelled() { throw CancellationError() }
        if error.isAboutNames, attempt < attempts { continue }
        guard case .unreadable = error else { throw Failure(error, path) }
        for path in LogChain.numbers(beside: path).map({ "\(path).\($0)" }) + [path] {
          add(path, LogFile(path: path, isCancelled: isCancelled))
        }
        return
      }
    }
  }
}

extension LogChain {
  /// What to say where the newest file is not there.
  func newestWarning(_ path: String) -> String? {
    isNewestMissing
      ? "\(path) is not there, only the files before it: what it had is not looked at" : nil
  }
}
