import SwiftBoardJSON

/// A line on standard error beside results and failures.
package enum NoteReport {
  /// Returns the line for a program: `{"line":3,"note":"…"}`, or `"warning"` in place of `"note"`.
  ///
  /// - Parameter line: The number of the line that it is about, from 1, or 0 for none.
  package static func json(_ text: String, line: Int, isWarning: Bool = false) -> StyledText {
    let object: JSON = [
      "line": JSON(line), isWarning ? "warning" : "note": .string(text),
    ]
    return StyledText(escapeReplacements(object.description, isJSON: true) + "\n")
  }
}
