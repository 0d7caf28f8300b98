/// An option: `--name`, optionally `-n`, with or without a value.
public struct OptionSpec: Sendable, Hashable {
  /// The name without dashes: `timeout`.
  public var name: String
  /// The letter or digit of the short form `-t`.
  public var short: Character?
  /// The placeholder of the value in help, such as `DUR`, or `nil` for a flag.
  public var value: String?
  /// A summary for help on one line, without a full stop.
  public var help: String
  /// The kind, for checks and completion. A flag has `text`.
  public var kind: ValueKind
  /// Whether every value is kept. Otherwise, the last value counts.
  public var isRepeatable: Bool
  /// Whether `--no-name` turns the flag off.
  public var isNegatable: Bool

  /// Creates an option with a value.
  public init(
    _ name: String, short: Character? = nil, value: String, _ help: String,
    kind: ValueKind = .text, repeatable: Bool = false
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.help = help
    self.kind = kind
    isRepeatable = repeatable
    isNegatable = false
  }

  /// Creates a flag.
  public init(flag name: String, short: Character? = nil, _ help: String, negatable: Bool = false) {
    self.name = name
    self.short = short
    self.help = help
    kind = .text
    isRepeatable = false
    isNegatable = negatable
  }

  /// Whether it takes no value.
  package var isFlag: Bool { value == nil }

  /// The placeholder of the value in help.
  var placeholder: String? {
    guard let value else { return nil }
    if case .choice(let words) = kind { return words.joined(separator: "|") }
    return value
  }

  /// The option in a synopsis: `--timeout DUR`.
  package var synopsis: String {
    let dashes = isNegatable ? "--[no-]\(name)" : "--\(name)"
    return placeholder.map { "\(dashes) \($0)" } ?? dashes
  }

  /// All spellings, for completion and suggestions.
  package var spellings: [String] {
    ["--\(name)"] + (isNegatable ? ["--no-\(name)"] : [])
  }
}

/// The options given with a command, by name.
public struct OptionValues: Sendable, Hashable {
  private var values: [String: [Argument]] = [:]
  private var flags: [String: Bool] = [:]
  /// The names in the order given, the last time counting.
  package private(set) var names: [String] = []

  /// Whether no option was given.
  public var isEmpty: Bool { values.isEmpty && flags.isEmpty }

  /// Returns the last value given, if any.
  public func value(_ name: String) -> Argument? { values[name]?.last }

  /// Returns all values given, in order.
  public func all(_ name: String) -> [Argument] { values[name] ?? [] }

  /// Returns `true` if the flag was given, `false` for `--no-name`, or `nil` if neither was.
  public func flag(_ name: String) -> Bool? { flags[name] }

  mutating func add(_ value: Argument, for option: OptionSpec) {
    note(option)
    if option.isRepeatable {
      values[option.name, default: []].append(value)
    } else {
      values[option.name] = [value]
    }
  }

  mutating func set(_ flag: Bool, for option: OptionSpec) {
    note(option)
    flags[option.name] = flag
  }

  private mutating func note(_ option: OptionSpec) {
    names.removeAll { $0 == option.name }
    names.append(option.name)
  }
}
