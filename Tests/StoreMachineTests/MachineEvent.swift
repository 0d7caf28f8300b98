@testable import SwiftBoardStore

/// What happens to a machine from outside. Effects and tasks are named by numbers; an event is left
/// out where what it names is not there.
enum MachineEvent: Sendable, Equatable {
  case send(ScriptedAction)
  /// A `run` effect sends.
  case effectSends(effect: Int, ScriptedAction, wantsTask: Bool)
  /// A `task` effect returns its action.
  case effectReturns(effect: Int, ScriptedAction)
  case effectEnds(effect: Int)
  case effectFails(effect: Int)
  /// The task that the `send` of the action returned is cancelled.
  case cancelTask(action: Int)
  case cancelAll
  /// A held store reduces the next action that waits.
  case reduceNext
  /// Time passes in a held store, whatever waits.
  case timePasses
  case observe(Bool)
  /// Observers have been told of the step that they are being told of.
  case told
  case startSubscriptions
  /// The end of a task is waited for.
  case waitForTask(action: Int)
  case waitUntilIdle
  case drainQueued
  case drainAll
  case close
}

/// Events with what they rest on: all that a failure needs to come again.
struct MachineScenario: Sendable, Equatable {
  var limits: ScriptedLimits
  /// The store is that of a test: actions of effects wait for `reduceNext`.
  var isHeld = false
  var events: [MachineEvent] = []
}

/// What an event led to, in terms that a machine and a model share: effects and actions by number.
struct MachineOutcome: Equatable {
  struct SeenStep: Equatable {
    let action: Int
    let origin: StepOrigin
  }

  struct Start: Equatable {
    let effect: Int
    let inheritsTaskLocals: Bool
  }

  struct Issue: Equatable {
    /// The effect or the action at fault.
    let line: Int
    let step: Int
  }

  /// Actions reduced, in order.
  var steps: [SeenStep] = []
  /// Effects whose work began, in order.
  var started: [Start] = []
  /// Effects whose task was told to stop.
  var cancelled: [Int] = []
  /// Effects that never start, since their limit is reached.
  var droppedEffects: [Int] = []
  var droppedActions: [Int] = []
  var issues: [Issue] = []
  /// Waits that are over.
  var resumed: [Int] = []
  /// How often observers were told that the store has ended.
  var ends = 0

  mutating func sortWhatHasNoOrder() {
    cancelled.sort()
    resumed.sort()
    droppedActions.sort()
    droppedEffects.sort()
  }
}

/// What there is after an event.
struct MachineContents: Equatable {
  struct Received: Equatable {
    let step: MachineOutcome.SeenStep
    let isOfTurn: Bool
  }

  var pending: [Int] = []
  var waiting: [Int] = []
  var running: [Int] = []
  var cancelled: [Int] = []
  /// Actions that wait to be reduced, in order.
  var queue: [Int] = []
  /// Of a held store: those of them that will be, as a test sees them.
  var received: [Received] = []
  /// Tasks of `send` that have not ended, by action.
  var tasks: [Int] = []
  var isIdle = true

  mutating func sortWhatHasNoOrder() {
    pending.sort()
    waiting.sort()
    running.sort()
    cancelled.sort()
    tasks.sort()
  }
}
