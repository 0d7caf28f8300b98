import SwiftBoardStore

extension StoreIssue {
  /// Whether it is the same defect: it comes from the same source location and says the same,
  /// whatever the values in it.
  func isSame(as other: StoreIssue) -> Bool {
    location == other.location && failedEffect?.kind == other.failedEffect?.kind
      && failedEffect?.name == other.failedEffect?.name && outline == other.outline
  }

  /// The first sentence up to the first value, or what the effect threw; without numbers.
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
