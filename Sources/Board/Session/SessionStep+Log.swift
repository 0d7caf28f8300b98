import SwiftBoardCommandLine
import SwiftBoardRecording
import SwiftBoardStore

extension SessionStep.Origin {
  init(_ origin: StepOrigin) {
    self =
      switch origin {
      case .user(let line, let at): .user(line: line, at: at)
      case .effect(let name, let id, let step): .effect(name: name, id: id, step: step)
      case .link(let link): .link(link: link)
      case .program(let name): .program(name: name)
      }
  }

  /// A description on one line.
  var text: String {
    switch self {
    case .user(let line, _): String(line.firstPhysicalLine)
    case .link(let link): link
    case .program(let name): name
    case .effect(let name, _, let step): "\(name) of step \(step)"
    }
  }
}

extension SessionStep {
  init(_ step: LogStep, isWhole: Bool) {
    self.init(
      step: step.n, time: step.t, origin: Origin(step.origin), name: ActionName.of(step.action),
      action: isWhole ? .some(step.action) : .none,
      draws: isWhole ? step.draws.map { "\($0.kind.rawValue) \($0.value)" } : [],
      effects: isWhole ? step.effects.map(\.description) : [],
      digest: isWhole ? step.digest?.description : nil)
  }

  /// The line as typed, or the action and sender of a step without one.
  var title: String {
    switch origin {
    case nil: ""
    case .user, .link: origin?.text ?? ""
    case .effect, .program: "\(name) by \(origin?.text ?? "")"
    }
  }

  /// Returns the state at the beginning of a recording, or of its remaining files.
  static func beginning(_ step: Int) -> SessionStep {
    SessionStep(
      step: step, time: 0, origin: nil, name: "", action: nil, draws: [], effects: [], digest: nil)
  }
}

extension SessionTimeline.Span {
  init(_ span: EffectSpan) {
    self.init(
      name: span.effect.name, id: span.effect.id,
      ids: span.effect.ids.count > 1 ? span.effect.ids : nil, first: span.first, last: span.last,
      end: span.end, actions: span.actions)
  }
}
