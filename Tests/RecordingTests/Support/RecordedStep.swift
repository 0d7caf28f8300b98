import SwiftBoardRecording
import SwiftBoardStore

/// A step of a recording that a test writes without a store.
typealias RecordedStep<Action> = (
  origin: StepOrigin, action: Action, effects: [EffectDescriptor]
)

/// Returns a recording of steps that were reduced in this order and left the state as it was.
func recording<State: Codable & Sendable, Action: Codable & Sendable>(
  of steps: [RecordedStep<Action>], from state: State, _ schema: LogSchema
) throws -> LogFile {
  let sink = MemorySink()
  var info = Session.info
  info.schema = schema
  let recorder = try Recorder<State, Action>(
    sink: sink, info: info, state: state, journal: nil, clock: { 0 })
  for (n, step) in steps.enumerated() {
    recorder.hooks.didReduce?(
      Step(number: n + 1, origin: step.origin, action: step.action, effects: step.effects), state)
  }
  recorder.stop()
  return LogFile(bytes: sink.bytes)
}
