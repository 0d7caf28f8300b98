/// A positional argument of a command.
public struct ArgumentSpec: Sendable, Hashable {
  /// The name in help and in code: `NAME`.
  public var name: String
  /// A summary for `help COMMAND` on one line.
  public var help: String
  /// The kind, for checks and completion.
  public var kind: ValueKind
  /// Whether it may be omitted. Required arguments get their words first, then optional ones in
  /// order.
  public var isOptional: Bool
  /// Whether it takes all remaining words: at least one, unless it is optional. Only for the last
  /// argument.
  public var isRepeating: Bool

  /// Creates an argument, by default a required one for a single word.
  public init(
    _ name: String, _ help: String, kind: ValueKind = .text, optional: Bool = false,
    repeating: Bool = false
  ) {
    self.name = name
    self.help = help
    self.kind = kind
    isOptional = optional
    isRepeating = repeating
  }

  /// The argument in a synopsis: `NAME`, `[NAME]`, `NAME…`, or the words of a choice.
  package var synopsis: String {
    var text = name.uppercased()
    if case .choice(let words) = kind { text = words.joined(separator: "|") }
    if isRepeating { text += "..." }
    return isOptional ? "[\(text)]" : text
  }
}
