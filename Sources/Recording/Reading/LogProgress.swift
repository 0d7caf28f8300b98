import Synchronization

/// How far the reading of a recording is.
public struct LogProgress: Sendable, Hashable {
  /// Bytes that were read, all passes together.
  public let bytes: Int
  /// Bytes that will have been read in the end, as long as the files were when it began.
  public let total: Int

  /// From 0 to 1.
  public var fraction: Double { total == 0 ? 1 : min(1, Double(bytes) / Double(total)) }
}

extension RotatedLog {
  /// Returns the same files with reporting of read progress.
  ///
  /// - Parameters:
  ///   - passes: How often all of it will be read.
  ///   - tell: Called at every 256 KiB, on the thread that reads.
  public func reporting(
    passes: Int = 1, _ tell: @escaping @Sendable (LogProgress) -> Void
  ) -> RotatedLog {
    let total = passes * files.reduce(0) { $0 + $1.size }
    let done = Mutex(0)
    return watched { count in
      let bytes = done.withLock { done in
        done += count
        return done
      }
      tell(LogProgress(bytes: bytes, total: total))
    }
  }

  private func watched(_ onRead: @escaping @Sendable (Int) -> Void) -> RotatedLog {
    var rotatedLog = self
    for index in rotatedLog.files.indices { rotatedLog.files[index].onRead = onRead }
    return rotatedLog
  }
}
