import Synchronization

/// A flag that asks work on another thread to stop, because its result is no longer needed.
final class CancelFlag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }

  func check() throws(CancellationError) {
    if isSet { throw CancellationError() }
  }
}
