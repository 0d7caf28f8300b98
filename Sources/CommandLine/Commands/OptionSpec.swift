/// An option: `--name`, perhaps `-n`, with or without a value.
public struct OptionSpec: Sendable, Hashable {
  /// Without the dashes: `timeout`.
  public var name: String
  /// One letter or digit for `-t`.
  public var short: Character?
  /// What stands for the value in help, `DUR`; `nil` for a flag.
  public var value: String?
  /// One line for help, without a full stop.
  public var help: String
  /// The kind for checks and for completion; `text` for a flag.
  public var kind: ValueKind
  /// Every value is kept; of other options the last one counts.
  public var isRepeatable: Bool
  /// A flag that `--no-name` turns off.
  public var isNegatable: Bool

  /// An option with a value.
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

  /// A flag.
  public init(flag name: String, short: Character? = nil, _ help: String, negatable: Bool = false) {
    self.name = name
    self.short = short
    self.help = help
    kind = .text
    isRepeatable = false
    isNegatable = negatable
  }

  /// Whether it takes no value.
  var isFlag: Bool { value == nil }

  /// The value as help shows it.
  var placeholder: String? {
    guard let value else { return nil }
    if case .choice(let words) = kind { return words.joined(separator: "|") }
    return value
  }

  /// `--timeout DUR`.
  var synopsis: String {
    let dashes = isNegatable ? "--[no-]\(name)" : "--\(name)"
    return placeholder.map { "\(dashes) \($0)" } ?? dashes
  }

  /// Every spelling, as completion and suggestions offer them.
  var spellings: [String] {
    ["--\(name)"] + (isNegatable ? ["--no-\(name)"] : [])
  }
}

/// The options given with a command, by name.
public struct OptionValues: Sendable, Hashable {
  private var values: [String: [Argument]] = [:]
  private var flags: [String: Bool] = [:]

  /// No options.
  public init() {}

  /// Whether none was given.
  public var isEmpty: Bool { values.isEmpty && flags.isEmpty }

  /// The last value given, if any.
  public func value(_ name: String) -> Argument? { values[name]?.last }

  /// Every value given, in order.
  public func all(_ name: String) -> [Argument] { values[name] ?? [] }

  /// Whether the flag was given: `false` for `--no-name`, `nil` if neither was.
  public func flag(_ name: String) -> Bool? { flags[name] }

  mutating func add(_ value: Argument, for option: OptionSpec) {
    if option.isRepeatable {
      values[option.name, default: []].append(value)
    } else {
      values[option.name] = [value]
    }
  }

  mutating func set(_ flag: Bool, for option: OptionSpec) { flags[option.name] = flag }
}
