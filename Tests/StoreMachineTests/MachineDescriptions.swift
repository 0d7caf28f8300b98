@testable import SwiftBoardStore

extension MachineScenario: CustomStringConvertible {
  /// A line for each event, and for each limit that one of them uses.
  var description: String {
    let events = events.map { "  \($0)" }.joined(separator: "\n")
    let limits = limits.limits.enumerated().filter { events.contains("limit \($0.offset)") }
      .map { "  limit \($0.offset): \($0.element)\n" }.joined()
    return (isHeld ? "  the store is held\n" : "") + limits + events
  }
}

extension ScriptedAction: CustomStringConvertible {
  /// As `a7[task 8, send a9]`.
  var description: String {
    let effects = effects.isEmpty ? "" : "\(effects)"
    return "a\(number)\(effects)\(declared.map { " declares \($0)" } ?? "")"
  }
}

extension ScriptedEffect: CustomStringConvertible {
  /// As `run 8 (id 1, limit 2, in c0)`.
  var description: String {
    var traits = ids.map { "id \($0.id)\($0.cancelsInFlight ? " in flight" : "")" }
    if let limit { traits.append("limit \(limit)") }
    if outlives { traits.append("outlives") }
    if let child { traits.append("in c\(child)") }
    let text = traits.isEmpty ? "" : " (\(traits.joined(separator: ", ")))"
    return "\(kind.text) \(number)\(text)"
  }
}

extension ScriptedEffect.Kind {
  fileprivate var text: String {
    switch self {
    case .task: "task"
    case .run: "run"
    case .send(let action): "send <\(action)>"
    case .cancel(let id): "cancel id \(id)"
    case .cancelPlace: "cancel all here"
    case .issue: "issue"
    case .merge(let members): "merge\(members)"
    case .concatenate(let members): "concatenate\(members)"
    case .throttle(let interval, let members, let id):
      "throttle<interval \(interval)>\(members) by \(id)"
    }
  }
}

extension ScriptedLimits.Limit: CustomStringConvertible {
  var description: String {
    "\(count) of a \(isOfPlace ? "place" : "store"), when full \(overflow)"
      + (countsCancelled ? ", counts the cancelled" : "")
  }
}

extension MachineOutcome.SeenStep: CustomStringConvertible {
  var description: String {
    switch origin {
    case .effect(let name, let id, let step):
      "a\(action) of effect \(name)\(id.map { " “\($0)”" } ?? "") of step \(step)"
    default: "a\(action)"
    }
  }
}

extension MachineContents.Received: CustomStringConvertible {
  var description: String { "\(step)\(isOfTurn ? " in the turn" : "")" }
}

extension MachineOutcome.Start: CustomStringConvertible {
  var description: String { "\(effect)\(inheritsTaskLocals ? " inheriting" : "")" }
}

extension MachineOutcome.Issue: CustomStringConvertible {
  var description: String { "at \(line) in step \(step)" }
}
