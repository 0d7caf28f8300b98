import SwiftBoardCommandLine
import SwiftBoardDependencies

/// Finds secrets that were typed into a request's address or headers. What a line says becomes part of recordings, so a place that
/// holds a secret takes a name of the keychain, never a value. Members of a body are data, whatever their names.
enum LiteralSecrets {
  /// A value at such a place.
  struct Found: Equatable {
    /// What the place is called.
    var name: String
    /// What is to be written there.
    var form: String
  }

  /// What stands for a part of a word that was not typed.
  private static let inserted: Character = "\u{FFFC}"

  /// The first one in a command's words, of which the first is the command's own.
  ///
  /// What a variable or the last value puts in is data and not looked at; so is what follows in the same word.
  static func first(in words: [Argument]) -> Found? {
    guard let command = words.first?.text, command == "api" || command == "open" else { return nil }
    var isAuthentication = false
    for word in words.dropFirst() {
      let text = word.parts.map { part in
        if case .text(let text) = part { text } else { String(inserted) }
      }.joined()
      if isAuthentication || text.hasPrefix("--auth="), !text.contains(inserted) {
        return Found(name: "auth", form: "--auth header:NAME={{secret:NAME}}")
      }
      isAuthentication = text == "--auth"
      if word.typedCount == nil, let found = item(word) { return found }
      if let found = address(text) { return found }
    }
    return nil
  }

  private static func item(_ word: Argument) -> Found? {
    switch try? RequestItem.parse(word) {
    case .header(let name, let value) where SecretNames.isHeader(name) && isTyped(value):
      Found(name: name, form: "\(name):{{secret:NAME}}")
    case .query(let name, let value) where SecretNames.isQueryItem(name) && isTyped(value):
      Found(name: name, form: "\(name)=={{secret:NAME}}")
    default: nil
    }
  }

  private static func isTyped(_ value: SecretTemplate) -> Bool {
    value.secretNames.isEmpty && value.text != ""
  }

  /// A query item of an address, or the user part of one.
  private static func address(_ text: String) -> Found? {
    if let scheme = text.firstRange(of: "://"),
      let at = text[scheme.upperBound...].prefix(while: { !"/?#".contains($0) }).lastIndex(of: "@"),
      scheme.upperBound < at
    {
      return Found(name: "user", form: "--auth basic:USER:{{secret:NAME}}")
    }
    guard let question = text.firstIndex(of: "?") else { return nil }
    let query = text[text.index(after: question)...].prefix { $0 != "#" }
    for item in query.split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[1].isEmpty, !parts[1].contains(inserted),
        SecretNames.isQueryItem(parts[0])
      else { continue }
      return Found(name: String(parts[0]), form: "\(parts[0])=={{secret:NAME}}")
    }
    return nil
  }
}
