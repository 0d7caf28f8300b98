import SwiftBoardSystem

/// Waits until no process has a named pipe open for reading.
///
/// Not even this process closes a descriptor at once: a program that another test starts has copies
/// of all descriptors until it runs. So this looks again and again until the test's time is over.
public func endOfReaders(ofPipe path: String) async throws {
  while true {
    do throws(SystemError) {
      try FileSystem().open(path, O_WRONLY | O_NONBLOCK).close()
    } catch {
      guard error.code != ENXIO else { return }
      throw error
    }
    try Task.checkCancellation()
    // Real time: the system has no event for a pipe that loses its last reader.
    try await Task.sleep(for: .milliseconds(5))
  }
}
