import Synchronization

/// Tells work on a thread of its own that nobody wants it any more.
final class CancelFlag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }

  func check() throws(CancellationError) {
    if isSet { throw CancellationError() }
  }
}
