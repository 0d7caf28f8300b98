import SwiftBoardJSON
import SwiftBoardStore

/// The entries of a recording, read on demand. Memory does not grow with the log.
///
/// A timeline needs no types of the program. It must not be used by several threads at once.
public final class LogTimeline {
  /// The kind of sender of an action.
  public enum Source: String, Sendable, Hashable, CaseIterable {
    /// The sources in the order of `StepOrigin`'s cases: a line of the user, an effect, a link, or
    /// code that embeds the store.
    case user, effect, link, program

    init(_ origin: StepOrigin) {
      switch origin {
      case .user: self = .user
      case .effect: self = .effect
      case .link: self = .link
      case .program: self = .program
      }
    }
  }

  /// A filter of entries. By default, every entry passes.
  public struct Filter: Sendable, Hashable {
    /// The sources of the steps that pass. Effects pass if the sources include `effect`.
    public var sources: Set<Source>?
    /// The action name of the steps that pass, or its beginning before a dot: `keychain` matches
    /// `keychain.get`.
    public var action: String?
    /// A text, case-sensitive. Steps pass if their origin, action or effects contain it. Marks,
    /// issues and effects pass if their name or message contains it.
    public var text: String?
    /// The range of the steps, marks and issues that pass. Effects pass if they existed in the
    /// range.
    public var steps: ClosedRange<Int>?
    /// The same range as time in microseconds since the beginning.
    public var time: ClosedRange<Int64>?

    /// Creates a filter. A `nil` criterion lets every entry pass.
    public init(
      sources: Set<Source>? = nil, action: String? = nil, text: String? = nil,
      steps: ClosedRange<Int>? = nil, time: ClosedRange<Int64>? = nil
    ) {
      self.sources = sources
      self.action = action
      self.text = text
      self.steps = steps
      self.time = time
    }
  }

  /// An entry of the timeline.
  public enum Entry: Sendable, Hashable {
    /// A step and its action's name.
    case step(LogStep, action: String)
    /// A user's name for the state after a step.
    case mark(LogMark)
    /// An issue, after the step it belongs to.
    case issue(LogIssue)
    /// An effect, after the step with which it ended. Effects that never ended, or ended after the
    /// range of the filter, come last. There are none if the filter selects actions.
    case effect(EffectSpan)
    /// A clean stop.
    case end(LogEnd)
  }

  /// The first line of the log.
  public let header: LogHeader
  private let reader: RotatedLogReader
  private let filter: Filter
  private let nameDepth: Int
  private var spans: EffectSpans?
  /// The number and time of the last step.
  private var step = 0
  private var time: Int64 = 0
  /// The entries to return next, in reverse order.
  private var waiting: [Entry] = []
  private var isDone = false

  /// Creates a timeline of a single file, with its own step numbers.
  public convenience init(
    _ file: LogFile, filter: Filter = Filter(), effects: Bool = true, nameDepth: Int = 2
  ) throws(LogReadError) {
    try self.init(RotatedLog(file), filter: filter, effects: effects, nameDepth: nameDepth)
  }

  /// Creates a timeline of all files of a recording. Times count from the beginning of the oldest
  /// remaining file.
  ///
  /// - Parameters:
  ///   - effects: Whether the timeline has effects.
  ///   - nameDepth: The depth of action names; see `ActionName`.
  public init(
    _ rotatedLog: RotatedLog, filter: Filter = Filter(), effects: Bool = true, nameDepth: Int = 2
  ) throws(LogReadError) {
    self.filter = filter
    self.nameDepth = nameDepth
    reader = try RotatedLogReader(rotatedLog)
    header = try reader.header()
    step = rotatedLog.firstStep
    spans = effects ? EffectSpans() : nil
  }

  /// The warnings; complete once `next` has returned nil.
  public var warnings: [LogWarning] { reader.warnings }

  /// Returns the next entry that passes the filter, or `nil` at the end.
  ///
  /// Reads the lines up to that entry. Does not read lines after the ranges of the filter.
  public func next() throws(LogReadError) -> Entry? {
    while true {
      if let entry = waiting.popLast() { return entry }
      if isDone { return nil }
      let line = isBehindRange ? nil : try reader.next()?.line
      guard let line else {
        let left = spans?.finish(at: step, time, isWhole: !isBehindRange) ?? []
        isDone = true
        waiting = left.filter(passes).map(Entry.effect).reversed()
        continue
      }
      take(line)
    }
  }

  private var isBehindRange: Bool {
    if let steps = filter.steps, step > steps.upperBound { return true }
    if let range = filter.time, time > range.upperBound { return true }
    return false
  }

  private func take(_ line: LogLine) {
    switch line {
    case .header, .snapshot, .unknown: break
    case .step(let logged):
      (step, time) = (logged.n, logged.t)
      let ended =
        spans?.take(logged, after: reader.rotatedLog.segments[reader.segment].stepsBefore) ?? []
      waiting = ended.filter(passes).map(Entry.effect).reversed()
      let name = ActionName.of(logged.action, depth: nameDepth)
      if passes(logged, name) { waiting.append(.step(logged, action: name)) }
    case .mark(let mark): if passes(mark.n, mark.name) { waiting.append(.mark(mark)) }
    case .issue(let issue): if passes(issue.n, issue.message) { waiting.append(.issue(issue)) }
    case .end(let end): if passes(end.n, "") { waiting.append(.end(end)) }
    }
  }

  private func isInRange(_ step: Int, _ time: Int64) -> Bool {
    filter.steps?.contains(step) ?? true && filter.time?.contains(time) ?? true
  }

  private func passes(_ step: LogStep, _ name: String) -> Bool {
    guard isInRange(step.n, step.t), filter.sources?.contains(Source(step.origin)) ?? true else {
      return false
    }
    if let action = filter.action {
      guard matches(step, action, name) else { return false }
    }
    guard let text = filter.text else { return true }
    return String(decoding: step.actionBytes, as: UTF8.self).end(ofFirst: text) != nil
      || LogTimeline.text(step.origin).end(ofFirst: text) != nil
      || step.effects.contains { $0.description.end(ofFirst: text) != nil }
  }

  private func matches(_ step: LogStep, _ action: String, _ name: String) -> Bool {
    let depth = action.split(separator: ".").count
    let name = depth > nameDepth ? ActionName.of(step.action, depth: depth) : name
    return name == action || name.hasPrefix(action + ".")
  }

  /// Returns whether a mark, an issue or the end passes the filter.
  private func passes(_ n: Int, _ words: String) -> Bool {
    guard filter.sources == nil, filter.action == nil, isInRange(n, time) else { return false }
    return filter.text.map { words.end(ofFirst: $0) != nil } ?? true
  }

  private func passes(_ span: EffectSpan) -> Bool {
    guard filter.action == nil, filter.sources?.contains(.effect) ?? true else { return false }
    if let steps = filter.steps, !steps.overlaps(span.first...span.last) { return false }
    if let time = filter.time, !time.overlaps(span.began...span.ended) { return false }
    return filter.text.map { span.effect.description.end(ofFirst: $0) != nil } ?? true
  }

  /// Returns an origin as readable text.
  static func text(_ origin: StepOrigin) -> String {
    switch origin {
    case .user(let line, let at): "\(line) (\(at))"
    case .link(let link): link
    case .program(let name): name
    case .effect(let name, let id, let step):
      "\(name)\(id.map { " id \($0)" } ?? "") of step \(step)"
    }
  }
}
