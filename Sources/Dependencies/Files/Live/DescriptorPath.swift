import SwiftBoardSystem

/// A path that names an open descriptor of this process and no file, such as `/dev/stdin`,
/// `/dev/fd/3` or `/proc/self/fd/3`.
package struct DescriptorPath: Sendable, Equatable {
  /// The descriptor.
  package let number: Int32

  /// Follows the symbolic links at the path's end; `nil` if they lead to anything else, or to
  /// another process. A few system calls.
  package init?(_ path: String) {
    var path = path
    for _ in 0..<40 {
      let parts = PathComponents(path, ignoresTrailingSlashes: true)
      if let number = Int32(parts.name), number >= 0, DescriptorPath.lists(parts.folder) {
        self.number = number
        return
      }
      guard let link = ResolvedFile.target(ofLink: path) else { return nil }
      path = ResolvedFile.follow(link, from: path)
    }
    return nil
  }

  /// Whether the board opened the descriptor for itself: what the process was started with is not
  /// closed when another program begins, and what the board opens is.
  var isInternal: Bool {
    guard number > 2 else { return false }
    let flags = fcntl(number, F_GETFD)
    return flags < 0 || flags & FD_CLOEXEC != 0
  }

  /// Whether a folder has the descriptors of this process in it.
  private static func lists(_ folder: String) -> Bool {
    guard let resolved = try? FileSystem().resolve(folder) else { return false }
    let parts = resolved.split(separator: "/")
    if parts == ["dev", "fd"] { return true }
    return parts.first == "proc" && parts.last == "fd" && parts.count > 2
      && parts[1] == "\(getpid())"
  }
}
