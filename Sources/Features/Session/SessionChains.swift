import SwiftBoardCommandLine
import SwiftBoardRecording

/// What stands for recordings that were rotated where each file is looked at by itself.
enum SessionChains {
  /// The files of all recordings, each once: of one that was rotated all that are there, once it is known that each goes on where
  /// the one before it ended. Reads those; what is wrong within a file is left to whoever checks it.
  static func files(of paths: [String]) async throws -> [String] {
    let flag = CancelFlag()
    return try await withTaskCancellationHandler {
      try await SessionReplay.offPool {
        var files: [String] = []
        for path in paths {
          for file in try self.files(of: path, flag) where !files.contains(file) {
            files.append(file)
          }
        }
        return files
      }
    } onCancel: {
      flag.set()
    }
  }

  private static func files(of path: String, _ flag: CancelFlag) throws -> [String] {
    let numbers = LogChain.numbers(beside: path)
    guard !numbers.isEmpty else { return [path] }
    do throws(LogChainError) {
      let chain = try LogChain(path: path, isCancelled: { flag.isSet })
      _ = try chain.check()
      return chain.parts.map(\.path)
    } catch {
      if flag.isSet { throw CancellationError() }
      guard case .unreadable = error else { throw Failure(error, path) }
      return numbers.map { "\(path).\($0)" } + [path]
    }
  }
}
