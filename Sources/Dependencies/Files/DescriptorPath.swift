#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A path that names an open descriptor of this process and no file, such as `/dev/stdin`, `/dev/fd/3` or `/proc/self/fd/3`.
public struct DescriptorPath: Sendable, Equatable {
  /// The descriptor.
  public let number: Int32

  /// Follows the symbolic links at the path's end; `nil` where they lead to anything else, or to another process. A few system
  /// calls.
  public init?(_ path: String) {
    var path = path
    for _ in 0..<40 {
      let (folder, name) = FilePlace.split(path)
      if let number = Int32(name), number >= 0, DescriptorPath.lists(folder) {
        self.number = number
        return
      }
      guard let link = FilePlace.target(ofLink: path) else { return nil }
      path = link.hasPrefix("/") ? link : folder == "/" ? "/" + link : folder + "/" + link
    }
    return nil
  }

  /// Whether the board opened the descriptor for itself: what the process was started with is not closed when another
  /// program begins, and what the board opens is.
  var isInternal: Bool {
    guard number > 2 else { return false }
    let flags = fcntl(number, F_GETFD)
    return flags < 0 || flags & FD_CLOEXEC != 0
  }

  /// Whether a folder has the descriptors of this process in it.
  private static func lists(_ folder: String) -> Bool {
    guard let resolved = realpath(folder, nil) else { return false }
    defer { free(resolved) }
    let parts = String(cString: resolved).split(separator: "/")
    if parts == ["dev", "fd"] { return true }
    return parts.first == "proc" && parts.last == "fd" && parts.count > 2
      && parts[1] == "\(getpid())"
  }
}
