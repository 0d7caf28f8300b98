import SwiftBoardSystem
import Synchronization

/// A signal that the program handles. All but the last two end it, `interrupt` not always.
package enum Signal: Sendable, Hashable, CaseIterable {
  /// `SIGINT`, `SIGTERM` and `SIGHUP`: Ctrl-C, a request to end, and a closed terminal.
  case interrupt, terminate, hangup
  /// `SIGQUIT`, which Ctrl-\ sends while a command runs; `SIGUSR1`, `SIGUSR2`, `SIGALRM`,
  /// `SIGVTALRM` and `SIGXCPU`. They end the program as `SIGTERM` does, so that what is buffered is
  /// written.
  case quit, user1, user2, alarm, virtualAlarm, processorTime
  /// `SIGWINCH`: the terminal's size has changed.
  case windowChanged
  /// `SIGCONT`: the process continues after it was stopped.
  case continued

  /// The system's signal number.
  package var number: Int32 {
    switch self {
    case .alarm: SIGALRM
    case .hangup: SIGHUP
    case .interrupt: SIGINT
    case .processorTime: SIGXCPU
    case .quit: SIGQUIT
    case .terminate: SIGTERM
    case .user1: SIGUSR1
    case .user2: SIGUSR2
    case .virtualAlarm: SIGVTALRM
    case .windowChanged: SIGWINCH
    case .continued: SIGCONT
    }
  }
}

/// Delivers signals to asynchronous code.
///
/// The signal handler only writes a byte to a pipe. A thread reads it, and a task calls the
/// handler, one signal after the other. The task does not run while each thread that runs tasks is
/// blocked, for example by output that nobody reads. There is one source per process, and it lives
/// as long as the process.
package enum SignalSource {
  /// The descriptor that the signal handler writes to. A signal handler can use neither a context
  /// nor a lock, so this is a plain global. It is set once, before the first handler is installed,
  /// and only read after that.
  private nonisolated(unsafe) static let writeEnd: UnsafeMutablePointer<Int32> = {
    let pointer = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    pointer.initialize(to: -1)
    return pointer
  }()

  /// How often the program was continued, to compare it before and after.
  package static var continuations: Int {
    // Threads that run tasks block signals. They may go on before another one has handled SIGCONT.
    var pending = sigset_t()
    sigemptyset(&pending)
    sigpending(&pending)
    return continued.load(ordering: .relaxed) + (sigismember(&pending, SIGCONT) == 1 ? 1 : 0)
  }
  private static let continued = Atomic(0)

  /// What the thread that reads the pipe tells the task.
  private enum Arrival: Sendable {
    case signal(Signal)
    /// All signals before it have been handled.
    case handled(CheckedContinuation<Void, Never>)
  }

  /// The calls of `handleArrived` in the order of their bytes in the pipe.
  private static let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

  /// Starts handling `signals`, and ignores those of failed writes. Signals that are ignored
  /// already stay so: `nohup` and `trap ''` ignore them for the programs that they start. Only the
  /// first call has an effect.
  ///
  /// - Parameters:
  ///   - onArrival: Called for each signal on a thread of its own, whatever the tasks do. Must not
  ///     block.
  ///   - handler: Called for each signal in order. Equal signals in quick succession may be merged.
  /// - Returns: `false` if it was already started or if no pipe or thread could be created.
  @discardableResult
  package static func start(
    _ signals: [Signal] = [.interrupt, .terminate, .hangup],
    onArrival: @escaping @Sendable (Signal) -> Void = { _ in },
    handler: @escaping @Sendable (Signal) async -> Void
  ) -> Bool {
    ignoreFailedWrites()
    resetQuit()
    guard writeEnd.pointee < 0, let pipe = try? Descriptor.pipe() else { return false }
    // A signal handler must never block. If the pipe is full, a signal is pending anyway.
    _ = fcntl(pipe.write, F_SETFL, O_NONBLOCK)
    writeEnd.pointee = pipe.write
    let (stream, continuation) = AsyncStream<Arrival>.makeStream()
    let isRead = DetachedThread.start {
      // Threads that run tasks block signals, and this thread inherited that. It must unblock them
      // to receive them.
      unblock(signals)
      while let bytes = try? Descriptor.read(pipe.read, atMost: 64), !bytes.isEmpty {
        for byte in bytes {
          if let signal = Signal.allCases.first(where: { $0.number == Int32(byte) }) {
            onArrival(signal)
            if signal == .interrupt { TerminalOutput.resume() }
            continuation.yield(.signal(signal))
          } else if let waiting = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            continuation.yield(.handled(waiting))
          }
        }
      }
      continuation.finish()
    }
    guard isRead else {
      // Nothing would handle what the signal handler writes.
      writeEnd.pointee = -1
      close(pipe.read)
      close(pipe.write)
      return false
    }
    Task {
      for await arrival in stream {
        switch arrival {
        case .signal(let signal): await handler(signal)
        case .handled(let waiting): waiting.resume()
        }
      }
    }
    TerminalOutput.prepareToResume()
    for signal in signals where !SignalHandler.isIgnored(signal.number) { install(signal.number) }
    return true
  }

  /// Waits until the handler has returned for each signal that arrived before this call. Returns at
  /// once if no signals are handled.
  package static func handleArrived() async {
    guard writeEnd.pointee >= 0 else { return }
    receivePending()
    await withCheckedContinuation { continuation in
      waiting.withLock { $0.append(continuation) }
      // Behind the bytes of these signals.
      Descriptor.wake(writeEnd.pointee)
    }
  }

  /// Receives the signals that no other thread has received yet.
  private static func receivePending() {
    // Threads that run tasks block signals. A pending one is delivered before this returns.
    var former = unblock(Signal.allCases)
    pthread_sigmask(SIG_SETMASK, &former, nil)
  }

  /// Lets the calling thread receive signals.
  ///
  /// - Returns: The signals that it blocked.
  @discardableResult
  private static func unblock(_ signals: [Signal]) -> sigset_t {
    var (unblocked, former) = (sigset_t(), sigset_t())
    sigemptyset(&unblocked)
    for signal in signals { sigaddset(&unblocked, signal.number) }
    pthread_sigmask(SIG_UNBLOCK, &unblocked, &former)
    return former
  }

  /// Makes a write to a pipe without a reader, or beyond the limit of `ulimit -f`, fail instead of
  /// ending the process.
  package static func ignoreFailedWrites() {
    for number in [SIGPIPE, SIGXFSZ] { _ = signal(number, SIG_IGN) }
  }

  /// Takes SIGQUIT from the runtime's backtracer, which would take it for a crash, and the process
  /// would go on. It ends the process by default if no handler is installed.
  private static func resetQuit() {
    if !SignalHandler.isIgnored(SIGQUIT) { _ = signal(SIGQUIT, SIG_DFL) }
  }

  private static func install(_ number: Int32) {
    // Initialized here, because a signal handler must not.
    _ = continuations
    SignalHandler.install(number) { number in
      let kept = errno
      if number == SIGCONT { SignalSource.continued.add(1, ordering: .relaxed) }
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(SignalSource.writeEnd.pointee, &byte, 1)
      errno = kept
    }
  }
}
