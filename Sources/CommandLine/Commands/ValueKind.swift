import SwiftBoardJSON

/// The kind of an argument or of an option's value. It determines the completion and the checks
/// before a command is built.
public enum ValueKind: Sendable, Hashable {
  /// Any text.
  case text
  /// A text that begins with one of these in most cases. They are completed, and not checked.
  case prefix([String])
  /// An integer; checked.
  case int
  /// A duration, `500ms`, `2s`, `5m`, `1h`; checked.
  case duration
  /// A path in a JSON value, `a.b[0].c`; checked.
  case path
  /// One of these words; checked.
  case choice([String])
  /// A file name. The file is not looked up before the command runs.
  case file
  /// A folder name. The folder is not looked up before the command runs.
  case directory
  /// The name of a secret in the keychain, never its value.
  case secret
  /// A JSON text.
  case json
  /// A value with a name, such as `key=text`, or `key@FILE` for that of a file.
  case item
  /// A query item `name==text` with one of these names.
  case query([String])
  /// A condition: see `JSONCondition`.
  case expression
  /// A command, as an argument of `help`.
  case command
  /// The name of a variable, without `$`.
  case variable
  /// One of the things that a feature knows, such as the name of a service. The text is the
  /// feature's word for it.
  case entity(String)

  /// Whether a word of it is an item.
  var isItem: Bool {
    switch self {
    case .item, .query: true
    default: false
    }
  }

  /// Returns the argument, of which only a file's name may begin with the user's home.
  func expanded(_ argument: Argument) -> Argument {
    self == .file || self == .directory ? argument.expandingHome() : argument
  }

  /// Throws if the argument is invalid for a checked kind.
  package func check(_ argument: Argument, named name: String) throws(UsageError) {
    switch self {
    case .int: _ = try argument.int(named: name)
    case .duration: _ = try argument.duration(named: name)
    case .path:
      guard argument.text != "" else {
        throw UsageError("\(name) is empty", help: "an empty variable?", at: argument)
      }
      _ = try argument.jsonPath(named: name)
    case .choice(let words):
      let text = try argument.requiredText(named: name)
      guard !words.contains(text) else { return }
      throw UsageError(
        "\(name) is one of \(words.joined(separator: ", ")), not '\(text)'",
        help: Suggestion.advice(for: text, among: words), at: argument)
    default: break
    }
  }
}

extension Argument {
  /// Returns the text, or throws if it contains a secret.
  package func requiredText(named name: String) throws(UsageError) -> String {
    guard let text else {
      throw UsageError(
        "\(name) cannot hold a secret", help: "it would be stored and shown in the clear", at: self)
    }
    return text
  }

  func int(named name: String) throws(UsageError) -> Int {
    let text = try requiredText(named: name)
    if let value = Int(text) { return value }
    let digits = text.first.map { "+-".contains($0) } == true ? text.dropFirst() : text[...]
    guard digits.isEmpty || digits.utf8.contains(where: { !(0x30...0x39).contains($0) }) else {
      let problem = text.hasPrefix("-") ? "small" : "large"
      throw UsageError("\(name) is too \(problem): '\(text)'", at: self)
    }
    throw UsageError("\(name) is a whole number, not '\(text)'", at: self)
  }

  package func duration(named name: String) throws(UsageError) -> Duration {
    let text = try requiredText(named: name)
    guard let value = DurationText.parse(text) else {
      if DurationText.isTooLong(text) {
        throw UsageError("\(name) is at most about 290 years, not '\(text)'", at: self)
      }
      // 0 with a unit is too little for most. A number may also be a word, such as 'inf'.
      let isCount =
        text.allSatisfy { $0 == "." || ("0"..."9").contains($0) }
        && Double(text).map { $0 > 0 } == true
      let help = isCount ? "add a unit, for example \(text)s" : "for example 500ms, 2s, 5m or 1h"
      throw UsageError("\(name) is a duration, not '\(text)'", help: help, at: self)
    }
    return value
  }

  /// Returns the time limit of a request, which is at least a millisecond.
  package func timeLimit(named name: String) throws(UsageError) -> Duration {
    let limit = try duration(named: name)
    guard limit >= .milliseconds(1) else {
      throw UsageError(
        "\(name) is at least 1ms, not '\(text ?? "")'",
        help:
          "0 is not 'no limit': leave it out for the usual limit, or give a long one, such as 24h",
        at: self)
    }
    return limit
  }

  func jsonPath(named name: String) throws(UsageError) -> JSONPath {
    let text = try requiredText(named: name)
    do throws(JSONPathError) {
      return try JSONPath(parsing: text)
    } catch {
      throw UsageError(
        "'\(text)' is not a path: \(error.message)", help: "for example items[0].name", at: self)
    }
  }
}
