import Synchronization

/// Output to a terminal.
///
/// Ctrl-C makes the system discard what a terminal has not shown yet. Linux does not wake a thread
/// that waits for room for more, so it could wait forever, although there is room now. `resume()`
/// makes it try again.
package enum TerminalOutput {
  private static let writers = Mutex<[pthread_t]>([])
  /// A signal that nothing else here uses, and that does nothing where it is not handled.
  private static let signal = SIGURG

  /// Writes all of the bytes to a descriptor.
  package static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer
  ) throws(SystemError) {
    guard isatty(descriptor) == 1 else { return try Descriptor.write(descriptor, bytes) }
    let thread = pthread_self()
    writers.withLock { $0.append(thread) }
    // Threads that run tasks block signals.
    var (signals, former) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    sigaddset(&signals, signal)
    pthread_sigmask(SIG_UNBLOCK, &signals, &former)
    defer {
      pthread_sigmask(SIG_SETMASK, &former, nil)
      writers.withLock { writers in writers.removeAll { $0 == thread } }
    }
    try Descriptor.write(descriptor, bytes)
  }

  /// Writes a text, such as a prompt, and ignores errors.
  package static func show(_ text: String, on descriptor: Int32) {
    var text = text
    text.withUTF8 { try? write(descriptor, UnsafeRawBufferPointer($0)) }
  }

  /// Prepares `resume()`.
  package static func prepareToResume() { SignalHandler.install(signal) { _ in } }

  /// Makes threads that wait for a terminal try again.
  package static func resume() {
    // A thread is in the list for as long as it writes, and so exists here.
    writers.withLock { for thread in $0 { pthread_kill(thread, signal) } }
  }
}
