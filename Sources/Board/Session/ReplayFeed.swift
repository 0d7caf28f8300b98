import Dispatch
import Synchronization

/// A bounded queue from a blocking thread to a task. The producer blocks while the feed is full, so
/// memory holds only a few items.
///
/// For one producer and one consumer.
final class ReplayFeed<Item: Sendable>: Sendable {
  private struct Shared {
    var items: [Item] = []
    var isFinished = false
    var isClosed = false
    var hasBegun = false
    var waiting: CheckedContinuation<Item?, Never>?
  }

  private let shared = Mutex(Shared())
  private let room: DispatchSemaphore

  init(capacity: Int = 4) {
    // A semaphore created with its capacity may not be released while its value is lower.
    room = DispatchSemaphore(value: 0)
    for _ in 0..<capacity { room.signal() }
  }

  /// Whether the consumer has closed the feed.
  var isClosed: Bool { shared.withLock { $0.isClosed } }

  /// Whether an item was put in.
  var hasBegun: Bool { shared.withLock { $0.hasBegun } }

  /// Blocks while the feed is full; does nothing once it is closed.
  func put(_ item: Item) {
    guard !isClosed else { return }
    room.wait()
    let waiting = shared.withLock { shared -> CheckedContinuation<Item?, Never>? in
      shared.hasBegun = true
      if let waiting = shared.waiting.take() { return waiting }
      if !shared.isClosed { shared.items.append(item) }
      return nil
    }
    guard let waiting else { return }
    room.signal()
    waiting.resume(returning: item)
  }

  /// Marks the end of the items.
  func finish() {
    shared.withLock { shared in
      shared.isFinished = true
      return shared.waiting.take()
    }?.resume(returning: nil)
  }

  /// Returns the next item, or `nil` at the end or after the feed was closed.
  func next() async -> Item? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (item, isDue) = shared.withLock { shared -> (Item?, Bool) in
          if shared.isClosed { return (nil, true) }
          if !shared.items.isEmpty { return (shared.items.removeFirst(), true) }
          if shared.isFinished { return (nil, true) }
          shared.waiting = continuation
          return (nil, false)
        }
        if item != nil { room.signal() }
        if isDue { continuation.resume(returning: item) }
      }
    } onCancel: {
      close()
    }
  }

  /// Closes the feed and resumes both the producer and the consumer.
  func close() {
    let waiting = shared.withLock { shared -> CheckedContinuation<Item?, Never>? in
      shared.isClosed = true
      shared.items = []
      return shared.waiting.take()
    }
    room.signal()
    waiting?.resume(returning: nil)
  }
}
