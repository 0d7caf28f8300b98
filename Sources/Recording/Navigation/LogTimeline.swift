import SwiftBoardJSON
import SwiftBoardStore

/// What happened in a recording, entry by entry, read as it is asked for: memory does not grow with
/// the log.
///
/// Needs no types of the program. Not for several threads at once.
public final class LogTimeline {
  /// The kind of sender of an action.
  public enum Source: String, Sendable, Hashable, CaseIterable {
    /// In the order of `StepOrigin`'s cases: a person's line, an effect, a link, code that embeds
    /// the store.
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

  /// What is wanted; everything unless it says so.
  public struct Filter: Sendable, Hashable {
    /// Steps whose origin is one of these; an effect passes where it is among them.
    public var sources: Set<Source>?
    /// Steps whose action has this name, or begins with it and a dot: `keychain`, `keychain.get`.
    public var action: String?
    /// Steps that contain this text in their origin, action or effects; marks, issues and effects
    /// that have it in their name or message. Capital letters count.
    public var text: String?
    /// Steps, marks and issues of these; effects that lived in one of them.
    public var steps: ClosedRange<Int>?
    /// Microseconds since the beginning, likewise.
    public var time: ClosedRange<Int64>?

    /// A filter; what is nil lets everything pass.
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

    /// Only a feature's steps, in a program whose action has a case for each feature.
    public static func feature(_ name: String) -> Filter { Filter(action: name) }
  }

  /// One entry.
  public enum Entry: Sendable, Hashable {
    /// A step and its action's name.
    case step(LogStep, action: String)
    /// A user's name for the state after a step.
    case mark(LogMark)
    /// An issue, after the step it belongs to.
    case issue(LogIssue)
    /// An effect, after the step with which it ended. Effects that never ended come last, and so do
    /// effects that ended after the filter's range, which is not read. Left out if a filter selects
    /// actions.
    case effect(EffectSpan)
    /// A clean stop.
    case end(LogEnd)
  }

  /// The log's first line.
  public let header: LogHeader
  private let reader: RotatedLogReader
  private let filter: Filter
  private let nameDepth: Int
  private var spans: EffectSpans?
  /// The last step's number and time.
  private var step = 0
  private var time: Int64 = 0
  /// What is due, first one last.
  private var waiting: [Entry] = []
  private var isDone = false

  /// One file, by itself: its steps have the numbers that they have in it.
  public convenience init(
    _ file: LogFile, filter: Filter = Filter(), effects: Bool = true, nameDepth: Int = 2
  ) throws(LogReadError) {
    try self.init(RotatedLog(file), filter: filter, effects: effects, nameDepth: nameDepth)
  }

  /// All files of a recording. Times count from the beginning of the first that is there.
  ///
  /// - Parameters:
  ///   - effects: Whether effects are followed and given.
  ///   - nameDepth: How deep action names go; see `ActionName`.
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

  /// The next entry that passes the filter; nil is the end.
  ///
  /// Cost: reading the lines up to it. Lines after the filter's ranges are not read.
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
    return String(decoding: step.actionBytes, as: UTF8.self).contains(text)
      || LogTimeline.text(step.origin).contains(text)
      || step.effects.contains { $0.description.contains(text) }
  }

  private func matches(_ step: LogStep, _ action: String, _ name: String) -> Bool {
    let depth = action.split(separator: ".").count
    let name = depth > nameDepth ? ActionName.of(step.action, depth: depth) : name
    return name == action || name.hasPrefix(action + ".")
  }

  /// Of a mark, an issue or the end.
  private func passes(_ n: Int, _ words: String) -> Bool {
    guard filter.sources == nil, filter.action == nil, isInRange(n, time) else { return false }
    return filter.text.map { words.contains($0) } ?? true
  }

  private func passes(_ span: EffectSpan) -> Bool {
    guard filter.action == nil, filter.sources?.contains(.effect) ?? true else { return false }
    if let steps = filter.steps, !steps.overlaps(span.first...span.last) { return false }
    if let time = filter.time, !time.overlaps(span.began...span.ended) { return false }
    return filter.text.map { span.effect.description.contains($0) } ?? true
  }

  /// An origin as a person reads it.
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
