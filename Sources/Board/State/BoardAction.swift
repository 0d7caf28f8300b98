import SwiftBoardStore

/// An action of the board.
public enum BoardAction: Sendable, Equatable {
  /// A command of the board itself.
  case shell(ShellAction)
  /// A command about recordings.
  case session(SessionAction)
  /// An action of a feature.
  case feature(AnyFeatureAction)
  /// The board continues from the state of a fork, whose recording has this path. This action is
  /// between two recordings and part of neither.
  indirect case resumed(BoardState, path: String, job: Int)

  /// Creates an action of a feature.
  public init<State, Action>(_ action: Action, of feature: Feature<State, Action>) {
    self = .feature(AnyFeatureAction(action, of: feature.name))
  }

  /// Returns the action of this feature, or `nil` if it belongs to another one.
  public func action<State, Action>(of feature: Feature<State, Action>) -> Action? {
    guard case .feature(let action) = self, action.feature == feature.name else { return nil }
    return action.base as? Action
  }

  static func path<State, Action>(
    to feature: Feature<State, Action>
  ) -> CasePath<BoardAction, Action> {
    CasePath(embed: { BoardAction($0, of: feature) }) { $0.action(of: feature) }
  }

  static let session = CasePath<BoardAction, SessionAction>(embed: BoardAction.session) {
    if case .session(let action) = $0 { action } else { nil }
  }

  /// The command that this action starts, if any.
  public var started: CommandContext? {
    switch self {
    case .shell(.run(let context, _)), .shell(.reject(let context, _, _)): context
    case .session(.run(let context, _, _)): context
    case .feature(let action): action.base.started
    case .shell, .session, .resumed: nil
    }
  }

  /// Whether a line with this action is read-only. An undo skips it.
  var isLook: Bool {
    switch self {
    case .shell(.run(_, let command)):
      switch command {
      case .echo, .assert, .state, .help, .jobs, .wait, .cancel, .effects, .history, .source, .exit,
        .completions, .manual, .doctor, .watch, .alias(_, nil):
        true
      case .set, .unset, .open, .alias, .unalias, .tutorial: false
      }
    case .shell(.reject), .shell(.diagnosed), .session: true
    case .feature(let action): action.base.isReadOnly
    case .shell, .resumed: false
    }
  }

  /// Whether the action starts, marks or ends the recording of this board, which happens
  /// immediately.
  var changesRecording: Bool {
    if case .session(.run(_, let command, _)) = self { command.changesRecording } else { false }
  }

  /// Whether the action may run while the board shows an earlier step. The tutorial is that of the
  /// present, and one of its lessons shows an earlier step.
  var isAllowedAtEarlierStep: Bool {
    switch self {
    case .session(.run(_, let command, _)): command.isAllowedAtEarlierStep
    case .shell(.run(_, .tutorial)): true
    // Its rounds would change and show the present.
    case .shell(.run(_, .watch)): false
    default: isLook
    }
  }
}

extension BoardAction: Codable {
  private struct Resumed: Codable {
    let state: BoardState
    let path: String
    let job: Int
  }

  /// Encodes the feature's action under the feature's name: `{"api":{"run":{…}}}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FeatureStates.Key.self)
    switch self {
    case .shell(let action): try container.encode(action, forKey: .shell)
    case .session(let action): try container.encode(action, forKey: .session)
    case .feature(let action):
      func encode(_ base: some FeatureAction) throws {
        try container.encode(base, forKey: FeatureStates.Key(stringValue: action.feature))
      }
      try encode(action.base)
    case .resumed(let state, let path, let job):
      try container.encode(Resumed(state: state, path: path, job: job), forKey: .resumed)
    }
  }

  /// Decodes the result of `encode(to:)`, with the features in the decoder's `userInfo`. Throws if
  /// the feature is unknown or if there is more than one member.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FeatureStates.Key.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "an action has one member, named after its feature"))
    }
    switch key.stringValue {
    case "shell": self = .shell(try container.decode(ShellAction.self, forKey: key))
    case "session": self = .session(try container.decode(SessionAction.self, forKey: key))
    case "resumed":
      let resumed = try container.decode(Resumed.self, forKey: key)
      self = .resumed(resumed.state, path: resumed.path, job: resumed.job)
    case let name:
      self = .feature(
        try FeatureList.feature(name, for: decoder).coding.decodeAction(container, key))
    }
  }
}
