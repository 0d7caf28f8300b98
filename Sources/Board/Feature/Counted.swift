/// Formats a number with a noun.
package enum Counted {
  /// Returns, for example, `1 step` or `2 steps`.
  ///
  /// - Parameter plural: The plural of the noun, if it is not formed with an s.
  package static func text(
    _ number: some BinaryInteger, _ noun: String, plural: String? = nil
  ) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
  }
}
