import SwiftBoardCommandLine

/// A parsed command. It becomes an action once it has a context.
public struct FeatureCommand<Action: Sendable>: Sendable {
  /// Creates the action that starts the command; has no effect.
  public let action: @Sendable (CommandContext) -> Action
  /// The option, for example `--from-stdin`, that makes the command read standard input to its end,
  /// or `nil`. The command is refused if lines come from standard input.
  public let readsInput: String?
  /// The option, for example `--reveal`, that makes the command write a secret directly to standard
  /// output, or `nil`. The command is refused if its output is redirected.
  public let writesSecret: String?
  /// Whether the command runs until it is cancelled. In the background, it is cancelled when the
  /// lines end, which is not a failure.
  public let isEndless: Bool
  /// The words of the repeated command, at their positions in the line. Empty for other commands.
  let repeated: [Argument]

  /// Creates a command from its action.
  public init(
    readsInput: String? = nil, writesSecret: String? = nil, isEndless: Bool = false,
    _ action: @escaping @Sendable (CommandContext) -> Action
  ) {
    self.action = action
    self.readsInput = readsInput
    self.writesSecret = writesSecret
    self.isEndless = isEndless
    repeated = []
  }

  /// Creates a command that repeats another one.
  init(
    repeating words: [Argument], isEndless: Bool,
    _ action: @escaping @Sendable (CommandContext) -> Action
  ) {
    self.action = action
    self.isEndless = isEndless
    (readsInput, writesSecret) = (nil, nil)
    repeated = words
  }

  /// - Parameter other: The command that provides all properties except the action.
  private init<Other>(
    like other: FeatureCommand<Other>, _ action: @escaping @Sendable (CommandContext) -> Action
  ) {
    self.action = action
    isEndless = other.isEndless
    (readsInput, writesSecret) = (other.readsInput, other.writesSecret)
    repeated = other.repeated
  }

  /// Returns the command with a transformed action.
  func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> FeatureCommand<Other> {
    FeatureCommand<Other>(like: self) { [action] in transform(action($0)) }
  }
}

/// A command of any feature.
public typealias BoardCommand = FeatureCommand<BoardAction>
