import SwiftBoardSystem

/// The bodies of the last lines of a log, beginning with a step without a digest. Reuses its
/// memory, since every such step is kept.
struct UndigestedTail: Sendable {
  /// The chain before the first of the lines, or `nil` if the last step has a digest and nothing is
  /// kept.
  private(set) var before: HashChain?
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  /// Removes all lines. Keeps subsequent lines if `chain` is not `nil`.
  @inline(__always)
  mutating func begin(after chain: HashChain?) {
    if !ends.isEmpty {
      bytes.removeAll(keepingCapacity: true)
      ends.removeAll(keepingCapacity: true)
    }
    before = chain
  }

  mutating func add(_ body: UnsafeBufferPointer<UInt8>) {
    guard before != nil else { return }
    bytes.append(contentsOf: body)
    ends.append(bytes.count)
  }

  /// Adds the bodies of whole lines.
  mutating func add(lines: UnsafeBufferPointer<UInt8>) {
    var rest = lines
    while let feed = position(of: 0x0A, in: UnsafeRawBufferPointer(rest)) {
      add(UnsafeBufferPointer(rebasing: rest[..<max(0, feed - HashChain.tailLength)]))
      rest = UnsafeBufferPointer(rebasing: rest[(feed + 1)...])
    }
  }

  var bodies: [[UInt8]] {
    zip([0] + ends, ends).map { Array(bytes[$0..<$1]) }
  }
}
