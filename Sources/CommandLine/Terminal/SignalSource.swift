import SwiftBoardSystem

/// A signal that is answered by the program.
package enum Signal: Sendable, Hashable, CaseIterable {
  /// `SIGINT`, `SIGTERM` and `SIGHUP`: Ctrl-C, a request to end, and a terminal that was closed.
  case interrupt, terminate, hangup
  /// The terminal has another size.
  case windowChanged
  /// The process continues after it was stopped.
  case continued

  /// The system's number.
  package var number: Int32 {
    switch self {
    case .hangup: SIGHUP
    case .interrupt: SIGINT
    case .terminate: SIGTERM
    case .windowChanged: SIGWINCH
    case .continued: SIGCONT
    }
  }

  /// The exit status of a program that ends for it.
  package var exitCode: Int32 { 128 + number }
}

/// Brings signals to asynchronous code.
///
/// The signal handler only writes a byte to a pipe; a thread reads it, and a task calls the
/// handler, one signal after the other. One for the whole process, and it stays for the process's
/// life.
package enum SignalSource {
  /// Where the handler writes. A signal handler can take no context and no lock, so this is a plain
  /// global: it is set once, before the first handler is installed, and only read from then on.
  private nonisolated(unsafe) static let writeEnd: UnsafeMutablePointer<Int32> = {
    let pointer = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    pointer.initialize(to: -1)
    return pointer
  }()

  /// Catches `signals` from now on and ignores SIGPIPE; only the first call counts.
  ///
  /// - Parameter handler: called for each signal in order. Equal signals in quick succession may
  ///   count as one.
  /// - Returns: `false` where it was started already, or no pipe could be made.
  @discardableResult
  package static func start(
    _ signals: [Signal] = [.interrupt, .terminate, .hangup],
    handler: @escaping @Sendable (Signal) async -> Void
  ) -> Bool {
    ignoreBrokenPipes()
    guard writeEnd.pointee < 0, let pipe = try? Descriptor.pipe() else { return false }
    // A handler must never wait: with a full pipe there is a signal to be seen anyway.
    _ = fcntl(pipe.write, F_SETFL, O_NONBLOCK)
    writeEnd.pointee = pipe.write
    let (stream, continuation) = AsyncStream<Signal>.makeStream()
    DetachedThread.start {
      // The threads that run tasks block signals, and this one inherited that: some thread must
      // take them.
      var caught = sigset_t()
      sigemptyset(&caught)
      for signal in signals { sigaddset(&caught, signal.number) }
      pthread_sigmask(SIG_UNBLOCK, &caught, nil)
      while let bytes = try? Descriptor.read(pipe.read, atMost: 64), !bytes.isEmpty {
        for byte in bytes {
          if let signal = Signal.allCases.first(where: { $0.number == Int32(byte) }) {
            continuation.yield(signal)
          }
        }
      }
      continuation.finish()
    }
    Task {
      for await signal in stream { await handler(signal) }
    }
    for signal in signals { install(signal.number) }
    return true
  }

  /// Makes a write to a pipe without a reader fail, instead of ending the process.
  package static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

  private static func install(_ number: Int32) {
    SignalHandler.install(number) { number in
      let kept = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(SignalSource.writeEnd.pointee, &byte, 1)
      errno = kept
    }
  }
}
