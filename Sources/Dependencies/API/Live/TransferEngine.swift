import SwiftBoardSystem
import Synchronization

/// The engine that runs transfers on its own thread, which owns libcurl's multi handle.
///
/// Tasks add commands to the inbox and wake the thread. The thread resumes them outside any lock.
/// It starts with the first transfer and ends after `stop()`. The thread retains the engine, and
/// the engine does not retain the client, so that releasing the client ends both.
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
    /// Wakes the thread; `nil` while that is impossible.
    var alarm: TransferWakeUp?
    /// Whether the thread will check the inbox before it sleeps. Set from the first wake-up on.
    var isAwake = true
    var lastID: UInt64 = 0

    /// Returns the alarm to ring once the lock is released, or `nil` if the thread is awake. Rung
    /// under the lock, it would wake the thread only to wait for the lock.
    mutating func takeAlarm() -> TransferWakeUp? {
      guard let alarm, !isAwake else { return nil }
      isAwake = true
      return alarm
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

  /// Creates an engine. The parameters `onWait` and `onEnd` are for tests.
  ///
  /// - Parameters:
  ///   - configuration: The settings for all transfers.
  ///   - onWait: Called on the thread with each request that waits for another one.
  ///   - onEnd: Called on the thread as its last action.
  init(
    configuration: LiveAPIClient.Configuration, onWait: (@Sendable (APIRequest) -> Void)? = nil,
    onEnd: (@Sendable () -> Void)? = nil
  ) {
    self.configuration = configuration
    self.onWait = onWait
    self.onEnd = onEnd
  }

  // MARK: From any task

  /// Returns a unique id for a transfer.
  func makeID() -> UInt64 {
    inbox.withLock { inbox in
      inbox.lastID += 1
      return inbox.lastID
    }
  }

  /// Sends one request and waits for its response or, with `download`, for the head of the
  /// response. Does not follow redirects.
  func perform(
    _ request: APIRequest, to address: URLBuilder, deadline: ContinuousClock.Instant?,
    id: UInt64? = nil, download: DownloadPipe? = nil
  ) async -> Result<Transfer.Answer, APIError> {
    let id = id ?? makeID()
    let proxy = configuration.proxies.proxy(for: address, request.connection)
    if let error = proxy?.addressError { return .failure(error) }
    let upload = request.method == "HEAD" ? nil : request.upload.map(UploadPipe.init)
    // Ends with the transfer, which closes the pipe.
    upload?.start { self.post(.resume(id)) }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        start(
          Transfer(
            id: id, request: request, address: address,
            proxy: proxy, deadline: deadline, download: download, upload: upload,
            continuation: continuation))
        // The handler may have run before the transfer was added. Its command then had no effect.
        if Task.isCancelled { post(.cancel(id)) }
      }
    } onCancel: {
      post(.cancel(id))
    }
  }

  /// Starts the thread, which loads libcurl, before the first transfer.
  func prepare() {
    let phase = inbox.withLock { inbox in
      defer { if inbox.phase == .idle { inbox.phase = .running } }
      return inbox.phase
    }
    if phase == .idle { startThread() }
  }

  private func start(_ transfer: Transfer) {
    let (phase, alarm) = inbox.withLock { inbox in
      let phase = inbox.phase
      if phase == .stopped { return (phase, nil as TransferWakeUp?) }
      inbox.commands.append(.start(transfer))
      inbox.phase = .running
      return (phase, inbox.takeAlarm())
    }
    alarm?.ring()
    if phase == .stopped {
      transfer.finish(.failure(.stopped))
    } else if phase == .idle {
      startThread()
    }
  }

  private func startThread() {
    guard !DetachedThread.start(blocksSignals: true, { self.run() }) else { return }
    refuseAll(APIError(.io, "no thread for HTTP could be started: too many threads run already"))
  }

  /// Adds a command and wakes the thread. Does nothing else, because it runs inside
  /// `Task.cancel()`, which may hold the lock of the task.
  func post(_ command: Command) {
    let alarm = inbox.withLock { inbox -> TransferWakeUp? in
      guard inbox.phase == .running else { return nil }
      inbox.commands.append(command)
      return inbox.takeAlarm()
    }
    alarm?.ring()
  }

  /// Ends the thread without waiting for it, because a client may be released on any thread.
  func stop() {
    let alarm = inbox.withLock { inbox in
      inbox.phase = .stopped
      return inbox.takeAlarm()
    }
    alarm?.ring()
  }

  // MARK: On the thread

  private func run() {
    defer { onEnd?() }
    let loop: TransferLoop
    switch CurlLibrary.loaded {
    case .failure(let error): return refuseAll(error)
    case .success(let library):
      guard let made = TransferLoop(library, configuration, onWait: onWait) else {
        return refuseAll(
          APIError(
            .io, "libcurl could not be set up: memory is short, or too many files are open"))
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

  /// Prepares to sleep. Returns false if there are more commands.
  ///
  /// Yielding here to tasks that have just received a response and may send the next request would
  /// save 20 % of the time on an idle machine. On a busy machine, each yield would give up the core
  /// for as long as other threads use it.
  private func goesToSleep() -> Bool {
    inbox.withLock { inbox in
      guard inbox.commands.isEmpty, inbox.phase == .running else { return false }
      inbox.isAwake = false
      return true
    }
  }

  /// Fails the waiting requests. The engine can then be started again.
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
