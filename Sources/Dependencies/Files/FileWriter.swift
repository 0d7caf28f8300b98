#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One write of one file. Blocks.
struct FileWriter {
  let system: FileSystem
  /// As it was given; errors name it.
  let path: String

  func write(_ data: Data, _ mode: FileWriteMode) -> Result<Void, FileError> {
    do throws(FileError) {
      switch mode {
      case .create: try write(data, to: path, O_WRONLY | O_CREAT | O_EXCL)
      case .append: try write(data, to: path, O_WRONLY | O_CREAT | O_APPEND)
      case .replace: try replace(data)
      }
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// A reader, and whoever comes after a loss of power, sees the old content or the new.
  private func replace(_ data: Data) throws(FileError) {
    let target = try target()
    var status = stat()
    let exists = stat(target, &status) == 0
    if exists, status.st_mode & S_IFMT != S_IFREG { return try write(data, to: path, O_WRONLY) }
    let temporary = target + ".\(UInt64.random(in: .min ... .max)).tmp"
    do throws(FileError) {
      try write(
        data, to: temporary, O_WRONLY | O_CREAT | O_EXCL,
        permissions: exists ? status.st_mode : nil,
        syncs: true)
      try check(system.call(.rename) { rename(temporary, target) })
    } catch {
      unlink(temporary)
      throw error
    }
    try syncFolder(of: target)
  }

  /// The file that the path leads to through symbolic links, which need not be there yet.
  private func target() throws(FileError) -> String {
    var path = path
    for _ in 0..<40 {
      if let resolved = realpath(path, nil) {
        defer { free(resolved) }
        return String(cString: resolved)
      }
      if errno == ELOOP { throw cannotCreate(ELOOP) }
      guard errno == ENOENT, let link = linkTarget(of: path) else { return path }
      let folder = folder(of: path)
      path = link.hasPrefix("/") ? link : folder == "/" ? "/" + link : folder + "/" + link
    }
    throw cannotCreate(ELOOP)
  }

  private func linkTarget(of path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// - Parameter permissions: The mode whose permissions a new file gets; mode 0600 without.
  private func write(
    _ data: Data, to file: String, _ flags: Int32, permissions: mode_t? = nil, syncs: Bool = false
  ) throws(FileError) {
    let descriptor = system.call(.open) { open(file, flags | O_CLOEXEC, 0o600) }
    guard descriptor >= 0 else {
      if errno == EEXIST {
        throw FileError(
          .exists, path: path, message: "\(path) exists already and was left as it is")
      }
      throw cannotCreate(errno)
    }
    do throws(FileError) {
      try write(data, descriptor)
      if let permissions {
        try check(system.call(.changeMode) { fchmod(descriptor, permissions & 0o777) })
      }
      if syncs { try check(system.sync(descriptor, .sync)) }
    } catch {
      close(descriptor)
      throw error
    }
    try check(system.call(.close, isRepeated: false) { close(descriptor) })
  }

  private func write(_ data: Data, _ descriptor: Int32) throws(FileError) {
    var written = 0
    while written < data.count {
      let count = data.withUnsafeBytes { buffer in
        system.call(.write) {
          systemWrite(
            descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
        }
      }
      try check(count)
      written += count
    }
  }

  /// Until the folder knows the new file. File systems that cannot do that for folders refuse with `EINVAL`.
  private func syncFolder(of file: String) throws(FileError) {
    let descriptor = system.call(.openFolder) {
      open(folder(of: file), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    // A folder that may be written to and not read cannot be synchronised either.
    guard descriptor >= 0 else {
      guard errno == EACCES else { throw notSynchronised(errno) }
      return
    }
    defer { close(descriptor) }
    guard system.sync(descriptor, .syncFolder) >= 0 || errno == EINVAL || errno == ENOTSUP else {
      throw notSynchronised(errno)
    }
  }

  // MARK: Errors

  private func check(_ result: some BinaryInteger) throws(FileError) {
    if result < 0 { throw FileError(path, "written", errno) }
  }

  private func cannotCreate(_ number: Int32) -> FileError {
    FileError(
      .cannotCreate, path: path,
      message: "\(path) cannot be written: \(String(cString: strerror(number)))")
  }

  private func notSynchronised(_ number: Int32) -> FileError {
    FileError(
      .io, path: path,
      message: "\(path) is written, but a loss of power may undo it: "
        + String(cString: strerror(number)))
  }
}

// The methods above have the name of the call.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
