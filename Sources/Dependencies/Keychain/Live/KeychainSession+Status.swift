import SwiftBoardSystem

/// The status and its warnings.
extension KeychainSession {
  /// Returns the status without a secret. An unlocked session reads the file again, and is locked
  /// if its keys do not open the file.
  func status() throws(KeychainError) -> KeychainStatus {
    guard let info = try file.info() else {
      return KeychainStatus(path: file.path, exists: false, unlocked: false)
    }
    if let unlocked, unlocked.held?.info != info {
      do throws(KeychainError) {
        _ = try refresh(unlocked.keys)
      } catch {
        if error.kind != .locked { throw error }
      }
    }
    let header: KeychainHeader
    if let unlocked {
      header = unlocked.header
    } else {
      header = try KeychainHeader(parsing: file.read().bytes)
    }
    return status(header, info)
  }

  /// Returns the status like `status()`, but always reads the bytes of the file, and decrypts them
  /// if there are keys. An unchanged name, size and time do not guarantee that the disk returns the
  /// same bytes.
  func verify() throws(KeychainError) -> KeychainStatus {
    guard let info = try file.info() else { throw .missing }
    if let unlocked {
      do throws(KeychainError) {
        return status(try refresh(unlocked.keys).header, info)
      } catch {
        if error.kind != .locked { throw error }
      }
    }
    return status(try KeychainHeader(parsing: file.read().bytes), info)
  }

  private func status(_ header: KeychainHeader, _ info: FileInfo) -> KeychainStatus {
    var warnings: [String] = []
    if unlocked == nil {
      warnings.append(
        "The keychain is locked: generation, slots and size are what the file says, unverified.")
    }
    // A locked keychain has not been compared with the record.
    if unlocked == nil { _ = rollback.stored(at: markedPath, onlyLooks: true) }
    switch rollback.problem {
    case .unreadable:
      warnings.append(
        "Rollback across processes was not checked: the record of the last save cannot be read.")
    case .busy:
      warnings.append(
        "Rollback across processes was not checked: another process keeps the record of the last "
          + "save locked. Try again.")
    case .unwritable:
      warnings.append(
        "The record of the last save cannot be written: other processes do not notice a rollback to "
          + "a file before this save.")
    case nil:
      if rollback.store == nil {
        warnings.append(
          "Whether this is the newest copy is unknown: nothing on this machine recorded its last save."
        )
      }
    }
    if info.isOpenToOthers {
      warnings.append(
        "Others may read the keychain's file (mode \(String(info.permissions, radix: 8))); the next save makes it 600."
      )
    }
    if folderCannotBeSynced {
      warnings.append(
        "The file system cannot sync folders: after a power loss the last save may be gone.")
    }
    let memoryLocked = unlocked.map {
      $0.keys.region.isMemoryLocked && $0.entries.region.isMemoryLocked
    }
    if memoryLocked == false {
      warnings.append("The system refused to keep secrets out of swap (RLIMIT_MEMLOCK is too low).")
    }
    return KeychainStatus(
      path: file.path, exists: true, unlocked: unlocked != nil, count: unlocked?.entries.count,
      generation: header.generation, bytes: header.fileSize,
      slots: header.slots.map {
        let known = $0.kind == .passphrase
        return KeychainStatus.Slot(
          kind: $0.kind.name, ops: known ? $0.ops : 0, memory: known ? $0.memory : 0)
      },
      memoryLocked: memoryLocked, warnings: warnings)
  }

  /// Returns the warning about the opened file, only once.
  func takeWarning() -> String? {
    guard let mode = openness.take() else { return nil }
    let isClosed = unlocked?.held?.info.isOpenToOthers == false
    return "others \(isClosed ? "could" : "may") read the keychain's file \(file.path) (mode "
      + "\(String(mode, radix: 8))); \(isClosed ? "this save made it 600" : "the next save makes it 600")"
  }
}

/// A warning about a file that others can read, given once.
struct OpennessWarning {
  /// The permissions of such a file that was opened, until the user is warned.
  private var mode: UInt32?
  private var wasTaken = false

  mutating func note(_ info: FileInfo) {
    if info.isOpenToOthers, !wasTaken { mode = info.permissions }
  }

  mutating func take() -> UInt32? {
    guard let mode else { return nil }
    (self.mode, wasTaken) = (nil, true)
    return mode
  }
}
