import CCurl

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The transfers under way and the handles of libcurl. Lives on the engine's thread alone.
final class TransferLoop {
  private let multi: CurlLibrary.Handle
  private let library: CurlLibrary
  private let configuration: LiveAPIClient.Configuration
  private var active: [UInt64: Transfer] = [:]
  private var ids: [CurlLibrary.Handle: UInt64] = [:]
  private var idle: [EasyHandle] = []
  private let clock = ContinuousClock()

  init?(_ library: CurlLibrary, _ configuration: LiveAPIClient.Configuration) {
    guard let multi = library.multiInit() else { return nil }
    self.multi = multi
    self.library = library
    self.configuration = configuration
    library.set(multi: multi, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.connectionsPerHost)
    library.set(multi: multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, configuration.connections)
    library.set(multi: multi, CURLMOPT_MAXCONNECTS, configuration.connectionsPerHost)
  }

  /// Ends `wait()`, from any thread. Not to be used after `end()`.
  var alarm: Alarm { Alarm(multi: multi, wakeUp: library.multiWakeup) }

  func start(_ transfer: Transfer) {
    guard let easy = idle.popLast() ?? EasyHandle(library) else {
      transfer.continuation.resume(
        returning: .failure(APIError(.io, "libcurl could not set up a transfer: out of memory?")))
      return
    }
    easy.prepare(transfer, configuration)
    transfer.easy = easy
    active[transfer.id] = transfer
    ids[easy.raw] = transfer.id
    guard library.multiAdd(multi, easy.raw) == 0 else {
      finish(
        transfer, .failure(APIError(.io, "libcurl could not begin a transfer: out of memory?")))
      return
    }
  }

  /// Nothing happens for an id that has finished or has not begun: the task then cancels again, see
  /// `TransferEngine.perform`.
  func cancel(_ id: UInt64) {
    guard let transfer = active[id] else { return }
    finish(transfer, .failure(.cancelled(transfer.address)))
  }

  /// Sends and receives what can be without waiting, and resumes the tasks whose answer is there. O(transfers).
  ///
  /// True where a task was resumed.
  func advance() -> Bool {
    var hasFinished = false
    var running: Int32 = 0
    _ = library.multiPerform(multi, &running)
    var left: Int32 = 0
    while let message = library.multiRead(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle,
        let id = ids[raw], let transfer = active[id], let easy = transfer.easy
      else { continue }
      let code = message.pointee.data.result
      hasFinished = true
      if code == CURLE_OK {
        finish(
          transfer,
          .success(
            Transfer.Answer(head: transfer.head, body: transfer.body, timing: easy.timing)))
      } else {
        finish(transfer, .failure(.transfer(transfer, easy, code)))
      }
    }
    return hasFinished
  }

  /// Waits for the network, a timer of libcurl or `curl_multi_wakeup`. An idle client wakes once an hour, one with transfers each
  /// second: see `nudge`.
  func wait() {
    let start = clock.now
    _ = library.multiPoll(multi, nil, 0, active.isEmpty ? 3_600_000 : 1000, nil)
    if !active.isEmpty, clock.now - start >= .milliseconds(900) { nudge() }
  }

  /// Lets libcurl look at the transfers that wait for a connection. It wakes one of them when another ends, and where that one finds none
  /// after all, nobody wakes the rest; removing a handle does.
  private func nudge() {
    guard let spare = idle.popLast() ?? EasyHandle(library) else { return }
    if library.multiAdd(multi, spare.raw) == 0 { _ = library.multiRemove(multi, spare.raw) }
    idle.append(spare)
  }

  /// Frees everything; what is under way fails.
  func end() {
    for transfer in active.values { finish(transfer, .failure(.stopped)) }
    idle = []
    _ = library.multiCleanup(multi)
  }

  /// Removing a handle in mid transfer closes its connection at once.
  private func finish(_ transfer: Transfer, _ result: Result<Transfer.Answer, APIError>) {
    active[transfer.id] = nil
    if let easy = transfer.easy {
      _ = library.multiRemove(multi, easy.raw)
      ids[easy.raw] = nil
      transfer.easy = nil
      easy.release()
      if idle.count < configuration.connectionsPerHost { idle.append(easy) }
    }
    library.listFree(transfer.headerList)
    transfer.headerList = nil
    transfer.continuation.resume(returning: result)
  }
}

/// Wakes the engine's thread.
struct Alarm: @unchecked Sendable {
  // Unchecked: libcurl allows curl_multi_wakeup, and only it, from any thread for as long as the handle lives. The engine's
  // inbox forgets the alarm under its lock before the handle is freed.
  fileprivate let multi: CurlLibrary.Handle
  fileprivate let wakeUp: @convention(c) (CurlLibrary.Handle?) -> Int32

  func ring() { _ = wakeUp(multi) }
}

/// A thread that takes no signal of the program: handlers run elsewhere, and writing to a closed TLS connection is an
/// error, not SIGPIPE.
enum TransferThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// False where the system gives no thread.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let raw = Unmanaged.passRetained(Body(body)).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(&thread, nil, { TransferThread.enter($0) }, raw)
      if code == 0, let thread { pthread_detach(thread) }
    #else
      var thread = pthread_t()
      let code = pthread_create(&thread, nil, { TransferThread.enter($0) }, raw)
      if code == 0 { pthread_detach(thread) }
    #endif
    if code != 0 { Unmanaged<Body>.fromOpaque(raw).release() }
    return code == 0
  }

  private static func enter(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let raw else { return nil }
    var signals = sigset_t()
    sigfillset(&signals)
    for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&signals, fault) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run()
    return nil
  }
}
