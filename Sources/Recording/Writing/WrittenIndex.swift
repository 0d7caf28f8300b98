/// The positions and marks that a recorder knows of the recording that it writes, so that a visit
/// need not search for them. Their number and size are limited.
struct WrittenIndex: Sendable {
  static let markLimit = 10_000

  /// The segment of a position is the number of files before it.
  private(set) var snapshots: SnapshotIndex
  /// The marks, with step numbers of the whole recording.
  private(set) var marks: [LogMark] = []
  /// The number of ended files that rotation keeps, or `nil` for all.
  var keep: Int?
  /// The numbers of steps before the files that are kept, if not all are.
  private var starts: [Int]

  /// Begins with the header of a file.
  ///
  /// - Parameters:
  ///   - segment: The number of files before it.
  ///   - steps: The number of steps in those files.
  init(file segment: Int = 0, after steps: Int = 0, stride: Int = 64) {
    snapshots = SnapshotIndex(stride: stride)
    starts = [steps]
    add(header(segment, steps))
  }

  private func header(_ segment: Int, _ steps: Int) -> SnapshotIndex.Entry {
    .init(step: steps, position: RotatedLogPosition(segment: segment, inFile: nil), state: nil)
  }

  mutating func add(_ entry: SnapshotIndex.Entry) { snapshots.add(entry) }

  /// Adds a mark, with a step number of the whole recording.
  mutating func add(_ mark: LogMark) {
    if marks.count < WrittenIndex.markLimit { marks.append(mark) }
  }

  /// Adds the next file, and removes what is in the files that rotation removes.
  mutating func begin(file segment: Int, after steps: Int) {
    if let keep {
      starts.append(steps)
      starts.removeFirst(max(0, starts.count - keep - 1))
      snapshots.removeAll(before: starts[0])
      marks.removeAll { $0.n < starts[0] }
    }
    if snapshots.wantsSnapshot(of: steps) { add(header(segment, steps)) }
  }
}
