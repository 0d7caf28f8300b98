/// The statistics of a recording.
package struct LogStatistics: Sendable, Hashable {
  /// The statistics of the effects with one name.
  package struct Effects: Sendable, Hashable {
    /// The number of effects that were returned.
    package var count = 0
    /// The number of actions that they sent.
    package var actions = 0
    /// The number of effects whose only action was reduced.
    package var finished = 0
    /// The number of effects that a later step cancelled.
    package var cancelled = 0
    /// The number of effects that may send several actions, sent some, and have no recorded end.
    package var silent = 0
    /// The number of effects with no record except that they were returned.
    package var open = 0
    /// The steps from the one that returned an effect to the last that reports it, summed over all
    /// effects except open ones.
    package var steps = 0
    /// The same duration in microseconds.
    package var microseconds: Int64 = 0
    /// The longest duration of one effect.
    package var longestMicroseconds: Int64 = 0
  }

  /// A period without reductions.
  package struct Gap: Sendable, Hashable {
    /// The step before the gap, or 0 for the beginning.
    package let after: Int
    /// The length of the gap.
    package let microseconds: Int64
  }

  /// The number of reductions.
  package private(set) var steps = 0
  /// The time from the beginning to the last step.
  package private(set) var microseconds: Int64 = 0
  /// The size of all lines, in bytes.
  package private(set) var bytes = 0
  /// The number of lines, including lines of unknown kinds.
  package private(set) var lines = 0
  /// The size of the step lines, in bytes.
  package private(set) var stepBytes = 0
  /// The number of values that reductions drew.
  package private(set) var draws = 0
  /// The number of issue lines.
  package private(set) var issues = 0
  /// The number of mark lines.
  package private(set) var marks = 0
  /// The number of snapshot lines.
  package private(set) var snapshots = 0
  /// The number of steps with a digest.
  package private(set) var digests = 0
  /// The number of steps by action name. Keeps at most 1 000 names and counts the rest under
  /// `others`.
  package private(set) var actions: [String: Int] = [:]
  /// The number of steps by sender.
  package private(set) var origins: [LogTimeline.Source: Int] = [:]
  /// The effects by name, with the same limit.
  package private(set) var effects: [String: Effects] = [:]
  /// The longest gaps, longest first.
  package private(set) var gaps: [Gap] = []
  /// The warnings of the reader.
  package private(set) var warnings: [LogWarning] = []

  /// The average size of a step line in bytes, or 0 without steps.
  package var bytesPerStep: Double { steps == 0 ? 0 : Double(stepBytes) / Double(steps) }

  /// The number of the last step.
  private var last = 0

  private static let names = 1000
  private static let rest = "others"

  /// Reads all files of a recording. Memory does not grow with it.
  ///
  /// - Parameters:
  ///   - longest: The number of longest gaps to keep.
  ///   - nameDepth: The depth of action names; see `ActionName`.
  package init(
    _ rotatedLog: RotatedLog, gaps longest: Int = 5, nameDepth: Int = 2
  ) throws(LogReadError) {
    let reader = try RotatedLogReader(rotatedLog)
    var spans = EffectSpans()
    last = rotatedLog.firstStep
    while let entry = try reader.next() {
      let length = reader.file.position.offset - entry.inFile.offset
      switch entry.line {
      case .step(let step):
        stepBytes += length
        count(step, longest, nameDepth)
        for span in spans.take(step, after: rotatedLog.segments[entry.segment].stepsBefore) {
          count(span)
        }
      case .issue: issues += 1
      case .mark: marks += 1
      case .snapshot: snapshots += 1
      case .header, .end, .unknown: break
      }
    }
    for span in spans.finish(at: last, microseconds, isWhole: true) { count(span) }
    (bytes, lines) = (reader.bytes, reader.lines)
    warnings = reader.warnings
  }

  private mutating func count(_ step: LogStep, _ longest: Int, _ nameDepth: Int) {
    let pause = step.t - microseconds
    if longest > 0, gaps.count < longest || pause > gaps[gaps.count - 1].microseconds {
      let position = gaps.firstIndex { $0.microseconds < pause } ?? gaps.count
      gaps.insert(Gap(after: last, microseconds: pause), at: position)
      if gaps.count > longest { gaps.removeLast() }
    }
    steps += 1
    last = step.n
    microseconds = step.t
    draws += step.draws.count
    if step.digest != nil { digests += 1 }
    let name = ActionName.of(step.action, depth: nameDepth)
    actions[Self.bounded(name, actions), default: 0] += 1
    origins[LogTimeline.Source(step.origin), default: 0] += 1
  }

  private mutating func count(_ span: EffectSpan) {
    let name = Self.bounded(span.effect.name, effects)
    var sum = effects[name] ?? Effects()
    sum.count += 1
    sum.actions += span.actions
    switch span.end {
    case .finished: sum.finished += 1
    case .cancelled: sum.cancelled += 1
    case .silent: sum.silent += 1
    case .open: sum.open += 1
    }
    if span.end != .open {
      sum.steps += span.steps
      sum.microseconds += span.time
      sum.longestMicroseconds = max(sum.longestMicroseconds, span.time)
    }
    effects[name] = sum
  }

  private static func bounded<Value>(_ name: String, _ known: [String: Value]) -> String {
    known[name] != nil || known.count < names ? name : rest
  }
}
