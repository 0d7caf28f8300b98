import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

extension BoardFeatures {
  /// The feature `keychain`: named secrets in an encrypted file.
  public static let keychain = Feature(
    name: "keychain", summary: "secrets in an encrypted file", state: KeychainState(),
    reducer: KeychainReducer().subscribing(KeychainReducer.subscriptions),
    commands: KeychainCommands.table,
    outcome: { action, _, context in
      KeychainOutcomes.outcome(of: action, isTerminal: context.settings.isTerminal)
    },
    link: { link in
      switch link.path.first {
      case nil, "list": ["keychain", "list"]
      case "status": ["keychain", "status"]
      default: nil
      }
    },
    volatile: ["created", "status", "checked", "checkedFile"].map {
      "succeeded.result.\($0).*.path"
    },
    passesWordsOn: true, secretWords: SecretWords(storing: "set", advice: KeychainCommands.advice),
    atTerminal: { $0.autoLock = KeychainState.usualAutoLock },
    candidates: { kind, state, dependencies in
      guard kind == .secret else { return [] }
      if let names = state.names { return names }
      // A locked keychain is left alone: nothing is asked for while a line is typed.
      guard state.isUnlocked == true else { return [] }
      return (try? await dependencies.keychainService.keys()) ?? []
    }, version: nil,
    migrations: KeychainMigrations.all)
}

/// The board's state of the keychain: names and counts, never a value.
public struct KeychainState: Codable, Sendable, Equatable {
  /// Whether it is unlocked, or `nil` before a command has reported it.
  public var isUnlocked: Bool?
  /// The names reported by the last `list`, with later changes.
  public var names: [String]?
  /// The time without use, in milliseconds, after which the keychain locks, or `nil` for never.
  public var autoLock: Int64?

  /// The automatic lock of an interactive session: five minutes.
  public static let usualAutoLock: Int64 = 300_000

  /// Creates a state in which nothing is known.
  public init() {}
}

/// The actions of the feature `keychain`. No action contains a value.
public enum KeychainAction {
  /// Starts a command.
  case run(context: CommandContext, command: KeychainCommand)
  /// The command succeeded.
  case succeeded(job: Int, result: KeychainResult)
  /// The command failed.
  case failed(job: Int, failure: Failure)
  /// The keychain was locked after this time without use.
  case autoLocked(milliseconds: Int64)
}

extension KeychainAction: FeatureAction {
  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _) = self { context } else { nil }
  }

  /// `true` for an automatic lock.
  public var comesByItself: Bool {
    if case .autoLocked = self { true } else { false }
  }
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

/// The source of a value, which is never the line itself.
public enum KeychainInput: Codable, Sendable, Equatable {
  /// Asks without echo at the terminal, or reads standard input to its end.
  case prompt, standardInput
  /// Reads a file when the command runs.
  case file(path: String)
  /// Generates `bytes` random bytes, written in URL-safe base64.
  case generate(bytes: Int)
}

/// The source of a new secret for a keychain, which is never the line itself.
public enum KeychainNewSecret: Codable, Sendable, Equatable {
  /// Asks twice without echo at the terminal, or reads standard input to its end.
  case prompt, standardInput
  /// Reads a passphrase from a file.
  case file(path: String)
  /// Uses a key file, which is created if it does not exist.
  case keyFile(path: String)
}

/// The source of an existing secret: of another keychain file, or of a remaining slot.
public enum KeychainOtherSecret: Codable, Sendable, Equatable {
  /// Asks without echo at the terminal.
  case prompt
  /// Reads a passphrase from a file, or uses a key file.
  case passphraseFile(path: String), keyFile(path: String)
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

enum KeychainOutcomes {
  /// - Parameter isTerminal: Whether standard output is a terminal, or `nil` in earlier recordings.
  static func outcome(of action: KeychainAction, isTerminal: Bool? = nil) -> Outcome? {
    switch action {
    case .run, .autoLocked: nil
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .succeeded(let job, let result): outcome(of: result, job, isTerminal)
    }
  }

  private static func outcome(
    of result: KeychainResult, _ job: Int, _ isTerminal: Bool?
  ) -> Outcome {
    switch result {
    case .created(let status):
      Outcome(
        job: job, value: json(status),
        notes: ["keychain created; store a secret with 'keychain set NAME'"])
    case .unlocked: Outcome(job: job, value: .bool(true), notes: ["keychain unlocked"])
    case .locked: Outcome(job: job, value: .bool(true), notes: ["keychain locked"])
    case .status(let status):
      Outcome(
        job: job, value: json(status), presentation: .fields(record(status)),
        notes: status.warnings)
    case .checked(let status): checked(status, job)
    case .accepted(let acceptance):
      Outcome(
        job: job, value: json(acceptance), presentation: table(acceptance),
        notes: [note(acceptance)])
    case .warned(let warning, let result): warned(warning, result, job, isTerminal)
    case .names(let names):
      Outcome(
        job: job, value: .array(names.map(JSON.string)),
        presentation: .table(columns: [Column("name")], rows: names.map { [$0] }))
    case .saved(let name, let isShort, let replaced):
      Outcome(
        job: job, value: .object([.init("saved", .string(name))]),
        notes: [
          "\(replaced == true ? "replaced the value of '\(name)'" : "saved"); "
            + "use it as {{secret:\(name)}}"
        ]
          + (isShort == true ? ["warning: \(tooShort)"] : []))
    case .revealed(let name, let isExact):
      revealed(name, job, endsLine: isExact != true || isTerminal != false)
    case .removed(let name):
      Outcome(
        job: job, value: .object([.init("removed", .string(name))]), notes: ["removed \(name)"])
    case .renamed(let from, let to):
      Outcome(
        job: job,
        value: .object([.init("from", .string(from)), .init("to", .string(to))]),
        notes: ["renamed \(from) to \(to)"])
    case .slots, .slotAdded, .slotRemoved, .rekeyed, .passphraseChanged, .exported, .imported,
      .autoLock, .checkedFile:
      slotOutcome(of: result, job)
    }
  }

  private static func checked(_ status: KeychainStatus, _ job: Int) -> Outcome {
    Outcome(
      job: job, value: json(status), presentation: .fields(record(status)),
      notes: status.warnings + [
        status.unlocked
          ? "the file is whole"
          : "the file is whole, but unverified: without its secret a forged change cannot be told"
      ])
  }

  /// The note about a value that is too short for redaction.
  static let tooShort =
    "the value is shorter than \(Redactor.shortestValue) bytes: it is not recognised, and not masked, where it is repeated"

  private static func warned(
    _ warning: String, _ result: KeychainResult, _ job: Int, _ isTerminal: Bool?
  ) -> Outcome {
    var outcome = outcome(of: result, job, isTerminal)
    outcome.notes.insert("warning: \(warning)", at: 0)
    return outcome
  }

  private static func revealed(_ name: String, _ job: Int, endsLine: Bool) -> Outcome {
    var outcome = Outcome(
      job: job, value: .string(SecretMark.mark(name)),
      presentation: endsLine
        ? .text(SecretMark.mark(name) + "\n") : .bytes(Array(SecretMark.mark(name).utf8)))
    outcome.isWrittenAlready = true
    return outcome
  }

  // MARK: Accepting

  private static func note(_ acceptance: KeychainAcceptance) -> String {
    switch acceptance.reason {
    case .known: "there was nothing to accept: the file is the one seen before, or a later one"
    case .rolledBack:
      "accepted, and saved as generation \(acceptance.generation): the file seen before is older now"
    case .replaced: "accepted: this is the keychain from now on"
    }
  }

  private static func table(_ acceptance: KeychainAcceptance) -> Presentation {
    func row(_ name: String, _ version: KeychainAcceptance.Version?) -> [String] {
      [
        name, version.map { String($0.generation) } ?? "unknown",
        version?.written.map(Timestamp.format) ?? "unknown",
      ]
    }
    return .table(
      columns: [Column("file"), Column("generation"), Column("written")],
      rows: [row("seen before", acceptance.remembered), row("there now", acceptance.found)])
  }

  private static func json(_ acceptance: KeychainAcceptance) -> JSON {
    func version(_ version: KeychainAcceptance.Version?) -> JSON {
      guard let version else { return .null }
      return .object([
        .init("generation", .number(String(version.generation))),
        .init("written", version.written.map { .string(Timestamp.format($0)) } ?? .null),
      ])
    }
    return .object([
      .init("reason", .string(acceptance.reason.rawValue)),
      .init("remembered", version(acceptance.remembered)),
      .init("found", version(acceptance.found)),
      .init("generation", .number(String(acceptance.generation))),
    ])
  }

  private static func record(_ status: KeychainStatus) -> [(String, String)] {
    var record = [
      ("path", status.path), ("exists", status.exists ? "yes" : "no"),
      ("unlocked", status.unlocked ? "yes" : "no"),
    ]
    if let count = status.count { record.append(("secrets", String(count))) }
    if let generation = status.generation { record.append(("generation", String(generation))) }
    if let bytes = status.bytes { record.append(("bytes", String(bytes))) }
    for (index, slot) in status.slots.enumerated() {
      let cost = slot.ops > 0 ? " (\(slot.ops) passes over \(slot.memory >> 20) MiB)" : ""
      record.append(("slot \(index + 1)", slot.kind + cost))
    }
    if let locked = status.memoryLocked { record.append(("memory locked", locked ? "yes" : "no")) }
    return record
  }

  // MARK: Slots and other files

  private static func slotOutcome(of result: KeychainResult, _ job: Int) -> Outcome {
    switch result {
    case .slots(let slots):
      Outcome(
        job: job, value: json(slots),
        presentation: .table(
          columns: [Column("slot"), Column("kind"), Column("passes"), Column("MiB")],
          rows: slots.enumerated().map { index, slot in
            let derives = slot.ops > 0
            return [
              String(index + 1), slot.kind, derives ? String(slot.ops) : "",
              derives ? String(slot.memory >> 20) : "",
            ]
          }))
    case .slotAdded(let kind):
      Outcome(
        job: job, value: .object([.init("added", .string(kind))]),
        notes: ["\(kind == "keyFile" ? "the key file" : "the passphrase") opens the keychain too"])
    case .slotRemoved(let number):
      Outcome(
        job: job, value: .object([.init("removed", .number(String(number)))]),
        notes: ["slot \(number) removed; old copies of the file still open with its secret"])
    case .rekeyed:
      Outcome(
        job: job, value: .bool(true),
        notes: ["the data key is new; old copies of the file open as before"])
    case .passphraseChanged:
      Outcome(
        job: job, value: .bool(true),
        notes: ["passphrase changed; old copies of the file still open with the old one"])
    case .exported(let path, let count):
      Outcome(
        job: job,
        value: .object([.init("path", .string(path)), .init("count", .number(String(count)))]),
        notes: ["\(count) \(count == 1 ? "secret" : "secrets") written to \(path)"])
    case .imported(let report):
      Outcome(
        job: job,
        value: .object([
          .init("added", .number(String(report.added))),
          .init("replaced", .number(String(report.replaced))),
          .init("kept", .number(String(report.kept))),
        ]),
        notes: ["\(report.added) added, \(report.replaced) replaced, \(report.kept) kept"])
    case .autoLock(let milliseconds):
      Outcome(
        job: job, value: milliseconds.map { .number(String($0)) } ?? .null,
        notes: [
          milliseconds.map { "locked after \(time($0)) without use" } ?? "not locked by itself"
        ])
    case .checkedFile(let status): checked(status, job)
    default: Outcome(job: job, value: .null)
    }
  }

  /// Formats a time in the largest unit that gives an integer.
  static func time(_ milliseconds: Int64) -> String {
    for (unit, size) in [("h", 3_600_000), ("m", 60_000), ("s", 1000)] as [(String, Int64)]
    where milliseconds % size == 0 {
      return "\(milliseconds / size)\(unit)"
    }
    return "\(milliseconds)ms"
  }

  private static func json(_ slots: [KeychainStatus.Slot]) -> JSON {
    .array(
      slots.map {
        .object([
          .init("kind", .string($0.kind)), .init("ops", .number(String($0.ops))),
          .init("memory", .number(String($0.memory))),
        ])
      })
  }

  private static func json(_ status: KeychainStatus) -> JSON {
    .object([
      .init("path", .string(status.path)), .init("exists", .bool(status.exists)),
      .init("unlocked", .bool(status.unlocked)),
      .init("count", status.count.map { .number(String($0)) } ?? .null),
      .init("generation", status.generation.map { .number(String($0)) } ?? .null),
      .init("bytes", status.bytes.map { .number(String($0)) } ?? .null),
      .init("slots", json(status.slots)),
      .init("warnings", .array(status.warnings.map(JSON.string))),
    ])
  }
}

/// The mark that replaces the value of a secret.
enum SecretMark {
  /// Returns `«secret:NAME»`, like the redactor.
  static func mark(_ name: String) -> String { "«secret:\(name)»" }
}
