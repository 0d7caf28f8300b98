import SwiftBoardBoard
import SwiftBoardDependencies

/// The board's state of the keychain: names and numbers, never a value.
public struct KeychainState: Codable, Sendable, Equatable {
  /// The most names that are kept.
  static let known = 1000

  /// Whether it is unlocked, or `nil` before a command has reported it.
  public var isUnlocked: Bool?
  /// The names of the entries of an open keychain, with later changes. At most 1000 are kept.
  public var names: [String]?
  /// Whether `names` were read since the keychain was opened, or `nil` in recordings made before
  /// they were read by themselves.
  public var knowsNames: Bool? = false
  /// What is known of the file. It is `nil` in recordings made before this member existed.
  public var file: KeychainFileState? = KeychainFileState()
  /// The time without use, in milliseconds, after which the keychain locks, or `nil` for never.
  public var autoLock: Int64?
  /// The running commands that may change a file, or `nil` in recordings in which they ended when
  /// they were cancelled.
  public var changes: RunningChanges? = []

  /// The automatic lock of an interactive session: five minutes.
  public static let usualAutoLock: Int64 = 300_000
}

/// What commands have reported of the keychain's file.
public struct KeychainFileState: Codable, Sendable, Equatable {
  /// Whether there is a file, or `nil` if it is not known.
  public var exists: Bool?
  /// The number of saves, or `nil` if it is not known.
  public var generation: Int?
  /// The kinds of the slots in their order, such as `passphrase`, or `nil` if they are not known.
  public var slots: [String]?
}

// MARK: Changes

extension KeychainState {
  /// Removes the names, one of which may equal a value, and what the file says of itself.
  mutating func forget() {
    forgetNames()
    file?.slots = nil
  }

  /// Removes what the keychain says of itself, and its names.
  mutating func forgetStatus() {
    isUnlocked = nil
    forgetNames()
    if file != nil { file = KeychainFileState() }
  }

  /// Whether the keychain is open and its names have not been read since.
  var lacksNames: Bool { isUnlocked == true && knowsNames == false }

  /// Shows the names of an open keychain.
  mutating func note(_ names: [String]) {
    self.names = file == nil ? names : Array(names.prefix(Self.known))
    if knowsNames != nil { knowsNames = true }
  }

  /// Follows an unlock. Earlier recordings followed the commands that unlock alone.
  mutating func noteOpen() {
    if knowsNames != nil { isOpen() }
  }

  /// Follows a lock: what only an open keychain tells is not shown anymore.
  mutating func noteLock() {
    isUnlocked = false
    if knowsNames != nil { forgetNames() }
  }

  private mutating func forgetNames() {
    names = nil
    if knowsNames != nil { knowsNames = false }
  }

  /// Follows a command that succeeded.
  mutating func note(_ result: KeychainResult) {
    switch result {
    case .warned(_, let result): note(result)
    case .created(let status):
      note(status)
      isUnlocked = true
      note([])
    case .status(let status), .checked(let status): note(status)
    case .accepted(let acceptance):
      isOpen()
      forgetNames()
      file?.generation = Int(clamping: acceptance.generation)
    case .unlocked, .exported: isOpen()
    case .locked: noteLock()
    case .names(let names):
      isOpen()
      note(names)
    case .saved, .removed, .renamed, .imported: noteEntries(result)
    case .slots(let slots): file?.slots = slots.map(\.kind)
    case .slotAdded(let kind):
      isOpen()
      saved()
      file?.slots?.append(kind)
    case .slotRemoved(let number):
      isOpen()
      saved()
      removeSlot(number)
    case .rekeyed, .passphraseChanged:
      isOpen()
      saved()
    case .autoLock(let milliseconds): autoLock = milliseconds
    case .revealed: noteOpen()
    case .checkedFile: break
    }
  }

  private mutating func noteEntries(_ result: KeychainResult) {
    noteOpen()
    saved()
    switch result {
    case .saved(let name, _, _): add(name)
    case .removed(let name): names?.removeAll { $0.hasSameBytes(as: name) }
    case .renamed(let from, let to) where file != nil:
      names?.removeAll { $0.hasSameBytes(as: from) }
      add(to)
    default:
      // An import adds names, and saves only if there are some.
      forgetNames()
      file?.generation = nil
    }
  }

  private mutating func note(_ status: KeychainStatus) {
    if status.unlocked { isUnlocked = true } else { noteLock() }
    file?.exists = status.exists
    file?.generation = status.generation.map { Int(clamping: $0) }
    file?.slots = status.slots.map(\.kind)
  }

  /// Follows a command that used the entries.
  private mutating func isOpen() {
    isUnlocked = true
    file?.exists = true
  }

  /// Follows a command that saved the file once.
  private mutating func saved() {
    file?.exists = true
    if let generation = file?.generation { file?.generation = generation &+ 1 }
  }

  /// - Parameter number: The number of the slot, from 1.
  private mutating func removeSlot(_ number: Int) {
    guard var slots = file?.slots, number > 0, number <= slots.count else { return }
    slots.remove(at: number - 1)
    file?.slots = slots
  }

  private mutating func add(_ name: String) {
    guard var names, !names.contains(where: { $0.hasSameBytes(as: name) }),
      file == nil || names.count < Self.known
    else { return }
    names.append(name)
    self.names = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
