import Dispatch
import SwiftBoardDependencies

/// Holds threads until it is opened.
final class ThreadGate: Sendable {
  private let opened = DispatchSemaphore(value: 0)
  private let arrived = DispatchSemaphore(value: 0)

  /// Waits until the gate is open.
  func pass() {
    arrived.signal()
    opened.wait()
    opened.signal()
  }

  func waitUntilSomeoneWaits() { arrived.wait() }

  func open() { opened.signal() }
}
