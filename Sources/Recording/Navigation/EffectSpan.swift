import SwiftBoardStore
import SwiftBoardSystem

/// The lifetime of an effect in a log: from the step that returned it to the last step that reports
/// it.
///
/// A log records the actions that effects sent, not when the effects ended. An effect with one
/// action ends with that action. A member of a sequence has ended at the latest when a later member
/// acts. A cancellation by id is recorded as an effect of the step that
/// requested it. For an effect that may send several actions, such as a stream, no line says which
/// action was the last.
public struct EffectSpan: Sendable, Hashable, CustomStringConvertible {
  /// The end of an effect.
  public enum End: String, Codable, Sendable, Hashable {
    /// Its one action was reduced, or an action of a later member of its sequence.
    case finished
    /// A later step cancelled it by one of its ids, or by a position in the composition that
    /// contains it.
    case cancelled
    /// It may send several actions, and the log has none after `last`. It ended there or later
    /// without an action, was ended with its child or by a successor with the same id, or was
    /// running when the recording ended.
    case silent
    /// It sent nothing and its end is not recorded, or the requested range ends before the log
    /// does. `last` is the last step that was read.
    case open
  }

  /// The descriptor of the effect.
  public let effect: LogEffect
  /// The step that returned it.
  public let first: Int
  /// The time of the step that returned it, in microseconds.
  public let began: Int64
  /// The last step that reports it.
  public internal(set) var last: Int
  /// The time of the last step that reports it, in microseconds.
  public internal(set) var ended: Int64
  /// The end of the effect.
  public internal(set) var end: End
  /// The number of its actions that were reduced.
  public internal(set) var actions: Int

  /// The number of steps from the first to the last.
  public var steps: Int { last - first }
  /// The time from the first to the last step, in microseconds.
  public var time: Int64 { ended - began }

  /// The effect with its first and last step, its end and its number of actions.
  public var description: String {
    let what =
      switch end {
      case .finished: "finished"
      case .cancelled: "cancelled"
      case .silent: "silent since"
      case .open: "open"
      }
    return "\(effect): steps \(first) to \(last), \(what), \(actions) actions"
  }
}

/// Follows the effects of a log, step by step.
///
/// A step costs one look-up for its origin and one for each effect that it returned. A cancellation
/// visits all open effects. At most `capacity` effects are followed at once; beyond that, the
/// oldest one is returned as open. For an effect of an earlier file of a rotated recording, all
/// effects are searched.
struct EffectSpans {
  private struct Key: Hashable {
    let name: String
    let id: String?
    let step: Int
  }

  struct Slot {
    /// Ascending.
    let position: Int
    /// The positions of the members of its sequence that end before it begins.
    var predecessors: Range<Int>
    /// `nil` once ended.
    var span: EffectSpan?
  }

  private let capacity: Int
  /// Slots in the order in which their effects began. Ended ones are removed once they fill half of
  /// the array.
  private(set) var slots: [Slot] = []
  /// The index of the first slot that may be open; all slots before it have ended.
  private var head = 0
  private var alive = 0
  private var nextPosition = 0
  private var entries: [Key: [Int]] = [:]

  init(capacity: Int = 10_000) {
    self.capacity = max(1, capacity)
  }

  /// Takes the next step and returns the effects that ended with it.
  ///
  /// - Parameter before: The last step of the previous file, if the recording has several files.
  mutating func take(_ step: LogStep, after before: Int = 0) -> [EffectSpan] {
    var ended: [EffectSpan] = []
    if case .effect(let name, let id, let first) = step.origin {
      let key = Key(name: name, id: id, step: first)
      if let position = first > 0 ? entries[key]?.first : carried(key, before) {
        act(position, step, &ended)
      }
    }
    for effect in step.effects { begin(effect, after: 0..<0, step, &ended) }
    return ended
  }

  /// Returns the effects that never ended, oldest first.
  ///
  /// - Parameters:
  ///   - step: The last step that was read.
  ///   - time: The time of that step.
  ///   - isWhole: Whether nothing follows that step.
  mutating func finish(at step: Int, _ time: Int64, isWhole: Bool) -> [EffectSpan] {
    defer { self = EffectSpans(capacity: capacity) }
    return slots.compactMap { slot in
      slot.span.map { EffectSpans.left($0, at: step, time, isWhole: isWhole) }
    }
  }

  private static func left(
    _ span: EffectSpan, at step: Int, _ time: Int64, isWhole: Bool
  ) -> EffectSpan {
    var span = span
    span.end = isWhole && span.actions > 0 ? .silent : .open
    if span.end == .open { (span.last, span.ended) = (step, time) }
    return span
  }

  /// Returns the oldest effect of this name and id from an earlier file. A file does not record
  /// which step of an earlier file returned an effect.
  private func carried(_ key: Key, _ before: Int) -> Int? {
    guard before > 0 else { return nil }
    return slots.first { slot in
      slot.span.map {
        $0.first <= before && $0.effect.name == key.name && $0.effect.id == key.id
      } ?? false
    }?.position
  }

  private mutating func act(_ position: Int, _ step: LogStep, _ ended: inout [EffectSpan]) {
    guard let index = index(of: position), var span = slots[index].span else { return }
    span.last = step.n
    span.ended = step.t
    span.actions += 1
    slots[index].span = span
    endPredecessors(of: index, step, &ended)
    // A stream may send more.
    guard span.effect.kind == "task" || span.effect.kind == "send" else { return }
    ended.append(end(position, .finished, step))
  }

  /// Ends the earlier members of the sequences that contain an effect.
  private mutating func endPredecessors(
    of slot: Int, _ step: LogStep, _ ended: inout [EffectSpan]
  ) {
    var ranges = [slots[slot].predecessors]
    // They have all ended when it acts again.
    slots[slot].predecessors = 0..<0
    while let range = ranges.popLast() {
      for position in range {
        guard let index = index(of: position), slots[index].span != nil else { continue }
        ranges.append(slots[index].predecessors)
        ended.append(end(position, .finished, step))
      }
    }
  }

  /// - Parameter predecessors: The positions of the effects that end before this one begins.
  private mutating func begin(
    _ effect: LogEffect, after predecessors: Range<Int>, _ step: LogStep,
    _ ended: inout [EffectSpan]
  ) {
    switch effect.kind {
    case "merge":
      for part in effect.parts { begin(part, after: predecessors, step, &ended) }
    case "concatenate":
      // With those of the sequence around it, if they are next to it: a first member that is
      // cancelled would hide them.
      let isAdjacent = !predecessors.isEmpty && predecessors.upperBound == nextPosition
      let first = isAdjacent ? predecessors.lowerBound : nextPosition
      var before = predecessors
      for part in effect.parts {
        begin(part, after: before, step, &ended)
        if nextPosition > first { before = first..<nextPosition }
      }
    case "cancel":
      let reached = slots.filter { slot in
        slot.span.map { EffectSpans.cancel(effect.id, reachesAnyOf: $0.effect.ids) } ?? false
      }
      .map(\.position)
      for position in reached { ended.append(end(position, .cancelled, step)) }
    case "issue": break
    default:
      if alive == capacity {
        while head < slots.count, slots[head].span == nil { head += 1 }
        let oldest = end(slots[head].position, .open, nil)
        ended.append(EffectSpans.left(oldest, at: step.n, step.t, isWhole: false))
      }
      let key = Key(name: effect.name, id: effect.id, step: step.n)
      entries[key, default: []].append(nextPosition)
      slots.append(
        Slot(
          position: nextPosition, predecessors: predecessors,
          span: EffectSpan(
            effect: effect, first: step.n, began: step.t, last: step.n, ended: step.t, end: .open,
            actions: 0)))
      nextPosition += 1
      alive += 1
    }
  }

  private mutating func end(
    _ position: Int, _ end: EffectSpan.End, _ step: LogStep?
  ) -> EffectSpan {
    guard let index = index(of: position), var span = slots[index].span else {
      // Only positions of open spans are passed.
      return EffectSpan(
        effect: LogEffect(name: "?", kind: "?"), first: 0, began: 0, last: 0, ended: 0, end: .open,
        actions: 0)
    }
    span.end = end
    if let step {
      span.last = step.n
      span.ended = step.t
    }
    slots[index].span = nil
    alive -= 1
    let key = Key(name: span.effect.name, id: span.effect.id, step: span.first)
    entries[key]?.removeAll { $0 == position }
    if entries[key]?.isEmpty == true { entries[key] = nil }
    if slots.count > 64, alive * 2 < slots.count {
      slots.removeAll { $0.span == nil }
      head = 0
    }
    return span
  }

  /// O(log n).
  private func index(of position: Int) -> Int? {
    let index = slots.partitioningIndex { $0.position >= position }
    return index < slots.count && slots[index].position == position ? index : nil
  }

  /// Returns whether a cancellation affects an effect with these ids.
  static func cancel(_ cancelled: String?, reachesAnyOf ids: [String]) -> Bool {
    ids.isEmpty
      ? cancel(cancelled, reaches: nil) : ids.contains { cancel(cancelled, reaches: $0) }
  }

  /// Returns whether a cancellation affects an effect with this id.
  ///
  /// An id consists of a position in the composition and the id given there. A cancellation affects
  /// its own position and the positions below it. Without a given id, it affects the whole
  /// position.
  static func cancel(_ cancelled: String?, reaches id: String?) -> Bool {
    guard let cancelled else { return true }
    guard let id else { return false }
    if id == cancelled || id.hasPrefix(cancelled + "/") { return true }
    let parts = cancelled.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last else { return false }
    let position = parts.dropLast().joined(separator: "/")
    return id.hasSuffix("/" + name) && (position.isEmpty || id.hasPrefix(position + "/"))
  }
}
