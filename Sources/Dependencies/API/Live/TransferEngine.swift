import SwiftBoardSystem
import Synchronization

/// Runs transfers on one thread of its own, which owns libcurl's multi handle.
///
/// Tasks only put commands into the inbox and wake the thread; the thread resumes them outside of
/// any lock. The thread begins with the first transfer and ends after `stop()`. It holds the
/// engine, and the engine does not hold the client, so dropping the client ends both.
final class TransferEngine: Sendable {
  enum Command: Sendable {
    case start(Transfer)
    case cancel(UInt64)
    /// The task of a paused transfer has taken bytes from the buffer, or has more to send.
    case resume(UInt64)
  }

  private enum Phase {
    case idle, running, stopped
  }

  private struct Inbox {
    var commands: [Command] = []
    var phase = Phase.idle
    /// Set while the thread can be woken.
    var alarm: TransferWakeUp?
    /// From the first wake-up until the thread goes to sleep again: it then looks here before.
    var isAwake = true
    var lastID: UInt64 = 0

    /// Wakes the thread unless it is awake. A write of one byte that cannot block, hence harmless
    /// under the lock, which keeps the handle from being freed meanwhile.
    mutating func wake() {
      guard let alarm, !isAwake else { return }
      isAwake = true
      alarm.ring()
    }

    mutating func takeCommands() -> [Command] {
      isAwake = true
      guard !commands.isEmpty else { return [] }
      defer { commands = [] }
      return commands
    }
  }

  private let configuration: LiveAPIClient.Configuration
  private let inbox = Mutex(Inbox())
  private let onWait: (@Sendable (APIRequest) -> Void)?
  private let onEnd: (@Sendable () -> Void)?

  /// - Parameters:
  ///   - onWait: called on the thread with each request that has to wait for another.
  ///   - onEnd: called on the thread as the last thing it does.
  init(
    configuration: LiveAPIClient.Configuration, onWait: (@Sendable (APIRequest) -> Void)? = nil,
    onEnd: (@Sendable () -> Void)? = nil
  ) {
    self.configuration = configuration
    self.onWait = onWait
    self.onEnd = onEnd
  }

  // MARK: from any task

  /// A number for a transfer that no other one has.
  func makeID() -> UInt64 {
    inbox.withLock { inbox in
      inbox.lastID += 1
      return inbox.lastID
    }
  }

  /// Sends one request and waits for its answer; for its head where `download` takes the body. A
  /// redirect is an answer here.
  func perform(
    _ request: APIRequest, to address: URLBuilder, deadline: ContinuousClock.Instant?,
    id: UInt64? = nil, download: DownloadPipe? = nil
  ) async -> Result<Transfer.Answer, APIError> {
    let id = id ?? makeID()
    let upload = request.method == "HEAD" ? nil : request.upload.map(UploadPipe.init)
    // Ends when the transfer does, which closes the pipe.
    upload?.start { self.post(.resume(id)) }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        start(
          Transfer(
            id: id, request: request, address: address, deadline: deadline, download: download,
            upload: upload, continuation: continuation))
        // The handler may have run before there was anything to cancel: then its command came to
        // nothing.
        if Task.isCancelled { post(.cancel(id)) }
      }
    } onCancel: {
      post(.cancel(id))
    }
  }

  private func start(_ transfer: Transfer) {
    let phase = inbox.withLock { inbox in
      let phase = inbox.phase
      if phase == .stopped { return phase }
      inbox.commands.append(.start(transfer))
      inbox.phase = .running
      inbox.wake()
      return phase
    }
    if phase == .stopped {
      transfer.finish(.failure(.stopped))
    } else if phase == .idle, !DetachedThread.start(blocksSignals: true, { self.run() }) {
      refuseAll(
        APIError(.io, "no thread for HTTP could be started: too many threads run already"))
    }
  }

  /// Posts and wakes only: this runs inside `Task.cancel()`, which may hold the task's own lock.
  func post(_ command: Command) {
    inbox.withLock { inbox in
      guard inbox.phase == .running else { return }
      inbox.commands.append(command)
      inbox.wake()
    }
  }

  /// Ends the thread without waiting for it, since a client may be released on any thread.
  func stop() {
    inbox.withLock { inbox in
      inbox.phase = .stopped
      inbox.wake()
    }
  }

  // MARK: on the thread

  private func run() {
    defer { onEnd?() }
    let loop: TransferLoop
    switch CurlLibrary.loaded {
    case .failure(let error): return refuseAll(error)
    case .success(let library):
      guard let made = TransferLoop(library, configuration, onWait: onWait) else {
        return refuseAll(APIError(.io, "libcurl could not set up a multi handle: out of memory?"))
      }
      loop = made
      let alarm = loop.alarm
      inbox.withLock { $0.alarm = alarm }
    }
    while true {
      let (commands, phase) = inbox.withLock { ($0.takeCommands(), $0.phase) }
      for command in commands {
        switch command {
        case .start(let transfer): loop.start(transfer)
        case .cancel(let id): loop.cancel(id)
        case .resume(let id): loop.resume(id)
        }
      }
      if phase == .stopped { break }
      loop.advance()
      if !loop.canBegin, goesToSleep() { loop.wait() }
    }
    inbox.withLock { $0.alarm = nil }
    loop.end()
  }

  /// False if there is more to do.
  ///
  /// Yielding to the callers that have just received an answer, which may send the next request at
  /// once, would save a fifth of the time on a quiet machine. On a busy machine each such yield
  /// gives up the core for as long as other threads use it.
  private func goesToSleep() -> Bool {
    inbox.withLock { inbox in
      guard inbox.commands.isEmpty, inbox.phase == .running else { return false }
      inbox.isAwake = false
      return true
    }
  }

  /// Fails the waiting requests, so that the engine can be restarted.
  private func refuseAll(_ error: APIError) {
    let commands = inbox.withLock { inbox in
      if inbox.phase == .running { inbox.phase = .idle }
      return inbox.takeCommands()
    }
    for case .start(let transfer) in commands {
      transfer.finish(.failure(error))
    }
  }
}
