import SwiftBoardCommandLine

/// A command that was understood and waits for the context that makes it an action.
public struct FeatureCommand<Action: Sendable>: Sendable {
  /// Creates the action that starts the command; has no effect.
  public let action: @Sendable (CommandContext) -> Action
  /// The option, for example `--from-stdin`, with which the command reads standard input to its
  /// end; `nil` if it does not. It is refused where lines come from standard input.
  public let readsInput: String?
  /// The option, for example `--reveal`, with which the command writes a secret straight to
  /// standard output; `nil` if it does not. It is refused where the output goes elsewhere.
  public let writesSecret: String?
  /// The command goes on until it is cancelled. In the background it is cancelled where the lines
  /// end, and is no failure.
  public let isEndless: Bool

  /// A command from its action.
  public init(
    readsInput: String? = nil, writesSecret: String? = nil, isEndless: Bool = false,
    _ action: @escaping @Sendable (CommandContext) -> Action
  ) {
    self.action = action
    self.readsInput = readsInput
    self.writesSecret = writesSecret
    self.isEndless = isEndless
  }

  /// The same command with another action.
  func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> FeatureCommand<Other> {
    FeatureCommand<Other>(
      readsInput: readsInput, writesSecret: writesSecret, isEndless: isEndless
    ) { [action] in transform(action($0)) }
  }
}

/// A command of any feature.
public typealias BoardCommand = FeatureCommand<BoardAction>
