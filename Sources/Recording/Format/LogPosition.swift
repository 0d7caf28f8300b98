/// A position between two lines of a log, with all that a reader needs to check the lines after it.
///
/// A reader that begins at such a position checks every line like a reader that began at the first
/// line. A value takes about 150 bytes and is only valid for the file it was taken from.
package struct LogPosition: Sendable {
  /// The offset of the next line, in bytes from 0.
  package let offset: Int
  /// The number of the previous line from 1, or 0 at the beginning.
  package let line: Int
  /// The number of the previous step, or 0 before the first.
  package var step: Int { validator.step }

  let chain: HashChain
  let validator: LogValidator

  /// The sum of the previous line, or `nil` at the beginning.
  package var sum: Digest? { chain.previous }
}
