/// How much stack a recursion that a file's nesting drives has used.
///
/// `Codable` recurses through code of others, whose frames have no size that could be known, and
/// threads have as little as 512 KiB: a count of levels alone is no bound. The same budget holds on
/// every thread, so that what one thread reads another reads as well.
struct StackBudget {
  private static let budget = 384 * 1024

  /// Levels that are running.
  private(set) var depth = 0
  private var start = 0

  /// Counts one more level; false if the stack is too small for it.
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
