import SwiftBoardSystem

/// Settings of the whole process that keep secrets out of core dumps. A library never changes them;
/// an executable may.
package enum ProcessHardening {
  /// No core dumps, and no reading of this process's memory by the user's other processes. What the
  /// system refuses is left as it is.
  package static func forbidDumps() {
    forbidCoreDumps()
  }

  /// Puts a pipe's end in place of each standard descriptor that is closed. It can be neither read,
  /// as standard input, nor written, as the other two, as before; but no file that is opened later
  /// takes the number and is read or written in its place. Call it before anything is opened.
  package static func holdStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // The lowest free number, which is this one, becomes the end to read.
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { continue }
      if descriptor == STDIN_FILENO { dup2(ends[1], descriptor) }
      close(ends[1])
    }
  }
}
