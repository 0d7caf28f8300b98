import SwiftBoardJSON

/// A command's arguments and options, bound to their names.
///
/// A getter that throws names the offending word. The table has checked kinds, choices and counts
/// before a command is built, so the getters of a checked kind throw only where the spec says
/// another kind.
public struct Invocation: Sendable {
  /// The command's words: `["api", "get"]`.
  public let path: [String]
  /// The command's own options; those of the table are in `CommandMatch.globals`.
  public let options: OptionValues
  private let arguments: [String: [Argument]]
  private let head: Argument?

  init(
    path: [String], head: Argument?, arguments: [String: [Argument]], options: OptionValues
  ) {
    self.path = path
    self.head = head
    self.arguments = arguments
    self.options = options
  }

  /// The argument of that name, the first one of a repeating one.
  public func argument(_ name: String) -> Argument? { arguments[name]?.first }

  /// All words of a repeating argument.
  public func arguments(_ name: String) -> [Argument] { arguments[name] ?? [] }

  /// Whether a flag was given (and not as `--no-name`).
  public func flag(_ name: String) -> Bool { options.flag(name) ?? false }

  /// The value of an option, the last one given.
  public func option(_ name: String) -> Argument? { options.value(name) }

  /// Every value of a repeatable option, in order.
  public func options(_ name: String) -> [Argument] { options.all(name) }

  /// The option or argument of that name as text; a secret in it is refused.
  public func text(_ name: String) throws(UsageError) -> String? {
    guard let value = value(name) else { return nil }
    return try value.requiredText(named: label(name))
  }

  /// As `text(_:)`, for what must be there.
  public func requiredText(_ name: String) throws(UsageError) -> String {
    guard let text = try text(name) else { throw missing(name) }
    return text
  }

  /// An argument that must be there, secrets allowed.
  public func required(_ name: String) throws(UsageError) -> Argument {
    guard let value = value(name) else { throw missing(name) }
    return value
  }

  /// The option or argument of that name as a whole number within `range`.
  public func int(_ name: String, in range: ClosedRange<Int> = .min ... .max) throws(UsageError)
    -> Int?
  {
    guard let value = value(name) else { return nil }
    let number = try value.int(named: label(name))
    guard range.contains(number) else {
      let limits =
        range.upperBound == .max
        ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
      throw UsageError("\(label(name)) is \(limits), not \(number)", at: value)
    }
    return number
  }

  /// The option or argument of that name as a duration.
  public func duration(_ name: String) throws(UsageError) -> Duration? {
    guard let value = value(name) else { return nil }
    return try value.duration(named: label(name))
  }

  /// The option or argument of that name as JSON; what does not parse is malformed data (65).
  public func json(_ name: String) throws(UsageError) -> JSON? {
    guard let value = value(name) else { return nil }
    let text = try value.requiredText(named: label(name))
    do throws(JSONError) {
      return try JSON(parsing: text)
    } catch {
      throw UsageError(
        "\(label(name)) is not JSON: \(error.message)",
        help: "text is JSON in double quotes, for example '\"text\"'", at: value, code: 65)
    }
  }

  /// Refuses options that exclude each other.
  public func exclusive(_ names: String...) throws(UsageError) {
    let given = names.filter { options.value($0) != nil || options.flag($0) == true }
    if given.count > 1 {
      throw error("--\(given[0]) and --\(given[1]) exclude each other")
    }
  }

  /// An error that blames the command itself.
  public func error(_ message: String, help: String? = nil) -> UsageError {
    UsageError(message, help: help, at: head)
  }

  private func value(_ name: String) -> Argument? { options.value(name) ?? argument(name) }

  private func label(_ name: String) -> String {
    options.value(name) == nil ? name : "--\(name)"
  }

  private func missing(_ name: String) -> UsageError { error("\(name) is missing") }
}
