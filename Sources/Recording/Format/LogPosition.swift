/// A position between two lines of a log, with everything that a reader must know about the lines
/// before it to check the lines after it.
///
/// A reader that begins at such a position judges every line as one that came from the front does.
/// A value takes about 150 bytes and belongs to the file it was taken from.
package struct LogPosition: Sendable {
  /// The offset at which the next line begins, in bytes from 0.
  package let offset: Int
  /// The number of the line before, from 1; 0 at the beginning.
  package let line: Int
  /// The last step before, 0 before the first.
  package var step: Int { rules.step }

  let chain: HashChain
  let rules: LogRules

  /// The sum of the line before; nil at the beginning.
  package var sum: Digest? { chain.previous }
}
