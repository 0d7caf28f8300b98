import SwiftBoardJSON

/// The kind of an argument or of an option's value: it determines completion, and the check before
/// a command is built.
public enum ValueKind: Sendable, Hashable {
  /// Anything.
  case text
  /// A whole number; checked.
  case int
  /// `500ms`, `2s`, `5m`, `1h`; checked.
  case duration
  /// A way into a JSON value, `a.b[0].c`; checked.
  case path
  /// One of these words; checked.
  case choice([String])
  /// A file's name; not looked for before the command runs.
  case file
  /// A folder's name; not looked for before the command runs.
  case directory
  /// A service's name, as `api service` keeps them.
  case service
  /// A secret's name in the keychain; never its value.
  case secret
  /// A collection of documents.
  case collection
  /// A JSON text; checked when the command asks for it with `Invocation.json(_:)`.
  case json
  /// A request item, `key=text` and its kin.
  case item
  /// A condition: see `JSONCondition`.
  case expression
  /// A word of the command language, as `help` takes it.
  case command
  /// A job's number.
  case job
  /// A variable's name, without `$`.
  case variable
  /// A mark in a session.
  case mark

  /// What the checked kinds refuse.
  func check(_ argument: Argument, named name: String) throws(UsageError) {
    switch self {
    case .int: _ = try argument.int(named: name)
    case .duration: _ = try argument.duration(named: name)
    case .path: _ = try argument.jsonPath(named: name)
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
  /// The text of a position where a secret may not stand.
  func requiredText(named name: String) throws(UsageError) -> String {
    guard let text else {
      throw UsageError(
        "\(name) cannot hold a secret", help: "it would be stored and shown in the clear", at: self)
    }
    return text
  }

  func int(named name: String) throws(UsageError) -> Int {
    let text = try requiredText(named: name)
    guard let value = Int(text) else {
      throw UsageError("\(name) is a whole number, not '\(text)'", at: self)
    }
    return value
  }

  func duration(named name: String) throws(UsageError) -> Duration {
    let text = try requiredText(named: name)
    guard let value = DurationText.parse(text) else {
      let help =
        Double(text) == nil ? "for example 500ms, 2s, 5m or 1h" : "add a unit, for example \(text)s"
      throw UsageError("\(name) is a duration, not '\(text)'", help: help, at: self)
    }
    return value
  }

  func jsonPath(named name: String) throws(UsageError) -> JSONPath {
    let text = try requiredText(named: name)
    do throws(JSONPathError) {
      return try JSONPath(parsing: text)
    } catch {
      throw UsageError(
        "'\(text)' is no path: \(error.message)", help: "for example items[0].name", at: self)
    }
  }
}
