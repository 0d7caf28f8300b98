import SwiftBoardDependencies

extension KeychainCommand {
  /// A call that answers a command.
  typealias Call = @Sendable (KeychainAccess) async throws -> KeychainResult

  /// The call that answers the command.
  var call: Call {
    switch self {
    case .create(let secret):
      { .created(status: try await $0.create(secret ?? .prompt)) }
    case .unlock:
      {
        try await $0.open()
        return .unlocked
      }
    case .lock:
      {
        await $0.keychain.lock()
        return .locked
      }
    case .status: { .status(status: try await $0.keychain.status()) }
    case .list: { .names(names: try await $0.keychain.keys()) }
    case .accept: { .accepted(acceptance: try await $0.accept()) }
    case .check(let path?): { .checkedFile(status: try await $0.keychain.verify(fileAt: path)) }
    case .check(nil): { .checked(status: try await $0.keychain.verify()) }
    case .set(let name, let input): Self.set(name, input)
    case .reveal(let name):
      {
        try await $0.reveal(name)
        return .revealed(name: name, isExact: true)
      }
    case .remove(let name):
      {
        try await $0.remove(name)
        return .removed(name: name)
      }
    case .rename(let from, let to):
      {
        try await $0.rename(from, to: to)
        return .renamed(from: from, to: to)
      }
    case .slots, .addSlot, .removeSlot, .rekey, .changePassphrase: slotCall
    case .export(let path, let secret):
      { .exported(path: path, count: try await $0.export(to: path, secret)) }
    case .importEntries(let path, let secret, let existing):
      { .imported(report: try await $0.importEntries(from: path, secret, .init(existing))) }
    // The reducer answers this one.
    case .autoLock(let milliseconds): { _ in .autoLock(milliseconds: milliseconds) }
    }
  }

  private static func set(_ name: String, _ input: KeychainInput) -> Call {
    {
      let stored = try await $0.store(input, as: name)
      return .saved(
        name: name, isShort: stored.isShort ? true : nil, replaced: stored.isReplaced ? true : nil)
    }
  }

  private var slotCall: Call {
    switch self {
    case .addSlot(let secret): { .slotAdded(kind: try await $0.addSlot(secret)) }
    case .removeSlot(let number, let secrets):
      {
        try await $0.rekey(KeychainRekey(removing: [number]), secrets: secrets)
        return .slotRemoved(number: number)
      }
    case .rekey(let secrets):
      {
        try await $0.rekey(KeychainRekey(), secrets: secrets)
        return .rekeyed
      }
    case .changePassphrase(let secret, let secrets):
      {
        try await $0.changePassphrase(secret, secrets: secrets)
        return .passphraseChanged
      }
    default: { .slots(slots: try await $0.slots()) }
    }
  }
}

extension ImportDuplicates {
  /// The value of a command, which has none for `refuse`.
  fileprivate init(_ name: String?) { self = name.flatMap(Self.init(rawValue:)) ?? .refuse }
}

// MARK: What commands need

extension KeychainCommand {
  /// Whether the command unlocks the keychain before it takes a value or a secret, or `unlock`
  /// before its names are read.
  var opensFirst: Bool {
    switch self {
    case .unlock, .set, .addSlot, .export, .importEntries, .check(nil): true
    default: false
    }
  }

  /// Whether the reducer has the passphrase asked for if the keychain is locked. The calls of other
  /// commands ask by themselves, because they need more than one secret, or need none.
  var asksWhenLocked: Bool {
    switch self {
    case .unlock, .list, .set, .reveal, .remove, .rename, .addSlot, .export, .importEntries,
      .check(nil):
      true
    default: false
    }
  }

  /// The file that the command writes.
  var target: String? { if case .export(let path, _) = self { path } else { nil } }

  /// Whether the command's result is a status, which has the warning about the opened file.
  var hasStatus: Bool {
    switch self {
    case .create, .status, .check(nil): true
    default: false
    }
  }

  /// Whether the command may change the keychain or write another one.
  var changesFile: Bool {
    switch self {
    case .create, .accept, .set, .remove, .rename, .addSlot, .removeSlot, .rekey,
      .changePassphrase, .export, .importEntries:
      true
    default: false
    }
  }

  /// Whether the command stores values that kept answers may contain.
  var storesValues: Bool {
    switch self {
    case .set, .importEntries: true
    default: false
    }
  }
}

extension KeychainCommand {
  /// The name of the command's first effect, after `keychain.`.
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
