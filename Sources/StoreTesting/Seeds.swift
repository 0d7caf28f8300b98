/// The seeds of a test, and how to run one of them alone.
package struct Seeds {
  let all: ClosedRange<UInt64>
  /// The one that was asked for.
  package let only: UInt64?

  /// - Parameters:
  ///   - text: What the environment says.
  ///   - complain: Receives a text that is no seed.
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

  /// What to do to see a failure again.
  static func advice(_ seed: UInt64, _ call: String) -> String {
    "To run this seed alone: \(call)(seeds: \(seed)...\(seed)), or \(seedVariable)=\(seed) "
      + "in the environment."
  }
}
