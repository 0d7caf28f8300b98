import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

extension BoardFeatures {
  /// Named secrets in an encrypted file.
  public static let keychain = Feature(
    name: "keychain", summary: "secrets in an encrypted file", state: KeychainState(),
    reducer: KeychainReducer(), commands: KeychainCommands.table,
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
    volatile: ["created", "status", "checked"].map { "succeeded.result.\($0).*.path" },
    passesWordsOn: true, secretWords: SecretWords(storing: "set", advice: KeychainCommands.advice))
}

/// The board's state about the keychain: names and counts, never a value.
public struct KeychainState: Codable, Sendable, Equatable {
  /// `nil` before a command has reported it.
  public var isUnlocked: Bool?
  /// The names as the last `list` had them, with what was set and removed since.
  public var names: [String]?

  /// Nothing known yet.
  public init() {}
}

/// The actions of the feature `keychain`; no action holds a value.
public enum KeychainAction {
  /// A line asks for something.
  case run(context: CommandContext, command: KeychainCommand)
  /// The command ended well.
  case succeeded(job: Int, result: KeychainResult)
  /// The command failed.
  case failed(job: Int, failure: Failure)
}

extension KeychainAction: FeatureAction {
  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _) = self { context } else { nil }
  }
}

/// The commands of the feature `keychain`.
public enum KeychainCommand: Codable, Sendable, Equatable {
  /// `init`, `unlock`, `lock`, `status`, `check`, `list` and `accept`; what they need of a secret
  /// comes from the terminal or an unlock source.
  case create, unlock, lock, status, check, list, accept
  /// Stores the value that the input gives.
  case set(name: String, input: KeychainInput)
  /// Shows the value, outside state, log and recording.
  case reveal(name: String)
  /// Removes an entry; one that does not exist is a failure of the command.
  case remove(name: String)
  /// Gives an entry another name; fails where that is taken.
  case rename(from: String, to: String)
}

/// The source of a value; never the line itself.
public enum KeychainInput: Codable, Sendable, Equatable {
  /// Asks without echo at the terminal, or reads standard input to its end.
  case prompt, standardInput
  /// A file that is read when the command runs.
  case file(path: String)
  /// So many random bytes, written in URL-safe base64.
  case generate(bytes: Int)
}

/// How a command of `keychain` ended well.
public indirect enum KeychainResult: Codable, Sendable, Equatable {
  /// There is a new, empty keychain, unlocked.
  case created(status: KeychainStatus)
  /// Whether calls need no secret now.
  case unlocked, locked
  /// What can be said of it.
  case status(status: KeychainStatus)
  /// Its file was read again and is whole, as far as that can be checked without a secret;
  /// unlocked, also with its key.
  case checked(status: KeychainStatus)
  /// The file that is there is remembered, whatever was before.
  case accepted(acceptance: KeychainAcceptance)
  /// All names, in the order of their bytes.
  case names(names: [String])
  /// The value is stored; `isShort` where it is too short to be looked for in what services answer,
  /// `replaced` where the name had a value before.
  case saved(name: String, isShort: Bool? = nil, replaced: Bool? = nil)
  /// The value was written straight to standard output; `isExact` where a line end follows it at a
  /// terminal alone.
  case revealed(name: String, isExact: Bool? = nil)
  /// The entry was removed.
  case removed(name: String)
  /// The entry has another name.
  case renamed(from: String, to: String)
  /// Any of the others, with a warning about the keychain's file.
  case warned(warning: String, result: KeychainResult)
}

enum KeychainOutcomes {
  /// - Parameter isTerminal: Whether standard output is one; `nil` in recordings of before.
  static func outcome(of action: KeychainAction, isTerminal: Bool? = nil) -> Outcome? {
    switch action {
    case .run: nil
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
    case .checked(let status):
      Outcome(
        job: job, value: json(status), presentation: .fields(record(status)),
        notes: status.warnings + [
          status.unlocked
            ? "the file is whole"
            : "the file is whole, but unverified: without its secret a forged change cannot be told"
        ])
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
    }
  }

  /// What is said of a value that is not looked for.
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

  private static func json(_ status: KeychainStatus) -> JSON {
    .object([
      .init("path", .string(status.path)), .init("exists", .bool(status.exists)),
      .init("unlocked", .bool(status.unlocked)),
      .init("count", status.count.map { .number(String($0)) } ?? .null),
      .init("generation", status.generation.map { .number(String($0)) } ?? .null),
      .init("bytes", status.bytes.map { .number(String($0)) } ?? .null),
      .init(
        "slots",
        .array(
          status.slots.map {
            .object([
              .init("kind", .string($0.kind)), .init("ops", .number(String($0.ops))),
              .init("memory", .number(String($0.memory))),
            ])
          })),
      .init("warnings", .array(status.warnings.map(JSON.string))),
    ])
  }
}

/// How a secret is written where its value may not be.
enum SecretMark {
  /// `«secret:NAME»`, as the redactor writes it.
  static func mark(_ name: String) -> String { "«secret:\(name)»" }
}
