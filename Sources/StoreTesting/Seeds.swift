/// The seeds of a test, or a single requested one.
package struct Seeds {
  let all: ClosedRange<UInt64>
  /// The single seed that was requested, if any.
  package let only: UInt64?

  /// Creates the seeds of a test. A valid seed in `text` replaces all others.
  ///
  /// - Parameters:
  ///   - text: The value of the environment variable.
  ///   - complain: Receives a text that is not a seed.
  package init(_ all: ClosedRange<UInt64>, environment text: String?, complain: (String) -> Void) {
    self.all = all
    guard let text, !text.isEmpty else {
      only = nil
      return
    }
    only = UInt64(text)
    if only == nil {
      complain("The environment variable \(seedVariable) has to be a number, and is “\(text)”.")
    }
  }

  /// The seeds to run, in order.
  package var toRun: ClosedRange<UInt64> { only.map { $0...$0 } ?? all }

  /// Returns instructions to reproduce a failure.
  static func advice(_ seed: UInt64, _ call: String) -> String {
    "To run this seed alone: \(call)(seeds: \(seed)...\(seed)), or \(seedVariable)=\(seed) "
      + "in the environment."
  }
}
