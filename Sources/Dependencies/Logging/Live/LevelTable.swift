import Synchronization

/// The minimum level by category.
///
/// Most queries need only one atomic load: no level below the lowest threshold is enabled, and
/// every level from the highest threshold on is. Only levels in between require a lookup of the
/// category under a lock.
final class LevelTable: Sendable {
  private struct Thresholds {
    var standard: LogLevel
    var byCategory: [String: LogLevel] = [:]

    /// The lowest threshold in the low byte, and the highest above it.
    var bounds: Int {
      let all = byCategory.values.map(\.rawValue) + [standard.rawValue]
      return (all.max() ?? 0) << 8 | (all.min() ?? 0)
    }
  }

  private let bounds: Atomic<Int>
  private let thresholds: Mutex<Thresholds>

  init(_ level: LogLevel) {
    let start = Thresholds(standard: level)
    bounds = Atomic(start.bounds)
    thresholds = Mutex(start)
  }

  func isEnabled(_ level: LogLevel, category: String) -> Bool {
    let bounds = bounds.load(ordering: .relaxed)
    if level.rawValue < bounds & 0xFF { return false }
    if level.rawValue >= bounds >> 8 { return true }
    return level >= self.level(category: category)
  }

  func level(category: String?) -> LogLevel {
    thresholds.withLock { thresholds in
      category.flatMap { thresholds.byCategory[$0] } ?? thresholds.standard
    }
  }

  func set(_ level: LogLevel, category: String?) {
    thresholds.withLock { thresholds in
      if let category {
        thresholds.byCategory[category] = level
      } else {
        thresholds.standard = level
      }
      bounds.store(thresholds.bounds, ordering: .relaxed)
    }
  }
}
