import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardStore

/// Decides how the commands of `keychain` come to an open keychain, and what follows.
///
/// ```text
/// run ─► keychain.list ─► succeeded                                    open, or an unlock source
/// run ─► keychain.list ─► refused ─► keychain.list.ask ─► succeeded    locked: at the terminal
///                                                     └─► unanswered ─► failed
/// run ─► keychain.list ─► refused ─► failed                            another error
/// run ─► keychain.set ─► opened ─► keychain.set.act ─► stored ─► keychain.set.forget ─► succeeded
/// run ─► keychain.check ─► refused ─► keychain.check.ask ─► unanswered ─► keychain.check.act
/// run ─► keychain.unlock ─► opened ─► keychain.names ─► named ─► keychain.unlock.act ─► succeeded
/// run ─► keychain.remove ─► keychain.remove.end ─► succeeded           what may change a file
/// run ─► succeeded                                                     autolock
/// bootstrap ─► keychain.bootstrap ─► bootstrapped ─► keychain.names ─► named          it is open
/// ```
/// `set`, `slot add`, `export`, `import` and `check` open the keychain first, so that what cannot
/// be stored is neither asked for nor read. Only `set` and `import` have `stored`.
struct KeychainReducer: Reducer {
  func reduce(
    _ state: inout KeychainState, _ action: KeychainAction, _ dependencies: Dependencies
  ) -> [Effect<KeychainAction>] {
    switch action {
    case .run(let context, .autoLock(let asked)):
      let milliseconds = asked == nil ? state.autoLock : asked == 0 ? nil : asked
      return .send(.succeeded(job: context.job, result: .autoLock(milliseconds: milliseconds)))
    case .run(let context, let command):
      let line = command.readsInput == nil ? nil : context.text
      let request = KeychainRequest(job: context.job, command: command, line: line)
      return command.opensFirst
        ? open(request, dependencies) : act(request, "", &state, dependencies)
    case .opened(let request):
      state.noteOpen()
      if request.command == .unlock, state.lacksNames { return names(for: request, dependencies) }
      return act(request, ".act", &state, dependencies)
    case .named(let request, let names):
      state.note(names)
      return request.map { act($0, ".act", &state, dependencies) } ?? []
    case .refused(let request, let failure):
      let failure = failure.blaming(request.command.readsInput, in: request.line)
      // A request that was refused before has asked already.
      guard failure.error == "locked", request.failure == nil else {
        return .send(.failed(job: request.job, failure: failure))
      }
      return askIfLocked(request.refused(by: failure), &state, dependencies)
    case .locked(let request): return askIfLocked(request, &state, dependencies)
    case .unanswered(let request):
      // A locked file is checked as far as that is possible.
      if case .check = request.command { return act(request, ".act", &state, dependencies) }
      return request.failed
    case .stored(let request, let result):
      let work = forget(request, result, dependencies)
      // The change is made, so its command does not end as cancelled.
      return state.changes.contains(request.job) ? work : work.cancellable(id: request.job)
    case .succeeded(let job, let result):
      state.changes?.end(job)
      state.note(result)
      return []
    case .failed(let job, let failure):
      state.changes?.end(job)
      if failure.error == "locked" { state.noteLock() }
      return []
    case .bootstrap:
      return .task(name: "keychain.bootstrap") {
        .bootstrapped(status: try await dependencies.keychainService.status())
      }
      .catchFailure(dependencies) { .bootstrapped(status: nil, failure: $0) }
    case .bootstrapped(let status, _):
      if let status { state.note(.status(status: status)) }
      return status != nil && state.lacksNames ? names(for: nil, dependencies) : []
    case .autoLocked:
      state.noteLock()
      return []
    }
  }
}

// MARK: Effects

extension KeychainReducer {
  /// Unlocks the keychain with the secret of its unlock source.
  private func open(
    _ request: KeychainRequest, _ dependencies: Dependencies
  ) -> [Effect<KeychainAction>] {
    let access = KeychainAccess(dependencies)
    return .task(name: "keychain.\(request.command.verb)") { [target = request.command.target] in
      try await access.open(toWrite: target)
      return .opened(request: request)
    }
    .catchFailure(dependencies) { request.refusal($0, dependencies) }
    .cancellable(id: request.job)
  }

  /// Does what the command says.
  private func act(
    _ request: KeychainRequest, _ suffix: String, _ state: inout KeychainState,
    _ dependencies: Dependencies
  ) -> [Effect<KeychainAction>] {
    let call = request.command.call
    return perform(request, suffix, &state, dependencies) { try await call($0) }
  }

  /// Reads the names of the open keychain, without those that are values as well.
  ///
  /// - Parameter request: The request that goes on with them, or `nil` for a line about the state.
  private func names(
    for request: KeychainRequest?, _ dependencies: Dependencies
  ) -> [Effect<KeychainAction>] {
    let names = [Effect<KeychainAction>].task(name: "keychain.names") {
      let names = try await dependencies.keychainService.keys().prefix(KeychainState.known)
      return .named(request: request, names: try await masking(Array(names), dependencies).value)
    }
    guard let request else {
      return names.catchFailure(dependencies) { .bootstrapped(status: nil, failure: $0) }
    }
    return names.catchFailure(dependencies) { request.refusal($0, dependencies) }
      .cancellable(id: request.job)
  }

  /// Asks for the passphrase of a keychain that is locked, if the command has it asked for.
  private func askIfLocked(
    _ request: KeychainRequest, _ state: inout KeychainState, _ dependencies: Dependencies
  ) -> [Effect<KeychainAction>] {
    state.noteLock()
    return request.command.asksWhenLocked ? ask(request, &state, dependencies) : request.failed
  }

  /// Asks for the passphrase, then does what the command says, without showing input in between.
  private func ask(
    _ request: KeychainRequest, _ state: inout KeychainState, _ dependencies: Dependencies
  ) -> [Effect<KeychainAction>] {
    let call = request.command.call
    return request.command == .unlock
      ? askToUnlock(request, dependencies)
      : perform(request, ".ask", &state, dependencies) { try await $0.asking(call) }
  }

  /// Asks for the passphrase and unlocks the keychain, whose names are read next.
  private func askToUnlock(
    _ request: KeychainRequest, _ dependencies: Dependencies
  ) -> [Effect<KeychainAction>] {
    let access = KeychainAccess(dependencies)
    return .task(name: "keychain.unlock.ask") {
      let isOpen = try await access.hidingInput { try await $0.asking { _ in true } }
      return isOpen == nil ? .unanswered(request: request) : .opened(request: request)
    }
    .catchFailure(dependencies) { request.refusal($0, dependencies) }
    .cancellable(id: request.job)
  }

  /// Calls what a command calls. A cancelled effect sends nothing, so another one ends a command
  /// that may have changed a file before it was cancelled.
  ///
  /// - Parameter call: Returns `nil` if there is no terminal.
  private func perform(
    _ request: KeychainRequest, _ suffix: String, _ state: inout KeychainState,
    _ dependencies: Dependencies,
    _ call: @escaping @Sendable (KeychainAccess) async throws -> KeychainResult?
  ) -> [Effect<KeychainAction>] {
    let access = KeychainAccess(dependencies)
    let makeAction = Self.resultAction(of: request)
    let name = "keychain.\(request.command.verb)\(suffix)"
    let refused: @Sendable (Failure) -> KeychainAction = {
      request.refusal($0.advising(on: request.command.readsInput), dependencies)
    }
    let work: @Sendable () async throws -> KeychainAction = {
      guard let result = try await access.hidingInput(call) else {
        return .unanswered(request: request)
      }
      return makeAction(result, await access.takeWarning())
    }
    guard request.command.changesFile else {
      return .task(name: name) { try await work() }
        .catchFailure(dependencies, refused)
        .cancellable(id: request.job)
    }
    return .change(name: name, job: request.job, in: &state.changes, dependencies) {
      try await work()
    } report: {
      $0
    } failure: {
      refused($0)
    }
  }

  /// Removes answers with the new values from the cache. A cache that fails keeps no value from
  /// being stored.
  private func forget(
    _ request: KeychainRequest, _ result: KeychainResult, _ dependencies: Dependencies
  ) -> [Effect<KeychainAction>] {
    let job = request.job
    return .task(name: "keychain.\(request.command.verb).forget") {
      try await dependencies.persistence.removeResponses(
        withSecretsOf: dependencies.logger.redactor)
      let warning = await KeychainAccess(dependencies).takeWarning()
      return .succeeded(
        job: job, result: warning.map { .warned(warning: $0, result: result) } ?? result)
    }
    .catch { error in
      dependencies.logger.log(
        "kept answers were not searched for secrets: \(error)", level: .warning, category: "api")
      return .succeeded(job: job, result: result)
    }
  }

  /// Locks the keychain after a time without use, if the state says so, even if a request that
  /// needed a secret unlocked it: a look once in that time, which waits for the rest of it if the
  /// keychain is in use. Only a look that locks is a step.
  @Sendable
  static func subscriptions(
    _ state: KeychainState, _ dependencies: Dependencies
  ) -> [Effect<KeychainAction>] {
    guard let milliseconds = state.autoLock else { return [] }
    let (keychain, time) = (dependencies.keychainService, Duration.milliseconds(milliseconds))
    let clock = dependencies.clock.standard
    return [
      .poll(every: max(time, .seconds(1)), clock: clock, name: "keychain.idle") {
        var idleness = await keychain.lock(unusedFor: time)
        while case .inUse(let left) = idleness {
          try await clock.wait(for: left)
          idleness = await keychain.lock(unusedFor: time)
        }
        return idleness == .locked ? .autoLocked(milliseconds: milliseconds) : nil
      }
      .cancellable(id: "idle \(milliseconds)")
    ]
  }
}

// MARK: Actions

extension KeychainReducer {
  /// Returns the action of a request's result, which the request alone decides.
  private static func resultAction(
    of request: KeychainRequest
  ) -> @Sendable (KeychainResult, _ warning: String?) -> KeychainAction {
    let job = request.job
    guard !request.command.storesValues else {
      return { .stored(request: request, result: $0.warned(by: $1)) }
    }
    // A status has the warning about the opened file.
    guard !request.command.hasStatus else {
      return { result, _ in .succeeded(job: job, result: result) }
    }
    return { .succeeded(job: job, result: $0.warned(by: $1)) }
  }
}

extension KeychainRequest {
  /// The end of a request that was refused.
  fileprivate var failed: [Effect<KeychainAction>] {
    failure.map { .send(.failed(job: job, failure: $0)) } ?? []
  }

  /// Returns the action of a failure, without values that the opened keychain has made known: a
  /// word of the line may be one.
  fileprivate func refusal(_ failure: Failure, _ dependencies: Dependencies) -> KeychainAction {
    // A locked one goes on at the terminal, with its own names.
    let masked = failure.error == "locked" ? nil : try? dependencies.logger.redactor.masking(self)
    return .refused(request: masked?.value ?? self, failure: failure)
  }

  fileprivate func refused(by failure: Failure) -> KeychainRequest {
    var request = self
    request.failure = failure
    return request
  }
}

extension KeychainResult {
  /// Adds the warning about the opened file, if any.
  fileprivate func warned(by warning: String?) -> KeychainResult {
    warning.map { .warned(warning: $0, result: self) } ?? self
  }
}
