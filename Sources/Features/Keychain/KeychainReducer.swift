import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardStore
import SwiftBoardSystem

struct KeychainReducer: Reducer {
  func reduce(
    _ state: inout KeychainState, _ action: KeychainAction, _ dependencies: Dependencies
  ) -> [Effect<KeychainAction>] {
    switch action {
    case .run(let context, .autoLock(let asked)):
      let milliseconds = asked == nil ? state.autoLock : asked == 0 ? nil : asked
      return [
        .task(name: "keychain.autolock") {
          .succeeded(job: context.job, result: .autoLock(milliseconds: milliseconds))
        }.cancellable(id: context.job)
      ]
    case .run(let context, let command):
      let job = context.job
      return [
        .task(name: "keychain.\(command.verb)") {
          // Input stays hidden from the first prompt on, also while a key is derived.
          dependencies.terminal.hideInput()
          defer { dependencies.terminal.showInput() }
          do {
            let result = try await perform(command, dependencies)
            return .succeeded(
              job: job, result: await result.withWarning(of: dependencies.keychainService))
          } catch let error where !(error is CancellationError) {
            return .failed(
              job: job,
              failure: Failure(error, dependencies)
                .blaming("--from-stdin", in: context.text)
                .blaming("--new-from-stdin", in: context.text))
          }
        }.cancellable(id: job)
      ]
    case .succeeded(_, let result):
      note(result, &state)
      return []
    case .failed(_, let failure):
      if failure.error == "locked" { state.isUnlocked = false }
      return []
    case .autoLocked:
      state.isUnlocked = false
      return []
    }
  }

  private func note(_ result: KeychainResult, _ state: inout KeychainState) {
    switch result {
    case .created:
      state.isUnlocked = true
      state.names = []
    case .unlocked: state.isUnlocked = true
    case .accepted:
      state.isUnlocked = true
      state.names = nil
    case .warned(_, let result): note(result, &state)
    case .locked: state.isUnlocked = false
    case .status(let status), .checked(let status): state.isUnlocked = status.unlocked
    case .names(let names):
      state.isUnlocked = true
      state.names = names
    case .saved(let name, _, _):
      if var names = state.names, !names.contains(name) {
        names.append(name)
        state.names = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      }
    case .removed(let name): state.names?.removeAll { $0 == name }
    case .renamed: state.names = nil
    case .imported: state.names = nil
    case .passphraseChanged, .rekeyed, .slotAdded, .slotRemoved, .exported:
      state.isUnlocked = true
    case .autoLock(let milliseconds): state.autoLock = milliseconds
    case .revealed, .slots, .checkedFile: break
    }
  }
}

extension KeychainReducer {
  /// Locks the keychain after a time without use, if the state says so, even if a request that
  /// needed a secret unlocked it.
  @Sendable
  static func subscriptions(
    _ state: KeychainState, _ dependencies: Dependencies
  ) -> [Effect<KeychainAction>] {
    guard let milliseconds = state.autoLock else { return [] }
    return [
      .run(name: "keychain.idle") { send in
        let limit = Duration.milliseconds(milliseconds)
        let keychain = dependencies.keychainService
        while true {
          switch await keychain.lock(unusedFor: limit) {
          case .wasLocked: try await dependencies.clock.sleep(for: limit)
          case .inUse(let left): try await dependencies.clock.sleep(for: left)
          case .locked: send(.autoLocked(milliseconds: milliseconds))
          }
        }
      }.cancellable(id: "idle \(milliseconds)")
    ]
  }
}

extension KeychainCommand {
  var verb: String {
    switch self {
    case .create: "init"
    case .unlock: "unlock"
    case .lock: "lock"
    case .status: "status"
    case .check: "check"
    case .accept: "accept"
    case .list: "list"
    case .set: "set"
    case .reveal: "get"
    case .remove: "remove"
    case .rename: "rename"
    case .slots, .addSlot, .removeSlot: "slot"
    case .rekey: "rekey"
    case .changePassphrase: "passphrase"
    case .export: "export"
    case .importEntries: "import"
    case .autoLock: "autolock"
    }
  }
}

extension KeychainResult {
  /// Adds the warning about the opened file, if any. A status already contains it.
  fileprivate func withWarning(of keychain: any KeychainService) async -> KeychainResult {
    guard let warning = await keychain.takeWarning() else { return self }
    switch self {
    case .created, .status, .checked: return self
    default: return .warned(warning: warning, result: self)
    }
  }
}

private func perform(_ command: KeychainCommand, _ dependencies: Dependencies) async throws
  -> KeychainResult
{
  let keychain = dependencies.keychainService
  let work = KeychainSlotWork(dependencies: dependencies)
  switch command {
  case .slots:
    let status = try await keychain.status()
    guard status.exists else {
      try await keychain.unlock(with: nil)
      return .slots(slots: [])
    }
    return .slots(slots: status.slots)
  case .addSlot(let secret): return .slotAdded(kind: try await work.addSlot(secret))
  case .removeSlot(let number, let secrets):
    try await work.rekey(KeychainRekey(removing: [number]), secrets: secrets)
    return .slotRemoved(number: number)
  case .rekey(let secrets):
    try await work.rekey(KeychainRekey(), secrets: secrets)
    return .rekeyed
  case .changePassphrase(let secret, let secrets):
    try await work.changePassphrase(secret, secrets: secrets)
    return .passphraseChanged
  case .export(let path, let secret):
    return .exported(path: path, count: try await work.export(to: path, secret))
  case .importEntries(let path, let secret, let existing):
    return .imported(
      report: try await work.importEntries(
        from: path, secret, existing.flatMap(ImportDuplicates.init(rawValue:)) ?? .refuse))
  case .autoLock(let milliseconds):
    return .autoLock(milliseconds: milliseconds)
  case .create(let secret):
    try await work.create(secret ?? .prompt)
    return .created(status: try await keychain.status())
  case .unlock:
    try await withSecret(dependencies) { secret throws(KeychainError) in
      try await keychain.unlock(with: secret)
    }
    return .unlocked
  case .lock:
    await keychain.lock()
    return .locked
  case .status: return .status(status: try await keychain.status())
  case .check(let path?): return .checkedFile(status: try await keychain.verify(fileAt: path))
  case .check(nil):
    try await unlockIfPossible(dependencies)
    return .checked(status: try await keychain.verify())
  case .accept:
    return .accepted(
      acceptance: try await withSecret(dependencies) { secret throws(KeychainError) in
        try await keychain.accept(with: secret)
      })
  case .list:
    return .names(
      names: try await unlocking(dependencies) { () throws(KeychainError) in
        try await keychain.keys()
      })
  case .set(let name, let input):
    // The keychain is opened first, so that a value that cannot be stored is neither asked for nor
    // read.
    try await unlocking(dependencies) { () throws(KeychainError) in
      try await keychain.unlock(with: nil)
    }
    let value = try await read(input, name, dependencies)
    try MarkedText.refuse(value, in: "the value")
    let isReplaced = try await unlocking(dependencies) { () throws(KeychainError) in
      let isThere = try await keychain.keys().contains(name)
      try await keychain.save(value, forKey: name)
      return isThere
    }
    await forgetKnownSecrets(dependencies)
    return .saved(
      name: name, isShort: value.count < Redactor.shortestValue ? true : nil,
      replaced: isReplaced ? true : nil)
  case .reveal(let name):
    let value = try await secret(name, dependencies)
    await dependencies.terminal.reveal(value)
    return .revealed(name: name, isExact: true)
  case .remove(let name):
    guard
      try await unlocking(
        dependencies, { () throws(KeychainError) in try await keychain.load(forKey: name) }) != nil
    else {
      throw missing(name)
    }
    try await keychain.delete(forKey: name)
    return .removed(name: name)
  case .rename(let from, let to):
    try await unlocking(dependencies) { () throws(KeychainError) in
      try await keychain.rename(from, to: to)
    }
    return .renamed(from: from, to: to)
  }
}

/// Returns a secret's value. Unlocks the keychain if needed.
func secret(_ name: String, _ dependencies: Dependencies) async throws -> Data {
  let keychain = dependencies.keychainService
  guard
    let value = try await unlocking(
      dependencies, { () throws(KeychainError) in try await keychain.load(forKey: name) })
  else { throw missing(name) }
  return value
}

private func missing(_ name: String) -> KeychainError {
  KeychainError(.missingKey, message: "the keychain has no secret named '\(name)'")
}

/// Performs the work. If the keychain is locked and the terminal can ask for a passphrase, asks
/// once and retries.
func unlocking<Result>(
  _ dependencies: Dependencies, _ work: () async throws(KeychainError) -> Result
) async throws -> Result {
  do throws(KeychainError) {
    return try await work()
  } catch {
    dependencies.terminal.hideInput()
    defer { dependencies.terminal.showInput() }
    guard error.kind == .locked,
      let passphrase = try await dependencies.terminal.askPassphrase(
        prompt: "passphrase of the keychain: ", isNew: false)
    else { throw error }
    try await dependencies.keychainService.unlock(with: .passphrase(passphrase))
    return try await work()
  }
}

/// Unlocks the keychain with the unlock source's secret or a passphrase from the terminal. Without
/// either, it stays locked.
private func unlockIfPossible(_ dependencies: Dependencies) async throws {
  let keychain = dependencies.keychainService
  do {
    try await unlocking(dependencies) { () throws(KeychainError) in
      try await keychain.unlock(with: nil)
    }
  } catch let error as KeychainError where error.kind == .locked {}
}

/// Calls `work` with the unlock source's secret, or with a passphrase from the terminal if there is
/// no source.
func withSecret<Result>(
  _ dependencies: Dependencies, isNew: Bool = false,
  _ work: (KeychainSecret?) async throws(KeychainError) -> Result
) async throws -> Result {
  do throws(KeychainError) {
    return try await work(nil)
  } catch {
    guard error.kind == .locked,
      let passphrase = try await dependencies.terminal.askPassphrase(
        prompt: isNew ? "new passphrase: " : "passphrase of the keychain: ", isNew: isNew)
    else { throw error }
    return try await work(.passphrase(passphrase))
  }
}

extension Failure {
  /// Returns the failure with the position of the option whose input was unavailable, if the line
  /// contains the option exactly once.
  fileprivate func blaming(_ option: String, in line: String) -> Failure {
    let places = line.ranges(of: option)
    guard error == TerminalError.Kind.unavailable.rawValue, let place = places.first,
      places.count == 1
    else { return self }
    let before = line[..<place.lowerBound].split(
      separator: "\n", omittingEmptySubsequences: false)
    var failure = self
    failure.column = (before.last?.count ?? 0) + 1
    failure.length = option.count
    failure.lineOffset = before.count > 1 ? before.count - 1 : nil
    return failure
  }
}

private func read(_ input: KeychainInput, _ name: String, _ dependencies: Dependencies)
  async throws -> Data
{
  let limit = 1 << 20
  switch input {
  case .file(let path): return try await dependencies.files.read(path, limit: limit)
  case .standardInput: return try await dependencies.terminal.readInput(limit: limit)
  case .generate(let count):
    var bytes: [UInt8] = []
    for _ in 0..<count { bytes.append(UInt8.random(in: .min ... .max)) }
    let text = Data(bytes).base64EncodedString()
    return Data(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : String($0) }.joined().utf8)
  case .prompt:
    guard
      let value = try await dependencies.terminal.askPassphrase(
        prompt: "value of \(name): ", isNew: true)
    else {
      throw Failure(
        code: ExitCode.usage, error: "noInput",
        message: "there is no terminal to ask for the value",
        help: "use --from-file FILE, --from-stdin or --generate N")
    }
    return try value.withBytes { Data($0) }
  }
}
