import Synchronization

/// The progress of reading a recording.
public struct LogProgress: Sendable, Hashable {
  /// The number of bytes read in all passes.
  public let bytes: Int
  /// The number of bytes to read in all passes, from the sizes of the files at the beginning.
  public let total: Int

  /// The progress from 0 to 1.
  public var fraction: Double { total == 0 ? 1 : min(1, Double(bytes) / Double(total)) }
}

extension RotatedLog {
  /// Returns the same recording, which reports read progress.
  ///
  /// - Parameters:
  ///   - passes: The number of times the recording will be read.
  ///   - tell: Called after every 256 KiB, on the reading thread.
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
