/// The arguments and options of a command, by name.
///
/// The table checks kinds, choices and counts before a command is built. A getter therefore throws
/// only if it asks for another kind than the spec. Its error names the offending word.
public struct Invocation: Sendable {
  /// The command's words: `["api", "get"]`.
  public let path: [String]
  /// The command's own options. The table's are in `CommandMatch.globals`.
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

  /// Returns the argument, or the first one of a repeating argument.
  public func argument(_ name: String) -> Argument? { arguments[name]?.first }

  /// Returns all words of a repeating argument.
  public func arguments(_ name: String) -> [Argument] { arguments[name] ?? [] }

  /// Returns whether a flag was given, and not as `--no-name`.
  public func flag(_ name: String) -> Bool { options.flag(name) ?? false }

  /// Returns the last value of an option.
  public func option(_ name: String) -> Argument? { options.value(name) }

  /// Returns every value of a repeatable option, in order.
  public func options(_ name: String) -> [Argument] { options.all(name) }

  /// Returns the text of an option or argument. Refuses a secret.
  public func text(_ name: String) throws(UsageError) -> String? {
    guard let value = value(name) else { return nil }
    return try value.requiredText(named: label(name))
  }

  /// Returns the text of a required option or argument. Refuses a secret.
  public func requiredText(_ name: String) throws(UsageError) -> String {
    guard let text = try text(name) else { throw missing(name) }
    return text
  }

  /// Returns the text of an option or argument that names something new. Refuses a
  /// secret and an empty text.
  public func name(_ name: String) throws(UsageError) -> String? {
    guard let text = try text(name) else { return nil }
    guard !text.isEmpty else {
      throw UsageError("\(label(name)) is empty", help: "an empty variable?", at: value(name))
    }
    return text
  }

  /// Returns the text of a required option or argument that names something new.
  /// Refuses a secret and an empty text.
  public func requiredName(_ name: String) throws(UsageError) -> String {
    guard let text = try self.name(name) else { throw missing(name) }
    return text
  }

  /// Returns the name of a required file. Refuses a secret, an empty text, and `-`, which elsewhere
  /// is standard input or output.
  ///
  /// - Parameter more: What the help says besides.
  package func requiredFile(
    _ name: String, _ more: String = ""
  ) throws(UsageError) -> String {
    let file = try requiredName(name)
    guard file != "-" else {
      throw UsageError(
        "'\(path.joined(separator: " "))' takes the name of a file, not '-'",
        help: "'./-' is a file of that name\(more)", at: value(name))
    }
    return file
  }

  /// Returns a required option or argument, which may contain secrets.
  public func required(_ name: String) throws(UsageError) -> Argument {
    guard let value = value(name) else { throw missing(name) }
    return value
  }

  /// Returns an option or argument as an integer within `range`.
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

  /// Returns a required option or argument as an integer within `range`.
  package func requiredInt(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
    guard let number = try int(name, in: range) else { throw missing(name) }
    return number
  }

  /// Returns an option or argument as a duration.
  public func duration(_ name: String) throws(UsageError) -> Duration? {
    guard let value = value(name) else { return nil }
    return try value.duration(named: label(name))
  }

  /// Returns a required option or argument as a duration.
  package func requiredDuration(_ name: String) throws(UsageError) -> Duration {
    guard let duration = try duration(name) else { throw missing(name) }
    return duration
  }

  /// Returns the value of a required choice. Its spec permits no other texts than `choice` accepts.
  package func requiredChoice<Choice>(
    _ name: String, as choice: (String) -> Choice?
  ) throws(UsageError) -> Choice {
    guard let value = choice(try requiredText(name)) else { throw missing(name) }
    return value
  }

  /// Throws if more than one of the options was given.
  public func exclusive(_ names: String...) throws(UsageError) {
    let given = names.filter { options.value($0) != nil || options.flag($0) == true }
    if given.count > 1 {
      throw error("--\(given[0]) and --\(given[1]) exclude each other")
    }
  }

  /// Returns an error that refers to the command itself.
  public func error(_ message: String, help: String? = nil) -> UsageError {
    UsageError(message, help: help, at: head)
  }

  private func value(_ name: String) -> Argument? { options.value(name) ?? argument(name) }

  private func label(_ name: String) -> String {
    options.value(name) == nil ? name : "--\(name)"
  }

  private func missing(_ name: String) -> UsageError { error("\(name) is missing") }
}
