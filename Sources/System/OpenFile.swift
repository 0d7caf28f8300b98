import Synchronization

/// An open file or folder, closed with its last reference.
package final class OpenFile: Sendable {
  package let number: Int32
  /// The name under which it was opened.
  package let name: String
  private let isOpen = Atomic(true)

  /// Takes over a descriptor.
  package init(_ number: Int32, name: String) {
    self.number = number
    self.name = name
  }

  /// Closes the file once; -1 with `errno` where the system reports a late error of a write. Never
  /// repeated: the number may be another file's by then.
  @discardableResult
  package func close() -> Int {
    guard isOpen.exchange(false, ordering: .relaxed) else { return 0 }
    return Int(SwiftBoardSystem.close(number))
  }

  deinit { close() }
}
