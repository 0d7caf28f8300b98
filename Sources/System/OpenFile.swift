import Synchronization

/// An open file or folder, which is closed with its last reference.
package final class OpenFile: Sendable {
  package let number: Int32
  /// The name with which it was opened.
  package let name: String
  private let isOpen = Atomic(true)

  /// Creates an open file that owns the descriptor.
  package init(_ number: Int32, name: String) {
    self.number = number
    self.name = name
  }

  /// Closes the file once. Returns -1 with `errno` if the system reports a late write error. The
  /// call is never repeated, since the number may then belong to another file.
  @discardableResult
  package func close() -> Int {
    guard isOpen.exchange(false, ordering: .relaxed) else { return 0 }
    return Int(SwiftBoardSystem.close(number))
  }

  deinit { close() }
}
