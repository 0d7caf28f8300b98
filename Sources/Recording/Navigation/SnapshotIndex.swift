/// Positions of a log from which a replay can begin, thinned out as it grows: never more than a
/// number of them, never more than some bytes, and always about evenly spread.
struct SnapshotIndex {
  struct Entry {
    /// The state is the one after this step.
    let step: Int
    /// Where to read on: after the step, or at the log's own snapshot of it, which may be a file's
    /// header.
    let position: RotatedLogPosition
    /// The canonical state; nil if the log has it at `position`.
    let state: [UInt8]?
  }

  private let capacity: Int
  private let byteLimit: Int
  private(set) var entries: [Entry] = []
  private(set) var stride: Int
  private var bytes = 0

  /// - Parameters:
  ///   - capacity: Entries at most, from 2.
  ///   - byteLimit: Bytes of states at most; the first one does not count.
  init(capacity: Int, byteLimit: Int, stride: Int = 64) {
    self.capacity = max(2, capacity)
    self.byteLimit = byteLimit
    self.stride = max(1, stride)
  }

  /// Whether a state of the caller's own is wanted after `step`.
  func wantsState(after step: Int) -> Bool {
    guard let last = entries.last else { return true }
    return step - last.step >= stride
  }

  /// Whether a snapshot in the log is wanted. Costing no memory it is taken sooner.
  func wantsSnapshot(of step: Int) -> Bool {
    guard let last = entries.last else { return true }
    return step - last.step >= max(1, stride / 2)
  }

  mutating func add(_ entry: Entry) {
    if !entries.isEmpty { bytes += entry.state?.count ?? 0 }
    entries.append(entry)
    while entries.count > 2, entries.count > capacity || bytes > byteLimit { thin() }
  }

  /// Keeps the first entry and then every second.
  private mutating func thin() {
    stride = stride > Int.max / 2 ? stride : stride * 2
    entries = entries.indices.filter { $0.isMultiple(of: 2) }.map { entries[$0] }
    bytes = entries.dropFirst().reduce(0) { $0 + ($1.state?.count ?? 0) }
  }

  /// The last entry at or before `step`. O(log n).
  func nearest(to step: Int) -> Entry? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].step <= step { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? entries[low - 1] : nil
  }
}
