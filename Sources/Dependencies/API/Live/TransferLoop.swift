import CCurl
import SwiftBoardSystem
import Synchronization

/// The waiting and the active transfers, with the handles of libcurl. Used by the engine's thread
/// only.
///
/// libcurl gets only transfers that can start immediately. It could limit connections itself, but
/// transfers that it holds back may never start; see `advance()`.
final class TransferLoop {
  private let multi: CurlLibrary.Handle
  /// Wakes the thread, for as long as the loop exists.
  let alarm: TransferWakeUp
  private let library: CurlLibrary
  private let configuration: LiveAPIClient.Configuration
  private let onWait: (@Sendable (APIRequest) -> Void)?
  private let clock = ContinuousClock()
  private var transfers: [UInt64: Transfer] = [:]
  private var queue: AdmissionQueue
  /// A time before which no transfer in the queue reaches its deadline.
  private var earliestDeadline: ContinuousClock.Instant?
  private var ids: [CurlLibrary.Handle: UInt64] = [:]
  private var idle: [EasyHandle] = []
  /// Whether a transfer was added to libcurl since it last ran.
  private var hasBegun = false

  /// Creates a loop. Returns `nil` if libcurl cannot create a multi handle that can be woken.
  ///
  /// - Parameter onWait: Called with each request that waits for another one.
  init?(
    _ library: CurlLibrary, _ configuration: LiveAPIClient.Configuration,
    onWait: (@Sendable (APIRequest) -> Void)?
  ) {
    guard let multi = library.multiInit() else { return nil }
    // If too many files are open, libcurl creates a handle that nothing can wake. Requests would
    // wait on it for ever.
    guard library.multiWakeup(multi) == 0 else {
      _ = library.multiCleanup(multi)
      return nil
    }
    self.multi = multi
    alarm = TransferWakeUp(multi, library)
    self.library = library
    self.configuration = configuration
    self.onWait = onWait
    queue = AdmissionQueue(
      perHost: configuration.connectionsPerHost, inAll: configuration.connections)
    // The limit includes idle connections, which libcurl closes first. No more transfers than that
    // are started, so none waits for a connection.
    library.set(multi: multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, Self.limit(configuration.connections))
    library.set(multi: multi, CURLMOPT_MAXCONNECTS, Self.limit(configuration.connectionsPerHost))
  }

  /// Returns a limit that libcurl accepts. It would take 0 for no limit.
  private static func limit(_ count: Int) -> Int { min(max(1, count), Int(Int32.max)) }

  /// Frees the multi handle, which closes its connections and may block. Therefore it happens on
  /// the thread of the loop, and not on one that has just woken it.
  deinit {
    alarm.end()
    idle = []
    _ = library.multiCleanup(multi)
  }

  /// Whether `advance()` can start a transfer.
  var canBegin: Bool { queue.hasNext }

  /// Adds a transfer. `advance()` starts it as soon as the limits allow.
  func start(_ transfer: Transfer) {
    transfers[transfer.id] = transfer
    queue.add(transfer.id, host: transfer.address.origin)
    beginWhatMay()
    guard transfers[transfer.id] != nil, transfer.easy == nil else { return }
    transfer.waitsSince = clock.now
    if let deadline = transfer.deadline {
      earliestDeadline = earliestDeadline.map { min($0, deadline) } ?? deadline
    }
    onWait?(transfer.request)
  }

  /// Cancels a transfer. Ignores an id that has finished or has not been added; the task then
  /// cancels again, see `TransferEngine.perform`.
  func cancel(_ id: UInt64) {
    guard let transfer = transfers[id] else { return }
    let sent = transfer.easy.map { library.get($0.raw, CURLINFO_REQUEST_SIZE) } ?? 0
    finish(transfer, .failure(.cancelled(transfer.address, wasSent: transfer.wasSent && sent > 0)))
  }

  /// Resumes a transfer whose task has taken bytes from the download buffer or has more to send.
  func resume(_ id: UInt64) {
    guard let transfer = transfers[id], let easy = transfer.easy else { return }
    let code = easy.resume()
    // Nothing is lost if the transfer has no connection at this moment.
    guard code != CURLE_OK, code != CURLE_BAD_FUNCTION_ARGUMENT else { return }
    finish(transfer, .failure(transfer.failure(easy, code)))
  }

  /// Starts, sends and receives what is possible without waiting, and resumes the tasks whose
  /// responses are complete. O(active transfers).
  func advance() {
    giveUpWhoWaitedTooLong()
    beginWhatMay()
    var running: Int32 = 0
    _ = library.multiPerform(multi, &running)
    if hasBegun {
      // A transfer that connects advances libcurl's cached time. Timers of other transfers that
      // became due in the meantime, including "has more to read", then count as handled although
      // they are not, and nothing would wake this thread for them (at least libcurl 7.88 to 8.17).
      // A second call handles them.
      hasBegun = false
      _ = library.multiPerform(multi, &running)
    }
    var left: Int32 = 0
    while let message = library.multiRead(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle,
        let id = ids[raw], let transfer = transfers[id], let easy = transfer.easy
      else { continue }
      let code = message.pointee.data.result
      if code == CURLE_OK, transfer.overflow == nil, transfer.end() {
        let timing = easy.timing.shifted(by: transfer.waitedMicroseconds)
        finish(transfer, .success(transfer.answer(with: transfer.body, timing)))
      } else {
        finish(transfer, .failure(transfer.failure(easy, code)))
      }
    }
  }

  /// Waits for the network, a timer of libcurl, the deadline of a transfer in the queue or
  /// `curl_multi_wakeup`. An idle client wakes once an hour.
  func wait() {
    var milliseconds: Int64 = 3_600_000
    if let deadline = earliestDeadline {
      milliseconds = min(max(0, (deadline - clock.now).millisecondsRoundedUp), milliseconds)
    }
    _ = library.multiPoll(multi, nil, 0, Int32(milliseconds), nil)
  }

  /// Fails all transfers. The connections close with the loop.
  func end() {
    for transfer in transfers.values { finish(transfer, .failure(.stopped)) }
  }

  // MARK: The queue

  private func beginWhatMay() {
    while let id = queue.next() {
      if let transfer = transfers[id] { begin(transfer) }
    }
  }

  private func begin(_ transfer: Transfer) {
    let now = clock.now
    if let deadline = transfer.deadline, deadline <= now {
      return finish(
        transfer, .failure(.timeout(transfer.address.endpoint, transfer.request.timeout)))
    }
    guard let easy = idle.popLast() ?? EasyHandle(library) else {
      return finish(
        transfer,
        .failure(APIError(.io, "libcurl could not set up a transfer: out of memory?")))
    }
    transfer.endWait(at: now)
    easy.prepare(transfer, configuration, timeoutMilliseconds: transfer.millisecondsLeft(at: now))
    transfer.easy = easy
    ids[easy.raw] = transfer.id
    hasBegun = true
    guard library.multiAdd(multi, easy.raw) == 0 else {
      return finish(
        transfer, .failure(APIError(.io, "libcurl could not begin a transfer: out of memory?")))
    }
  }

  /// Fails the transfers whose deadline passed in the queue. O(1) until a deadline passes, then
  /// O(transfers).
  private func giveUpWhoWaitedTooLong() {
    let now = clock.now
    guard let earliest = earliestDeadline, earliest <= now else { return }
    earliestDeadline = nil
    for transfer in transfers.values where transfer.easy == nil {
      guard let deadline = transfer.deadline else { continue }
      if deadline <= now {
        finish(transfer, .failure(.timeout(transfer.address.endpoint, transfer.request.timeout)))
      } else {
        earliestDeadline = earliestDeadline.map { min($0, deadline) } ?? deadline
      }
    }
  }

  /// Ends a transfer. Removing the handle of an active transfer closes its connection immediately.
  /// A transfer that did not start has no connection.
  private func finish(_ transfer: Transfer, _ result: Result<Transfer.Answer, APIError>) {
    transfers[transfer.id] = nil
    queue.remove(transfer.id)
    if let easy = transfer.easy {
      _ = library.multiRemove(multi, easy.raw)
      ids[easy.raw] = nil
      transfer.easy = nil
      easy.release()
      if idle.count < Self.limit(configuration.connectionsPerHost) { idle.append(easy) }
    }
    library.listFree(transfer.headerList)
    transfer.headerList = nil
    transfer.finish(result)
  }
}

/// A way to wake the engine's thread from any other. Does nothing once the loop has ended.
final class TransferWakeUp: Sendable {
  // libcurl allows curl_multi_wakeup, and only it, from any thread for as long as the
  // handle lives. It never blocks, so it may be called under the lock that keeps the handle alive.
  private let multi: Mutex<UInt?>
  private let library: CurlLibrary

  fileprivate init(_ multi: CurlLibrary.Handle, _ library: CurlLibrary) {
    self.multi = Mutex(UInt(bitPattern: multi))
    self.library = library
  }

  /// Ends `TransferLoop.wait()`, or the next call of it.
  func ring() {
    multi.withLock { multi in
      if let multi { _ = library.multiWakeup(CurlLibrary.Handle(bitPattern: multi)) }
    }
  }

  fileprivate func end() { multi.withLock { $0 = nil } }
}
