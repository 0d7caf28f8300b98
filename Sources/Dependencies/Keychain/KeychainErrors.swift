import SwiftBoardSystem

extension KeychainError {
  /// Returns the error of a failed system call: `what` failed, with the error number and its text.
  static func io(_ code: Int32, _ what: String, advice: String = "") -> KeychainError {
    let end = advice.isEmpty ? "" : " \(advice)"
    return KeychainError(
      .io, message: "\(what): \(SystemError.text(of: code)) (errno \(code)).\(end)")
  }

  /// Returns the error for a file that no writer of this format can have written.
  static func malformed(_ part: Part, _ why: String) -> KeychainError {
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
  static func tampered(_ part: Part) -> KeychainError {
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

  /// Returns the error for a missing secret of a remaining slot.
  static func slotSecretNeeded(_ number: Int, _ kind: String) -> KeychainError {
    let what =
      switch kind {
      case "passphrase": "its passphrase is needed"
      case "keyFile": "its key file is needed"
      default: "this version does not know its kind, so that it can only be removed"
      }
    var error = KeychainError(
      .slotSecretNeeded, category: "slotSecretNeeded(\(number), \(kind))",
      message:
        "slot \(number) stays, so \(what): the data key is drawn anew and each slot gets a new copy. "
        + "Nothing was changed.")
    error.slot = Slot(number: number, kind: kind)
    return error
  }

  /// Returns the error for one slot too many.
  static func noFreeSlot(_ count: Int) -> KeychainError {
    KeychainError(
      .limitExceeded,
      message: "the keychain has \(count) slots already, which is the most. Remove one first.")
  }

  /// The error for removing all slots.
  static var lastSlot: KeychainError {
    KeychainError(
      .limitExceeded,
      message: "a keychain's last slot cannot be removed: nothing would open it. "
        + "Add another one first.")
  }

  /// The error for a libsodium call that cannot fail with checked arguments.
  static var encryptionRefused: KeychainError {
    KeychainError(
      .io, message: "libsodium refused to encrypt. Nothing was written; report this as a defect.")
  }

  enum Part: String {
    case header, slot, payload
  }

  /// Returns the error with the path in front, unless it already has one.
  func located(at path: String) -> KeychainError {
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
