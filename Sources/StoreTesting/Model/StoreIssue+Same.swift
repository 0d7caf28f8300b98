import SwiftBoardStore

extension StoreIssue {
  /// Returns whether it is the same defect: an issue with the same source location and the same
  /// text, except for values.
  func isSame(as other: StoreIssue) -> Bool {
    location == other.location && failedEffect?.kind == other.failedEffect?.kind
      && failedEffect?.name == other.failedEffect?.name && outline == other.outline
  }

  /// The first sentence up to the first value, or the error of the effect, without numbers.
  private var outline: String {
    let text = errorText.map { $0[...] } ?? message.prefix { $0 != ":" && $0 != "\n" }
    let end = errorText == nil ? text.firstRange(of: ". ")?.lowerBound : nil
    var outline = ""
    for character in text[..<(end ?? text.endIndex)] {
      let isDigit = character.isWholeNumber
      if !isDigit || outline.last != "#" { outline.append(isDigit ? "#" : character) }
    }
    return outline
  }
}
