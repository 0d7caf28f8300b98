/// A limit for the stack use of a recursion that depends on the nesting of a file.
///
/// `Codable` recurses through user code with frames of unknown size, and threads have as little as
/// 512 KiB, so limiting the number of levels is not enough. The budget is the same on every thread,
/// so that all threads can read the same files.
struct StackBudget {
  private static let budget = 384 * 1024

  /// The number of running levels.
  private(set) var depth = 0
  private var start = 0

  /// Enters a level. Returns `false` if the stack is too small.
  @inline(__always)
  mutating func enter() -> Bool {
    var here: UInt8 = 0
    let position = withUnsafeMutablePointer(to: &here) { Int(bitPattern: $0) }
    depth += 1
    if depth == 1 { start = position }
    return start - position < Self.budget
  }

  @inline(__always)
  mutating func exit() { depth -= 1 }
}
