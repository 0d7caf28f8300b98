import SwiftBoardSystem

/// Positions of a log from which a replay can begin. Their number and size are limited: as the
/// index grows, it removes entries, and the rest stay about evenly spread.
struct SnapshotIndex {
  static let defaultCapacity = 512
  static let defaultByteLimit = 16 << 20

  struct Entry {
    /// The state is the one after this step.
    let step: Int
    /// The position to continue reading: after the step, or at the log's own snapshot of it, which
    /// may be the header of a file.
    var position: RotatedLogPosition
    /// The canonical state, or `nil` if the log has it at `position`.
    let state: [UInt8]?
  }

  private let capacity: Int
  private let byteLimit: Int
  private(set) var entries: [Entry] = []
  private(set) var stride: Int
  private var bytes = 0

  /// - Parameters:
  ///   - capacity: The maximum number of entries, at least 2.
  ///   - byteLimit: The maximum size of all states in bytes, except the first.
  init(
    capacity: Int = defaultCapacity, byteLimit: Int = defaultByteLimit, stride: Int = 64
  ) {
    self.capacity = max(2, capacity)
    self.byteLimit = byteLimit
    self.stride = max(1, stride)
  }

  /// The first step whose state the caller should add.
  var nextState: Int { entries.last.map { $0.step + stride } ?? 0 }

  /// Returns whether the caller should add its state after `step`.
  func wantsState(after step: Int) -> Bool { step >= nextState }

  /// Returns whether the caller should add a snapshot of the log. Snapshots use no memory, so the
  /// interval is shorter than for states.
  func wantsSnapshot(of step: Int) -> Bool {
    guard let last = entries.last else { return true }
    return step - last.step >= max(1, stride / 2)
  }

  mutating func add(_ entry: Entry) {
    if !entries.isEmpty { bytes += entry.state?.count ?? 0 }
    entries.append(entry)
    while entries.count > 2, entries.count > capacity || bytes > byteLimit { thin() }
  }

  /// Removes every second entry, and keeps the first.
  private mutating func thin() {
    stride = stride > Int.max / 2 ? stride : stride * 2
    replace(entries.indices.filter { $0.isMultiple(of: 2) }.map { entries[$0] })
  }

  private mutating func replace(_ entries: [Entry]) {
    self.entries = entries
    bytes = entries.dropFirst().reduce(0) { $0 + ($1.state?.count ?? 0) }
  }

  /// Removes the entries of steps before `step`.
  mutating func removeAll(before step: Int) {
    replace(entries.filter { $0.step >= step })
  }

  /// Returns the index of one file, without its header.
  func inFile(_ segment: Int) -> SnapshotIndex {
    var index = self
    index.replace(entries.filter { $0.position.segment == segment && $0.position.inFile != nil })
    return index
  }

  /// Returns the index of the files that are left of a recording. In this one, the segment of a
  /// position is the number of files before it, including removed ones.
  ///
  /// - Parameter last: The last step that may be visited.
  func located(in rotatedLog: RotatedLog, through last: Int) -> SnapshotIndex {
    var located = self
    let first = Entry(
      step: rotatedLog.firstStep, position: RotatedLogPosition(segment: 0, inFile: nil), state: nil)
    let removed = rotatedLog.segments[0].number - 1
    located.replace(
      [first]
        + entries.compactMap { entry in
          guard entry.step > first.step, entry.step <= last else { return nil }
          var entry = entry
          entry.position.segment -= removed
          return rotatedLog.segments.indices.contains(entry.position.segment) ? entry : nil
        })
    return located
  }

  /// Returns the last entry at or before `step`.
  ///
  /// - Complexity: O(log n).
  func nearest(to step: Int) -> Entry? {
    let next = entries.partitioningIndex { $0.step > step }
    return next > 0 ? entries[next - 1] : nil
  }
}
