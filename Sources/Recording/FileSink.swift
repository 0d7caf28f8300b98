import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A new file of a recording: mode 0600, locked while it is open.
public final class FileSink: LogSink {
  /// Why a recording's file could not be created.
  public enum OpenError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Something with that name is there already, and stays as it is.
    case exists(path: String)
    /// Another recorder holds the file.
    case busy(path: String)
    case failed(path: String, LogIOError)

    /// The exit status of a command that ends with this: 73, cannot create.
    public var exitCode: Int32 { 73 }

    public var description: String {
      switch self {
      case .exists(let path): "\(path) exists already; a recording starts with a new file"
      case .busy(let path): "\(path) is being written by another recorder"
      case .failed(let path, let error): "\(path) cannot be created: \(error)"
      }
    }
  }

  /// -1 once closed.
  private let descriptor: Mutex<Int32>

  /// Creates the file. An existing one, a symbolic link too, is refused.
  public init(creating path: String) throws(OpenError) {
    var descriptor: Int32
    repeat {
      descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      let code = errno
      throw code == EEXIST
        ? .exists(path: path) : .failed(path: path, LogIOError(code: code, operation: "open"))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      #if canImport(Glibc)
        _ = Glibc.close(descriptor)
      #elseif canImport(Musl)
        _ = Musl.close(descriptor)
      #else
        _ = Darwin.close(descriptor)
      #endif
      throw code == EWOULDBLOCK
        ? .busy(path: path) : .failed(path: path, LogIOError(code: code, operation: "flock"))
    }
    // The umask may have taken bits away, but never added any; 0600 is what was promised.
    _ = fchmod(descriptor, 0o600)
    self.descriptor = Mutex(descriptor)
  }

  deinit { close() }

  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogIOError) -> Int {
    let written = pwrite(descriptor.withLock { $0 }, bytes.baseAddress, bytes.count, off_t(offset))
    guard written >= 0 else { throw LogIOError(code: errno, operation: "write") }
    return written
  }

  public func truncate(to size: Int) throws(LogIOError) {
    guard ftruncate(descriptor.withLock { $0 }, off_t(size)) == 0 else {
      throw LogIOError(code: errno, operation: "ftruncate")
    }
  }

  public func synchronize() throws(LogIOError) {
    let descriptor = descriptor.withLock { $0 }
    #if canImport(Darwin)
      // fsync reaches the drive only; this reaches its platters. Not every file system knows it.
      let result = fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
    #else
      let result = fdatasync(descriptor)
    #endif
    guard result == 0 else { throw LogIOError(code: errno, operation: "fsync") }
  }

  public func close() {
    let open = descriptor.withLock { descriptor in
      let open = descriptor
      descriptor = -1
      return open
    }
    guard open >= 0 else { return }
    #if canImport(Glibc)
      _ = Glibc.close(open)
    #elseif canImport(Musl)
      _ = Musl.close(open)
    #else
      _ = Darwin.close(open)
    #endif
  }
}

extension FileSink {
  /// Takes away a file that holds nothing yet, because its first line could not be written.
  func remove(_ path: String) {
    close()
    _ = unlink(path)
  }
}

/// The system's text for an `errno`.
func systemMessage(_ code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  return String(cString: text)
}
