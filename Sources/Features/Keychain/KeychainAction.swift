import SwiftBoardBoard
import SwiftBoardDependencies

/// The actions of the feature `keychain`. No action contains a value.
public enum KeychainAction {
  /// Starts a command.
  case run(context: CommandContext, command: KeychainCommand)
  /// The keychain is unlocked, so the command can take its value or secret.
  case opened(request: KeychainRequest)
  /// The keychain refused the request, for example because it is locked and has no unlock source.
  case refused(request: KeychainRequest, failure: Failure)
  /// In recordings made before `refused`: the keychain is locked and has no unlock source.
  case locked(request: KeychainRequest)
  /// There is no terminal to ask for the passphrase.
  case unanswered(request: KeychainRequest)
  /// The keychain has new values. Kept answers may contain them.
  case stored(request: KeychainRequest, result: KeychainResult)
  /// The command succeeded.
  case succeeded(job: Int, result: KeychainResult)
  /// The command failed.
  case failed(job: Int, failure: Failure)
  /// Asks for the status, so that the state has it.
  case bootstrap
  /// The status, or `nil` if the keychain cannot be read.
  case bootstrapped(status: KeychainStatus?, failure: Failure? = nil)
  /// The names of the open keychain. A command goes on with its request.
  case named(request: KeychainRequest?, names: [String])
  /// The keychain was locked after this time without use.
  case autoLocked(milliseconds: Int64)
}

extension KeychainAction: FeatureAction {
  /// The end of reading the status or the names.
  public var loading: LoadingEnd? {
    switch self {
    case .bootstrapped(_, let failure): LoadingEnd(failure)
    case .named: .loaded
    default: nil
    }
  }

  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _) = self { context } else { nil }
  }

  /// The job of the command that the action belongs to, if any.
  public var owningJob: Int? {
    switch self {
    case .run(let context, _): context.job
    case .opened(let request), .refused(let request, _), .locked(let request),
      .unanswered(let request), .stored(let request, _):
      request.job
    case .named(let request, _): request?.job
    case .succeeded(let job, _), .failed(let job, _): job
    case .bootstrap, .bootstrapped, .autoLocked: nil
    }
  }

  /// `true` for an automatic lock, and for the names that a line about the state has loaded: there
  /// are none in another home, whose keychain may be locked.
  public var isTimeDriven: Bool {
    switch self {
    case .autoLocked, .named(request: nil, _): true
    default: false
    }
  }
}

/// A command, as its steps pass it on.
public struct KeychainRequest: Codable, Sendable, Equatable {
  /// The job of the command, which is the cancel ID of its effects.
  public var job: Int
  /// The command.
  public var command: KeychainCommand
  /// The line of a command that reads standard input, for the position of a failure.
  public var line: String?
  /// The failure of a command that was locked, in case there is no terminal.
  public var failure: Failure?
}

/// The commands of the feature `keychain`.
public enum KeychainCommand: Codable, Sendable, Equatable {
  /// `init`. Without a secret, it uses the unlock source or asks for one.
  case create(secret: KeychainNewSecret? = nil)
  /// `unlock`, `lock`, `status`, `list` and `accept`. A secret that they need comes from the
  /// terminal or an unlock source.
  case unlock, lock, status, list, accept
  /// Verifies the keychain's file, or another file without its secret.
  case check(path: String? = nil)
  /// Lists the slots.
  case slots
  /// Adds a slot with another secret.
  case addSlot(secret: KeychainNewSecret)
  /// Removes a slot by its number, from 1, and generates a new data key. The secrets are those of
  /// remaining slots. Missing passphrases are asked for.
  case removeSlot(number: Int, secrets: [KeychainOtherSecret])
  /// Generates a new data key.
  case rekey(secrets: [KeychainOtherSecret])
  /// Replaces a passphrase and generates a new data key.
  case changePassphrase(secret: KeychainNewSecret, secrets: [KeychainOtherSecret])
  /// Writes all entries into a new keychain file.
  case export(path: String, secret: KeychainNewSecret)
  /// Imports the entries of another keychain file. `existing` is a value of `ImportDuplicates`, or
  /// `nil` for `refuse`.
  case importEntries(path: String, secret: KeychainOtherSecret, existing: String?)
  /// Sets the time after which the keychain locks, or 0 for never. `nil` only prints it.
  case autoLock(milliseconds: Int64? = nil)
  /// Stores a value from the input.
  case set(name: String, input: KeychainInput)
  /// Prints the value, which does not enter the state, the log or the recording.
  case reveal(name: String)
  /// Removes an entry. Fails if it does not exist.
  case remove(name: String)
  /// Renames an entry. Fails if the new name exists.
  case rename(from: String, to: String)
}

/// The result of a `keychain` command that succeeded.
public indirect enum KeychainResult: Codable, Sendable, Equatable {
  /// A new, empty keychain was created and is unlocked.
  case created(status: KeychainStatus)
  /// Whether the keychain is now unlocked.
  case unlocked, locked
  /// The status of the keychain.
  case status(status: KeychainStatus)
  /// The keychain's file was read again and is intact, as far as can be checked without a secret.
  /// If it is unlocked, it was also checked with its key.
  case checked(status: KeychainStatus)
  /// The current file was accepted, whatever file was known before.
  case accepted(acceptance: KeychainAcceptance)
  /// All names, in byte order.
  case names(names: [String])
  /// The value is stored. `isShort` is set if it is too short for redaction, `replaced` if the name
  /// had a value before.
  case saved(name: String, isShort: Bool? = nil, replaced: Bool? = nil)
  /// The value was written directly to standard output. `isExact` is set if a newline follows it
  /// only at a terminal.
  case revealed(name: String, isExact: Bool? = nil)
  /// The entry was removed.
  case removed(name: String)
  /// The entry was renamed.
  case renamed(from: String, to: String)
  /// The slots, in order.
  case slots(slots: [KeychainStatus.Slot])
  /// A slot was added. `kind` says whether it is a passphrase or a key file.
  case slotAdded(kind: String)
  /// The slot was removed, and the data key is new.
  case slotRemoved(number: Int)
  /// The data key is new. For `passphraseChanged`, a passphrase is new as well.
  case rekeyed, passphraseChanged
  /// `count` entries were exported to a new file.
  case exported(path: String, count: Int)
  /// Entries of another file were imported.
  case imported(report: KeychainImport)
  /// The time after which the keychain locks, or `nil` for never.
  case autoLock(milliseconds: Int64?)
  /// Another file is intact, as far as can be checked without a secret.
  case checkedFile(status: KeychainStatus)
  /// Any other result, with a warning about the keychain's file.
  case warned(warning: String, result: KeychainResult)
}
