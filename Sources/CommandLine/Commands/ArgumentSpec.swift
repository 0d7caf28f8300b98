/// A positional argument of a command.
public struct ArgumentSpec: Sendable, Hashable {
  /// As shown in help and asked for in code: `NAME`.
  public var name: String
  /// One line for `help COMMAND`.
  public var help: String
  /// The kind for checks and for completion.
  public var kind: ValueKind
  /// Whether it may be left out: what must be there gets its words first, then optional ones in
  /// their order.
  public var isOptional: Bool
  /// Takes all that is left; only for the last argument. At least one word, unless it is optional.
  public var isRepeating: Bool

  /// An argument that must be there once, unless it says otherwise.
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

  /// `NAME`, `[NAME]`, `NAME…`; choices by their words.
  var synopsis: String {
    var text = name.uppercased()
    if case .choice(let words) = kind { text = words.joined(separator: "|") }
    if isRepeating { text += "..." }
    return isOptional ? "[\(text)]" : text
  }
}
