import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

enum KeychainOutcomes {
  /// - Parameter isTerminal: Whether standard output is a terminal, or `nil` in earlier recordings.
  static func outcome(of action: KeychainAction, isTerminal: Bool? = nil) -> Outcome? {
    switch action {
    case .run, .opened, .named, .refused, .locked, .unanswered, .stored, .bootstrap, .bootstrapped,
      .autoLocked:
      nil
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
        notes: status.warnings.map { Outcome.Note($0) }
      ).withMarks
    case .checked(let status): checked(status, job).withMarks
    case .accepted(let acceptance):
      Outcome(
        job: job, value: json(acceptance), presentation: table(acceptance),
        notes: [Outcome.Note(note(acceptance))])
    case .warned(let warning, let result): warned(warning, result, job, isTerminal)
    case .names(let names):
      Outcome(
        job: job, value: .array(names.map(JSON.string)),
        presentation: .table(
          columns: [Column("name", isIdentifier: true)], rows: names.map { [$0] }))
    case .saved(let name, let isShort, let replaced):
      Outcome(
        job: job, value: ["saved": .string(name)],
        notes: [
          Outcome.Note(
            (replaced == true ? "replaced the value of '\(name)'" : "saved") + advice(on: name))
        ] + (isShort == true ? [.warning(Redactor.noteOnShortValue)] : []))
    case .revealed(let name, let isExact):
      revealed(name, job, endsLine: isExact != true || isTerminal != false)
    case .removed(let name):
      Outcome(
        job: job, value: ["removed": .string(name)], notes: ["removed \(name)"])
    case .renamed(let from, let to):
      Outcome(
        job: job,
        value: ["from": .string(from), "to": .string(to)],
        notes: ["renamed \(from) to \(to)"])
    case .slots, .slotAdded, .slotRemoved, .rekeyed, .passphraseChanged, .exported, .imported,
      .autoLock, .checkedFile:
      slotOutcome(of: result, job)
    }
  }

  /// Returns how a line refers to a secret. A control character would be shown escaped, which is
  /// another name.
  private static func advice(on name: String) -> String {
    guard let reference = SecretReference.text(for: name), escapeControls(name) == name else {
      return ""
    }
    return "; use it as \(reference)"
  }

  private static func checked(_ status: KeychainStatus, _ job: Int) -> Outcome {
    Outcome(
      job: job, value: json(status), presentation: .fields(record(status)),
      notes: status.warnings.map { Outcome.Note($0) } + [
        status.unlocked
          ? "the file is whole"
          : "the file is whole, but unverified: without its secret a forged change cannot be told"
      ])
  }

  private static func warned(
    _ warning: String, _ result: KeychainResult, _ job: Int, _ isTerminal: Bool?
  ) -> Outcome {
    var outcome = outcome(of: result, job, isTerminal)
    outcome.notes.insert(.warning(warning), at: 0)
    return outcome
  }

  private static func revealed(_ name: String, _ job: Int, endsLine: Bool) -> Outcome {
    let mark = RedactionMark.named(name)
    var outcome = Outcome(
      job: job, value: .string(mark),
      presentation: endsLine ? .text(mark + "\n") : .bytes(Array(mark.utf8)))
    outcome.isWrittenAlready = true
    return outcome.withMarks
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
      return [
        "generation": JSON(version.generation),
        "written": version.written.map { .string(Timestamp.format($0)) } ?? .null,
      ]
    }
    return [
      "reason": .string(acceptance.reason.rawValue), "remembered": version(acceptance.remembered),
      "found": version(acceptance.found), "generation": JSON(acceptance.generation),
    ]
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
      let cost =
        slot.ops > 0
        ? " (\(Counted.text(slot.ops, "pass", plural: "passes")) over \(slot.memory >> 20) MiB)"
        : ""
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
          columns: [
            Column("slot", isIdentifier: true), Column("kind"), Column("passes"), Column("MiB"),
          ],
          rows: slots.enumerated().map { index, slot in
            let derives = slot.ops > 0
            return [
              String(index + 1), slot.kind, derives ? String(slot.ops) : "",
              derives ? String(slot.memory >> 20) : "",
            ]
          }))
    case .slotAdded(let kind):
      Outcome(
        job: job, value: ["added": .string(kind)],
        notes: ["\(kind == "keyFile" ? "the key file" : "the passphrase") opens the keychain too"])
    case .slotRemoved(let number):
      Outcome(
        job: job, value: ["removed": JSON(number)],
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
        value: ["path": .string(path), "count": JSON(count)],
        notes: ["\(Counted.text(count, "secret")) written to \(path)"])
    case .imported(let report):
      Outcome(
        job: job,
        value: [
          "added": JSON(report.added), "replaced": JSON(report.replaced), "kept": JSON(report.kept),
        ],
        notes: ["\(report.added) added, \(report.replaced) replaced, \(report.kept) kept"])
    case .autoLock(let milliseconds):
      Outcome(
        job: job, value: milliseconds.map { JSON($0) } ?? .null,
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
        ["kind": .string($0.kind), "ops": JSON($0.ops), "memory": JSON($0.memory)]
      })
  }

  private static func json(_ status: KeychainStatus) -> JSON {
    [
      "path": .string(status.path), "exists": .bool(status.exists),
      "unlocked": .bool(status.unlocked), "count": status.count.map { JSON($0) } ?? .null,
      "generation": status.generation.map { JSON($0) } ?? .null,
      "bytes": status.bytes.map { JSON($0) } ?? .null, "slots": json(status.slots),
      "warnings": .array(status.warnings.map(JSON.string)),
    ]
  }
}
