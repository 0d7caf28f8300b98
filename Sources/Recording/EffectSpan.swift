import SwiftBoardStore

/// The life of an effect, as far as a log shows it: from the step that returned it to the last step that tells of it.
public struct EffectSpan: Sendable, Hashable, CustomStringConvertible {
  /// What ended it.
  public enum End: Sendable, Hashable {
    /// Its one action was reduced.
    case finished
    /// A later step cancelled it.
    case cancelled
    /// The log ends, or says nothing more of it: it may have ended in silence, been cancelled by a successor of the same id, or still
    /// run. `last` is then the step of its last action, or the one that returned it.
    case open
  }

  /// Its descriptor.
  public let effect: LogEffect
  /// The step that returned it, and its time in microseconds.
  public let first: Int
  /// The time of the step that returned it, in microseconds.
  public let began: Int64
  /// The last step that tells of it, and its time.
  public internal(set) var last: Int
  /// The time of the last step that tells of it, in microseconds.
  public internal(set) var ended: Int64
  /// How it ended.
  public internal(set) var end: End
  /// How many of its actions were reduced.
  public internal(set) var actions: Int

  /// Steps from the first to the last.
  public var steps: Int { last - first }
  /// Microseconds from the first to the last.
  public var time: Int64 { ended - began }

  public var description: String {
    let what =
      switch end {
      case .finished: "finished"
      case .cancelled: "cancelled"
      case .open: "open"
      }
    return "\(effect): steps \(first) to \(last), \(what), \(actions) actions"
  }
}

/// Follows the effects of a log, step by step.
///
/// Cost of a step: one look-up for its origin and one for each effect it returned; a cancellation looks at all that are open. At
/// most `capacity` effects are followed at once; beyond that the oldest is given out as open.
struct EffectSpans {
  private struct Key: Hashable {
    let name: String
    let id: String?
    let step: Int
  }

  private struct Slot {
    /// Ascending.
    let place: Int
    /// Nil once ended.
    var span: EffectSpan?
  }

  private let capacity: Int
  /// In the order in which they began. Ended ones are thrown out when they are half of it.
  private var slots: [Slot] = []
  /// What is before it has ended.
  private var head = 0
  private var alive = 0
  private var nextPlace = 0
  private var places: [Key: [Int]] = [:]

  init(capacity: Int = 10_000) {
    self.capacity = max(1, capacity)
  }

  /// Takes the next step and returns the effects that ended with it.
  mutating func take(_ step: LogStep) -> [EffectSpan] {
    var ended: [EffectSpan] = []
    if case .effect(let name, let id, let first) = step.origin {
      act(Key(name: name, id: id, step: first), step, &ended)
    }
    for effect in step.effects { begin(effect, step, &ended) }
    return ended
  }

  /// What never ended, oldest first.
  mutating func finish() -> [EffectSpan] {
    defer { self = EffectSpans(capacity: capacity) }
    return slots.compactMap(\.span)
  }

  private mutating func act(_ key: Key, _ step: LogStep, _ ended: inout [EffectSpan]) {
    guard let place = places[key]?.first, let index = index(of: place),
      var span = slots[index].span
    else { return }
    span.last = step.n
    span.ended = step.t
    span.actions += 1
    slots[index].span = span
    // A stream may send more.
    guard span.effect.kind == "task" || span.effect.kind == "send" else { return }
    ended.append(end(place, .finished, step))
  }

  private mutating func begin(
    _ effect: LogEffect, _ step: LogStep, _ ended: inout [EffectSpan]
  ) {
    switch effect.kind {
    case "merge", "concatenate":
      for part in effect.parts { begin(part, step, &ended) }
    case "cancel":
      let reached = slots.filter { slot in
        slot.span.map { EffectSpans.cancel(effect.id, reaches: $0.effect.id) } ?? false
      }
      .map(\.place)
      for place in reached { ended.append(end(place, .cancelled, step)) }
    case "issue": break
    default:
      if alive == capacity {
        while head < slots.count, slots[head].span == nil { head += 1 }
        ended.append(end(slots[head].place, .open, nil))
      }
      let key = Key(name: effect.name, id: effect.id, step: step.n)
      places[key, default: []].append(nextPlace)
      slots.append(
        Slot(
          place: nextPlace,
          span: EffectSpan(
            effect: effect, first: step.n, began: step.t, last: step.n, ended: step.t, end: .open,
            actions: 0)))
      nextPlace += 1
      alive += 1
    }
  }

  private mutating func end(
    _ place: Int, _ end: EffectSpan.End, _ step: LogStep?
  ) -> EffectSpan {
    guard let index = index(of: place), var span = slots[index].span else {
      // Only places of open spans are handed in.
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
    places[key]?.removeAll { $0 == place }
    if places[key]?.isEmpty == true { places[key] = nil }
    if slots.count > 64, alive * 2 < slots.count {
      slots.removeAll { $0.span == nil }
      head = 0
    }
    return span
  }

  /// O(log n).
  private func index(of place: Int) -> Int? {
    var (low, high) = (0, slots.count)
    while low < high {
      let middle = (low + high) / 2
      if slots[middle].place < place { low = middle + 1 } else { high = middle }
    }
    return low < slots.count && slots[low].place == place ? low : nil
  }

  /// How many slots there are, ended ones included. For tests.
  var slotCount: Int { slots.count }

  /// An id is the place in the composition and the id given there: a cancellation reaches its own place and those below. One
  /// without an id given is that of a whole place.
  static func cancel(_ cancelled: String?, reaches id: String?) -> Bool {
    guard let cancelled else { return true }
    guard let id else { return false }
    if id == cancelled || id.hasPrefix(cancelled + "/") { return true }
    let parts = cancelled.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last else { return false }
    let place = parts.dropLast().joined(separator: "/")
    return id.hasSuffix("/" + name) && (place.isEmpty || id.hasPrefix(place + "/"))
  }
}
