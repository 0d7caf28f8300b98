import Synchronization

/// Counts lines from 1.
final class LineCounter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}
