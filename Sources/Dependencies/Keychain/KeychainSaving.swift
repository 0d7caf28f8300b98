import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Replacing the file: the old one or the new one is there at every moment, whole.
extension KeychainFile {
  /// What a replacement left behind.
  struct Saved {
    /// The new file; `nil` when it could not be looked at, so that the next call reads it anew.
    var held: Held?
    /// The new file is in place but may not survive a power loss.
    var uncertain: KeychainError?
    /// The file system cannot sync folders.
    var folderCannotBeSynced = false
  }

  /// Steps 1 to 3: opens the folder, takes the lock, removes what interrupted saves left, runs `body`, lets go.
  func withLock<Result>(
    _ body: (Folder) throws(KeychainError) -> Result
  ) throws(KeychainError) -> Result {
    let place = try self.place()
    let descriptor: KeychainDescriptor
    do throws(KeychainErrno) {
      descriptor = try system.open(folder: place.folder)
    } catch {
      throw error.code == ENOENT
        ? missing : .io(error.code, "the keychain's folder cannot be opened")
    }
    let info = try io("the keychain's folder cannot be looked at") { () throws(KeychainErrno) in
      try system.info(descriptor)
    }
    guard info.mode & 0o022 == 0 || info.mode & UInt32(S_ISVTX) != 0 else {
      throw KeychainError(
        .insecurePermissions,
        message:
          "others may write to the folder \(place.folder), so they could replace the keychain while it is saved. "
          + "Nothing was written; run chmod go-w on the folder.")
    }
    let lock = try lock(place, in: descriptor)
    let folder = Folder(descriptor: descriptor, place: place, lock: lock)
    removeLeftovers(in: folder)
    return try body(folder)
  }

  private func lock(
    _ place: Place, in folder: KeychainDescriptor
  ) throws(KeychainError) -> KeychainDescriptor {
    let name = "\(place.name).lock"
    let clock = ContinuousClock()
    let deadline = clock.now + lockTimeout
    while true {
      let file: KeychainDescriptor
      do throws(KeychainErrno) {
        file = try system.openLock(name, in: folder)
      } catch {
        throw error.code == ELOOP || error.code == ENXIO
          ? KeychainError(
            .insecurePath, message: "its lock file \(name) is not a regular file. Remove it.")
          : .io(error.code, "the keychain's lock file cannot be opened, so nothing was written")
      }
      let info = try io("the keychain's lock file cannot be looked at") {
        () throws(KeychainErrno) in
        try system.info(file)
      }
      guard info.isRegular else {
        throw KeychainError(
          .insecurePath, message: "its lock file \(name) is not a regular file. Remove it.")
      }
      var locked = false
      do throws(KeychainErrno) {
        locked = try system.tryLock(file)
      } catch {
        throw .io(
          [ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL].contains(error.code) ? ENOLCK : error.code,
          "the file system gives no lock, so nothing was written",
          advice: "Keep the keychain on a local disk.")
      }
      if locked {
        let named = try io("the keychain's lock file cannot be looked at") {
          () throws(KeychainErrno) in
          try system.info(of: name, in: folder)
        }
        if let named, named.isSameFile(as: info) { return file }
      }
      guard clock.now < deadline else {
        throw KeychainError(
          .lockTimeout,
          message:
            "another process held the keychain's lock for \(lockTimeout), so nothing was written. "
            + "Try again when it has finished.")
      }
      // Uneven, so that two who wait do not wake in step.
      usleep(UInt32.random(in: 500...4_000))
    }
  }

  /// Under the lock, temporary files of this name belong to nobody. What cannot be removed hinders nothing.
  private func removeLeftovers(in folder: Folder) {
    guard let names = try? system.names(in: folder.descriptor) else { return }
    let prefix = Array(".\(folder.place.name).".utf8)
    let suffix = Array(".tmp".utf8)
    for bytes in names where bytes.count == prefix.count + 16 + suffix.count {
      let middle = bytes[prefix.count..<(prefix.count + 16)]
      guard bytes.starts(with: prefix), bytes.suffix(suffix.count).elementsEqual(suffix),
        middle.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
      else { continue }
      let name = String(decoding: bytes, as: UTF8.self)
      guard let info = try? system.info(of: name, in: folder.descriptor), info.isRegular,
        info.owner == geteuid()
      else { continue }
      try? system.remove(name, in: folder.descriptor, as: .removeLeftover)
    }
  }

  /// Steps 6 to 10. `expected` is what the name referred to when the old content was read, `nil` for a new keychain.
  /// `verify` gets what was read back; `commit` runs right before the name changes. A throw means that the old file is
  /// untouched and no temporary file is left.
  func replace(
    with bytes: [UInt8], in folder: Folder, expecting expected: KeychainFileInfo?,
    random: KeychainRandom, verify: ([UInt8]) throws(KeychainError) -> Void,
    commit: () throws(KeychainError) -> Void = {}
  ) throws(KeychainError) -> Saved {
    let temporary = temporaryName(for: folder.place, random: random)
    let written: Held
    let file = try io("the new keychain cannot be created") { () throws(KeychainErrno) in
      try system.create(temporary, in: folder.descriptor)
    }
    do throws(KeychainError) {
      written = try write(bytes, to: file, temporary, in: folder)
      try verify(bytes)
      try checkUnchanged(expected, in: folder)
      try commit()
      try rename(temporary, in: folder, new: expected == nil)
    } catch {
      try? system.remove(temporary, in: folder.descriptor)
      throw error
    }

    var saved = Saved()
    // The rename may have changed the inode's time, and nothing else.
    if let now = try? system.info(written.descriptor), now.size == written.info.size,
      now.modified == written.info.modified
    {
      saved.held = Held(descriptor: written.descriptor, info: now)
    }
    sync(folder.descriptor, into: &saved)
    return saved
  }

  private func temporaryName(for place: Place, random: KeychainRandom) -> String {
    let digits = Array("0123456789abcdef")
    let hex = random.bytes(8).map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
    return ".\(place.name).\(hex).tmp"
  }

  /// Steps 6 and 7, as far as they need no key: written, synced, read back, closed.
  private func write(
    _ bytes: [UInt8], to file: KeychainDescriptor, _ name: String, in folder: Folder
  ) throws(KeychainError) -> Held {
    let what = "the new keychain cannot be written"
    try io(what) { () throws(KeychainErrno) in
      try system.changeMode(file, to: 0o600)
      try system.write(bytes, to: file)
      try system.sync(file)
    }
    let reread = "the new keychain cannot be read back"
    let (copy, held) = try io(reread) { () throws(KeychainErrno) in
      let again = try system.open(name, in: folder.descriptor)
      let info = try system.info(again)
      guard info.isSameFile(as: try system.info(file)) else { throw KeychainErrno(code: EIO) }
      return (try system.read(again, limit: bytes.count + 1), Held(descriptor: again, info: info))
    }
    guard copy == bytes else { throw .io(EIO, reread) }
    try io(what) { () throws(KeychainErrno) in try system.close(file) }
    return held
  }

  /// Step 8.
  private func checkUnchanged(
    _ expected: KeychainFileInfo?, in folder: Folder
  ) throws(KeychainError) {
    guard let expected else { return }
    guard try info(in: folder) == expected else {
      throw KeychainError(
        .changedUnderneath,
        message: "a program that ignores the lock changed the keychain while it was saved. "
          + "Nothing was written; look at the file and try again.")
    }
  }

  /// Step 9.
  private func rename(_ temporary: String, in folder: Folder, new: Bool) throws(KeychainError) {
    do throws(KeychainErrno) {
      if new {
        try system.renameWithoutReplacing(temporary, to: folder.place.name, in: folder.descriptor)
      } else {
        try system.rename(temporary, to: folder.place.name, in: folder.descriptor)
      }
    } catch {
      throw new && error.code == EEXIST
        ? exists : .io(error.code, "the new keychain cannot take its name")
    }
  }

  /// Step 10. The file is replaced whatever happens here.
  private func sync(_ folder: KeychainDescriptor, into saved: inout Saved) {
    do throws(KeychainErrno) {
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

  var exists: KeychainError {
    KeychainError(
      .exists,
      message:
        "there is a keychain here already; it was left as it is. Unlock it, or name another path.")
  }

  // MARK: Folders of a new keychain

  /// Makes the missing folders, 0700, and returns those to sync afterwards: each one made, and its parent.
  func makeFolders() throws(KeychainError) -> [String] {
    var missing: [String] = []
    var folder = unresolved.folder
    while true {
      let found = try io("the keychain's folder cannot be looked up") { () throws(KeychainErrno) in
        try system.info(of: folder, in: nil)
      }
      if found != nil { break }
      missing.append(folder)
      guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) else {
        folder = "."
        break
      }
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
    let parent = folder
    for folder in missing.reversed() {
      do throws(KeychainErrno) {
        try system.makeFolder(folder)
      } catch {
        if error.code != EEXIST { throw .io(error.code, "the keychain's folder cannot be made") }
      }
    }
    return missing.isEmpty ? [] : missing + [parent]
  }

  /// The folder of the file itself was synced with it.
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
