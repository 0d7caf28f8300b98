/// The identity of a file, independent of its name. After the file is removed, the system may reuse
/// its number.
package struct FileID: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  package init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// Creates the identity of the file at a path. Returns `nil` if there is none.
  package init?(_ path: String) {
    guard let info = FileInfo(path) else { return nil }
    self = info.id
  }
}

/// The system's information about a file. If two values are equal, the name still refers to the
/// same, unchanged file.
package struct FileInfo: Sendable, Equatable {
  package let id: FileID
  package let size: Int64
  package let mode: UInt32
  package let owner: UInt32
  package let group: UInt32
  /// The number of names of the file.
  package let names: UInt64
  /// The times of the last change of the content and of the inode, since 1970.
  package let modified: Duration
  package let changed: Duration

  package init(_ status: stat) {
    id = FileID(status)
    size = Int64(status.st_size)
    mode = UInt32(status.st_mode)
    owner = status.st_uid
    group = status.st_gid
    names = UInt64(status.st_nlink)
    #if canImport(Darwin)
      (modified, changed) = (Duration(status.st_mtimespec), Duration(status.st_ctimespec))
    #else
      (modified, changed) = (Duration(status.st_mtim), Duration(status.st_ctim))
    #endif
  }

  /// Examines the file at a path. Returns `nil` and sets `errno` on failure.
  package init?(_ path: String, followsLink: Bool = true) {
    var status = stat()
    guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    self.init(status)
  }

  /// Examines an open file. Returns `nil` and sets `errno` on failure.
  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Returns whether this is the same file with unchanged content. Other names and permissions
  /// leave the content as it was.
  package func hasSameContent(as other: FileInfo) -> Bool {
    id == other.id && size == other.size && modified == other.modified
  }

  package var isRegular: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
  package var isFolder: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
  package var isPipe: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFIFO) }
  package var isLink: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFLNK) }
  package var permissions: UInt32 { mode & 0o7777 }
  package var isOpenToOthers: Bool { mode & 0o077 != 0 }
  /// The time of the last change of the content, in microseconds since 1970.
  package var written: Int64 {
    let (seconds, attoseconds) = modified.components
    let whole = seconds.multipliedReportingOverflow(by: 1_000_000)
    return whole.overflow ? 0 : whole.partialValue &+ attoseconds / 1_000_000_000_000
  }
}

extension Duration {
  fileprivate init(_ time: timespec) {
    self = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
