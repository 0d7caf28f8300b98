/// The changes that the board makes to a feature's state in place of an action.
///
/// A missing state has nothing to change and is not created, except by `atTerminal`.
struct FeatureStateChanges: Sendable {
  let cancelled: @Sendable (inout BoardState, _ job: Int) -> Void
  let endsCancelled: @Sendable (BoardState, _ job: Int) -> Bool
  let forget: @Sendable (inout BoardState) -> Void
  let hide: @Sendable (inout BoardState, _ job: Int) -> Bool
  let reload: @Sendable (inout BoardState) -> Void
  let continued: @Sendable (inout BoardState) -> Void
  let atTerminal: @Sendable (inout BoardState) -> Void

  init<State, Action>(_ feature: Feature<State, Action>, _ key: FeatureKey<State>) {
    let name = feature.name
    cancelled = { [cancelled = feature.cancelled] state, job in
      if state.features.contains(name) { cancelled(&state[key], job) }
    }
    endsCancelled = { [endsCancelled = feature.endsCancelled] state, job in
      state.features.contains(name) && endsCancelled(state[key], job)
    }
    forget = { [forget = feature.forget] state in
      if state.features.contains(name) { forget(&state[key]) }
    }
    hide = { [hide = feature.hide] state, job in
      state.features.contains(name) ? hide(&state[key], job) : true
    }
    reload = { [reload = feature.reload] state in
      if state.features.contains(name) { reload(&state[key]) }
    }
    continued = { [reload = feature.reload, continued = feature.continued] state in
      guard state.features.contains(name) else { return }
      reload(&state[key])
      continued(&state[key], Set(state.shell.running.map(\.job)))
    }
    atTerminal = { [atTerminal = feature.atTerminal] state in atTerminal(&state[key]) }
  }
}
