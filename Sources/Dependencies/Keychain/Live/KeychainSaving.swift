import SwiftBoardSystem

/// Replaces the file. At every moment, either the complete old file or the complete new file
/// exists.
extension KeychainFile {
  /// The result of a replacement.
  struct Saved {
    /// The new file, or `nil` if it could not be examined. Then the next call reads it again.
    var held: Held?
    /// An error if the new file is in place but may not survive a power failure.
    var uncertain: KeychainError?
    /// Whether the file system cannot sync folders.
    var folderCannotBeSynced = false
  }

  /// Steps 1 to 3: opens the folder, acquires the lock, removes the temporary files of interrupted
  /// saves, runs `body`, and releases the lock. Throws `.cancelled` if the task is cancelled while
  /// it waits for the lock.
  ///
  /// - Parameter creates: Whether `body` makes a new keychain.
  func withLock<Result>(
    creates: Bool = false, _ body: (Folder) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let source = try self.source()
    let descriptor: OpenFile
    do throws(SystemError) {
      descriptor = try system.open(folder: source.folder)
    } catch {
      throw error.code == ENOENT
        ? .missing : .io(error.code, "the keychain's folder cannot be opened")
    }
    let info = try io("the status of the keychain's folder cannot be read") {
      () throws(SystemError) in
      try system.info(descriptor)
    }
    guard info.mode & 0o022 == 0 || info.mode & UInt32(S_ISVTX) != 0 else {
      throw KeychainError(
        .insecurePermissions,
        message:
          "others may write to the folder \(source.folder), so they could replace the keychain while it is saved. "
          + "Nothing was written; run chmod go-w on the folder.")
    }
    let lock = try lock(source, in: descriptor, creates)
    let folder = Folder(descriptor: descriptor, source: source, lock: lock)
    removeLeftovers(in: folder)
    return try body(folder)
  }

  /// Returns the folder without a lock, for a new file. Throws if the folder does not exist.
  func unlockedFolder() throws(KeychainError) -> Folder {
    do throws(SystemError) {
      let folder = try system.resolve(unresolved.folder)
      let source = Place(folder: folder, name: unresolved.name)
      return Folder(descriptor: try system.open(folder: folder), source: source, lock: nil)
    } catch { throw .creation(error, "the folder \(unresolved.folder) cannot be opened") }
  }

  private func lock(
    _ source: Place, in folder: OpenFile, _ creates: Bool
  ) throws(KeychainError) -> OpenFile {
    let name = "\(source.name).lock"
    let clock = ContinuousClock()
    let deadline = clock.now + lockTimeout
    try KeychainError.checkCancellation()
    while true {
      let file: OpenFile
      do throws(SystemError) {
        file = try system.open(
          name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, in: folder, as: .openLock)
      } catch {
        guard error.code != ELOOP, error.code != ENXIO else {
          throw KeychainError(
            .insecurePath, message: "its lock file \(name) is not a regular file. Remove it.")
        }
        let what = "the keychain's lock file cannot be opened, so nothing was written"
        throw creates ? .creation(error, what) : .io(error.code, what)
      }
      let info = try io("the status of the keychain's lock file cannot be read") {
        () throws(SystemError) in
        try system.info(file)
      }
      guard info.isRegular else {
        throw KeychainError(
          .insecurePath, message: "its lock file \(name) is not a regular file. Remove it.")
      }
      var locked = false
      do throws(SystemError) {
        locked = try system.tryLock(file)
      } catch {
        throw .io(
          [ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL].contains(error.code) ? ENOLCK : error.code,
          "the file system gives no lock, so nothing was written",
          advice: "Keep the keychain on a local disk.")
      }
      if locked {
        let named = try io("the status of the keychain's lock file cannot be read") {
          () throws(SystemError) in
          try system.info(of: name, in: folder)
        }
        if let named, named.id == info.id { return file }
      }
      try KeychainError.checkCancellation()
      guard clock.now < deadline else {
        throw KeychainError(
          .lockTimeout,
          message:
            "another process held the keychain's lock for \(lockTimeout), so nothing was written. "
            + "Try again when it has finished.")
      }
      // The interval is random so that two waiting processes do not retry at the same times.
      usleep(UInt32.random(in: 500...4_000))
    }
  }

  /// Removes temporary files of this name. No process uses them while the lock is held. Ignores
  /// files that cannot be removed.
  private func removeLeftovers(in folder: Folder) {
    guard let names = try? system.names(of: folder.descriptor) else { return }
    let prefix = Array(".\(folder.source.name).".utf8)
    let suffix = Array(".tmp".utf8)
    for name in names where name.utf8.count == prefix.count + 16 + suffix.count {
      let bytes = Array(name.utf8)
      let middle = bytes[prefix.count..<(prefix.count + 16)]
      guard bytes.starts(with: prefix), bytes.suffix(suffix.count).elementsEqual(suffix),
        middle.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
      else { continue }
      guard let info = try? system.info(of: name, in: folder.descriptor), info.isRegular,
        info.owner == geteuid()
      else { continue }
      try? system.remove(name, in: folder.descriptor)
    }
  }

  /// Steps 6 to 10. `expected` is the file from which the old content was read, or `nil` for a new
  /// keychain. `verify` receives the bytes that were read back. `commit` runs right before the file
  /// is renamed. If it throws or the task is cancelled before the rename, the old file is unchanged
  /// and no temporary file is left. A later cancellation has no effect.
  func replace(
    with bytes: [UInt8], in folder: Folder, expecting expected: FileInfo?,
    random: KeychainRandom, verify: ([UInt8]) throws(KeychainError) -> Void,
    commit: () throws(KeychainError) -> Void = {}
  ) throws(KeychainError) -> Saved {
    let name = temporaryName(for: folder.source, random: random)
    let written: Held
    let temporary: TemporaryFile
    do throws(SystemError) {
      temporary = try TemporaryFile(name, in: folder.descriptor, system: system)
    } catch {
      let what = "the new keychain cannot be created"
      throw expected == nil ? .creation(error, what) : .io(error.code, what)
    }
    do throws(KeychainError) {
      written = try write(bytes, to: temporary.file, in: folder)
      try verify(bytes)
      try checkUnchanged(expected, in: folder)
      try commit()
      try KeychainError.checkCancellation()
    } catch {
      temporary.discard()
      throw error
    }
    try publish(temporary, in: folder, isNew: expected == nil)

    var saved = Saved()
    // The rename may only have changed the inode's time.
    if let now = try? system.info(written.descriptor), now.size == written.info.size,
      now.modified == written.info.modified
    {
      saved.held = Held(descriptor: written.descriptor, info: now)
    }
    sync(folder.descriptor, into: &saved)
    return saved
  }

  private func temporaryName(for source: Place, random: KeychainRandom) -> String {
    let digits = Array("0123456789abcdef")
    let hex = random.bytes(8).map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
    return ".\(source.name).\(hex).tmp"
  }

  /// Steps 6 and 7 without a key: writes, syncs, reads back, and closes the file.
  private func write(
    _ bytes: [UInt8], to file: OpenFile, in folder: Folder
  ) throws(KeychainError) -> Held {
    let what = "the new keychain cannot be written"
    try io(what) { () throws(SystemError) in
      try system.changeMode(file, to: 0o600)
      try system.write(bytes, to: file)
      try system.sync(file)
    }
    let reread = "the new keychain cannot be read back"
    let (copy, held) = try io(reread) { () throws(SystemError) in
      let again = try open(file.name, in: folder.descriptor)
      let info = try system.info(again)
      guard info.id == (try system.info(file)).id else {
        throw SystemError(code: EIO, call: "read")
      }
      return (try system.read(again, limit: bytes.count + 1), Held(descriptor: again, info: info))
    }
    guard copy == bytes else { throw .io(EIO, reread) }
    try io(what) { () throws(SystemError) in try system.close(file) }
    return held
  }

  /// Step 8: checks that the file has not changed.
  private func checkUnchanged(
    _ expected: FileInfo?, in folder: Folder
  ) throws(KeychainError) {
    guard let expected else { return }
    guard try info(in: folder) == expected else {
      throw KeychainError(
        .changedUnderneath,
        message: "a program that ignores the lock changed the keychain while it was saved. "
          + "Nothing was written; look at the file and try again.")
    }
  }

  /// Step 9: renames the file.
  private func publish(
    _ temporary: TemporaryFile, in folder: Folder, isNew: Bool
  ) throws(KeychainError) {
    do throws(SystemError) {
      try temporary.publish(as: folder.source.name, replaces: !isNew)
    } catch {
      throw isNew && error.code == EEXIST
        ? .exists : .io(error.code, "the new keychain cannot take its name")
    }
  }

  /// Step 10: syncs the folder. The file has been replaced even if this fails.
  private func sync(_ folder: OpenFile, into saved: inout Saved) {
    do throws(SystemError) {
      try system.sync(folder: folder)
    } catch {
      if error.code == EINVAL || error.code == ENOTSUP {
        saved.folderCannotBeSynced = true
      } else {
        saved.uncertain = uncertain(error.code)
      }
    }
  }

  private func uncertain(_ code: Int32) -> KeychainError {
    let cause = KeychainError.io(code, "the keychain is saved, but its folder cannot be synced")
      .message
    return KeychainError(
      .durabilityUnknown,
      message: "\(cause) After a power loss the old state may be back. Check the disk.")
  }

  // MARK: Folders of a new keychain

  /// Creates the missing folders with mode 0700. Returns the folders to synchronize afterwards:
  /// each new one, and its parent.
  func makeFolders() throws(KeychainError) -> [String] {
    var missing: [String] = []
    var folder = unresolved.folder
    while true {
      do throws(SystemError) {
        if try system.info(of: folder) != nil { break }
      } catch { throw .creation(error, "the keychain's folder cannot be looked up") }
      missing.append(folder)
      folder = PathComponents(folder).folder
    }
    let parent = folder
    for folder in missing.reversed() {
      do throws(SystemError) {
        try system.makeFolder(folder)
      } catch {
        if error.code != EEXIST { throw .creation(error, "the keychain's folder cannot be made") }
      }
    }
    return missing.isEmpty ? [] : missing + [parent]
  }

  /// Syncs the folders except that of the file, which was synced with it.
  func sync(made folders: [String], into saved: inout Saved) {
    for folder in folders.dropFirst() {
      guard let descriptor = try? system.open(folder: folder) else {
        saved.uncertain = uncertain(EIO)
        continue
      }
      sync(descriptor, into: &saved)
    }
  }
}
