import SwiftBoardSystem

/// Process-wide settings of descriptors and permissions. Only an executable should change them.
package enum ProcessHardening {
  /// Replaces each closed standard descriptor by the end of a pipe. Reading or writing it still
  /// fails, but a file that is opened later cannot get the number and be used in its place. Call
  /// this before opening anything.
  package static func holdStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // The lowest free number, which is this one, becomes the read end.
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { continue }
      if descriptor == STDIN_FILENO { dup2(ends[1], descriptor) }
      close(ends[1])
    }
  }

  /// Removes the owner's permissions from the umask, with which a new folder could not be entered
  /// and a new file could not be opened again. Call this before another thread starts.
  package static func keepOwnerPermissions() {
    let mask = umask(0o077)
    umask(mask & 0o077)
  }
}
