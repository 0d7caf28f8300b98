import SwiftBoardSystem

/// The errors that every implementation throws in the same words, and the checks that throw them.
extension KeychainError {
  /// Returns the error of a failed system call: `what` failed, with the error number and its text.
  static func io(_ code: Int32, _ what: String, advice: String = "") -> KeychainError {
    let end = advice.isEmpty ? "" : " \(advice)"
    return KeychainError(
      .io, message: "\(what): \(SystemError.text(of: code)) (errno \(code)).\(end)")
  }

  /// Returns the error of a system call that was to make a new file or its folder. A full or broken
  /// disk is an error of writing.
  static func creation(_ error: SystemError, _ what: String) -> KeychainError {
    var result = io(error.code, what)
    guard !error.isFull, error.code != EIO else { return result }
    (result.kind, result.category) = (.cannotCreate, Kind.cannotCreate.rawValue)
    return result
  }

  /// Returns the error for a file that no writer of this format can have written.
  public static func malformed(_ part: Part, _ why: String) -> KeychainError {
    let kind: Kind =
      switch part {
      case .header: .malformedHeader
      case .slot: .malformedSlot
      case .payload: .malformedPayload
      }
    return KeychainError(
      kind, category: "malformed(\(part.rawValue))",
      message:
        "cannot read the keychain's \(part.rawValue): \(why). Nothing was read from it; restore a backup."
    )
  }

  /// Returns the error for a file that was changed and given a new, valid checksum.
  public static func tampered(_ part: Part) -> KeychainError {
    let kind: Kind =
      switch part {
      case .header: .tamperedHeader
      case .slot: .tamperedSlot
      case .payload: .tamperedPayload
      }
    return KeychainError(
      kind, category: "tampered(\(part.rawValue))",
      message:
        "someone changed the keychain: its \(part.rawValue) does not fit its key although the checksum fits, "
        + "so this is not an accident. Nothing was read from it; restore a backup you trust.")
  }

  /// The error for a keychain that does not exist.
  static var missing: KeychainError {
    KeychainError(.missing, message: "there is no keychain here.", remedy: .create)
  }

  /// The error for a new keychain at the place of another one.
  static var exists: KeychainError {
    KeychainError(
      .exists,
      message:
        "there is already a keychain here; it was not changed. Unlock it, or name another path.")
  }

  /// The error for an export to a file that exists.
  static var fileExists: KeychainError {
    KeychainError(
      .exists,
      message: "the file already exists and was not changed. "
        + "Name a file that is not there.")
  }

  /// The error for a locked keychain without an unlock source.
  static var locked: KeychainError {
    KeychainError(
      .locked,
      message: "the keychain is locked and there is no secret to unlock it with.", remedy: .unlock)
  }

  /// Returns the error for a secret that opens no slot.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of the slots.
  ///   - isForChange: Whether the secret was given for a change, which was not made.
  static func wrongSecret(
    _ secret: KeychainSecret, kinds: [String], isForChange: Bool = false
  ) -> KeychainError {
    guard kinds.contains(secret.kind) else {
      return KeychainError(
        .noMatchingSlot,
        message:
          "no slot of this keychain takes a \(secret.name); it has: \(kinds.joined(separator: ", ")). "
          + (isForChange ? "Nothing was changed." : "Use one of those."))
    }
    return KeychainError(
      .wrongSecret,
      message:
        "wrong \(secret.name), or the file was replaced: no slot for a \(secret.name) answers to it. "
        + (isForChange ? "Nothing was changed" : "The file is not damaged and was not changed")
        + "; try another \(secret.name).")
  }

  /// The error for an older copy of a keychain that was seen before.
  static var rolledBack: KeychainError {
    KeychainError(
      .rolledBack,
      message:
        "this keychain is older than, or another copy of, what was seen here before: someone put an old file "
        + "back, two machines saved one synced file, or a power loss undid a save. Nothing was read from it.",
      remedy: .acceptOlder)
  }

  /// The error for a keychain at the place of one that was seen before.
  static var differentKeychain: KeychainError {
    KeychainError(
      .differentKeychain,
      message:
        "this is another keychain than the one seen here before. Nothing was read from it.",
      remedy: .acceptOther)
  }

  /// Returns the error for an import that would replace entries.
  ///
  /// - Parameter count: The number of names that exist.
  static func namesTaken(_ count: Int) -> KeychainError {
    KeychainError(
      .duplicateKey,
      message:
        "\(count) of the names to import \(count == 1 ? "is" : "are") taken; "
        + "nothing was changed.", remedy: .chooseExisting)
  }

  /// Returns the error for the number of a slot that a keychain with `count` slots does not have.
  static func noSlot(_ number: Int, of count: Int) -> KeychainError {
    KeychainError(
      .limitExceeded,
      message: "there is no slot \(number): the keychain has \(count). Nothing was changed.")
  }

  /// Returns the error for a missing secret of a remaining slot.
  public static func slotSecretNeeded(_ slot: Slot) -> KeychainError {
    let what =
      switch slot.kind {
      case "passphrase": "slot \(slot.number) stays, so its passphrase is needed"
      case "keyFile": "slot \(slot.number) stays, so its key file is needed"
      default: "slot \(slot.number) has a kind that this version does not know: remove it first"
      }
    return KeychainError(
      .slotSecretNeeded, category: "slotSecretNeeded(\(slot.number), \(slot.kind))",
      message:
        "\(what). The data key is drawn anew and each slot gets a new copy. Nothing was changed.",
      slot: slot)
  }

  /// Returns the error for one slot too many.
  public static func noFreeSlot(_ count: Int) -> KeychainError {
    KeychainError(
      .limitExceeded,
      message: "the keychain has \(count) slots already, which is the most. Remove one first.")
  }

  /// The error for removing all slots.
  public static var lastSlot: KeychainError {
    KeychainError(
      .limitExceeded,
      message: "a keychain's last slot cannot be removed: nothing would open it. "
        + "Add another one first.")
  }

  /// The error for a new secret that a slot already has.
  ///
  /// - Parameter number: The number of the slot, from 1.
  static func duplicateSlot(_ number: Int, _ secret: KeychainSecret) -> KeychainError {
    KeychainError(
      .duplicateKey,
      message: "slot \(number) takes this \(secret.name) already; nothing was changed.")
  }

  /// The error for a file that a call names and that does not exist.
  static var missingFile: KeychainError {
    KeychainError(.missing, message: "there is no such file. Name a keychain's file.")
  }

  /// The error for renaming an entry that does not exist.
  public static var missingKey: KeychainError {
    KeychainError(
      .missingKey, message: "there is no entry of this name to rename. List the names first.")
  }

  /// The error for renaming an entry to a name that exists.
  public static var duplicateKey: KeychainError {
    KeychainError(
      .duplicateKey,
      message: "there is an entry of the new name already; nothing was changed. Delete it first.")
  }

  /// Throws `.invalidKey` unless `key` has 1…1024 bytes.
  public static func check(key: String) throws(KeychainError) {
    let count = key.utf8.count
    guard 1...KeychainFormat.maximumKeyLength ~= count else {
      throw KeychainError(
        .invalidKey,
        message:
          "an entry's name has 1 to \(KeychainFormat.maximumKeyLength) bytes, this one \(count).")
    }
  }

  /// Throws `.invalidKey` if no line can refer to a new secret of this name.
  package static func check(newName: String) throws(KeychainError) {
    guard SecretReference.text(for: newName) == nil else { return }
    guard !newName.isEmpty else {
      throw KeychainError(
        .invalidKey,
        message: "the name of the secret is empty. Nothing was changed; give it a name.")
    }
    throw KeychainError(
      .invalidKey,
      message: "no {{secret:NAME}} can have this name: a name has no line break and no '}}', and "
        + "does not end with a blank or '}'. Nothing was changed; take another name.")
  }

  /// Throws `.limitExceeded` if `value` has more than 1 MiB.
  public static func check(value: Data) throws(KeychainError) {
    guard value.count <= KeychainFormat.maximumValueLength else {
      throw KeychainError(
        .limitExceeded,
        message:
          "an entry's value has at most \(KeychainFormat.maximumValueLength) bytes, this one \(value.count)."
      )
    }
  }

  /// Throws `.cancelled` if the task is cancelled. Only called before a change is made.
  static func checkCancellation() throws(KeychainError) {
    guard Task.isCancelled else { return }
    throw KeychainError(.cancelled, message: "cancelled; nothing was changed")
  }

  /// The error for a libsodium call that cannot fail with checked arguments.
  static var encryptionRefused: KeychainError {
    KeychainError(
      .io, message: "libsodium refused to encrypt. Nothing was written; report this as a defect.")
  }

  /// A part of a keychain's file.
  public enum Part: String, Sendable {
    /// The parts in the order of the file.
    case header, slot, payload
  }

  /// Returns the error with the path in front, unless it already has one.
  public func located(at path: String) -> KeychainError {
    guard self.path.isEmpty else { return self }
    var error = self
    error.path = path
    error.message = "\(path): \(message)"
    return error
  }
}

/// Calls `body` and adds the path to its error.
func located<Result>(
  at path: String, _ body: () throws(KeychainError) -> Result
) throws(KeychainError) -> Result {
  do throws(KeychainError) {
    return try body()
  } catch {
    throw error.located(at: path)
  }
}

extension KeychainError: CustomStringConvertible {
  /// The category and the message.
  public var description: String { "\(category): \(message)" }
}
