import SwiftBoardCommandLine
import SwiftBoardStore

/// Everything that can happen on the board: a case for each feature.
public enum BoardAction: Codable, Sendable, Equatable {
  /// Commands of the board itself.
  case shell(ShellAction)
  /// HTTP services.
  case api(APIAction)
  /// Secrets.
  case keychain(KeychainAction)
  /// Documents and preferences.
  case db(DatabaseAction)
  /// What happened, for people.
  case log(LogAction)
  /// Recordings.
  case session(SessionAction)
  /// The board goes on from another state, that of a fork. It stands between two recordings and in
  /// none.
  indirect case resumed(BoardState)

  /// The command that this action starts, if it starts one.
  public var started: CommandContext? {
    switch self {
    case .shell(.run(let context, _)), .shell(.reject(let context, _)): context
    case .api(.run(let context, _)): context
    case .keychain(.run(let context, _)): context
    case .db(.run(let context, _)): context
    case .log(.run(let context, _)): context
    case .session(.run(let context, _, _)): context
    // No default, so that the compiler asks for the commands of a new feature.
    case .shell, .api, .keychain, .db, .log, .session, .resumed: nil
    }
  }

  /// Whether a line with this action only looks. An undo passes it by.
  var isLook: Bool {
    switch self {
    case .shell(.run(_, let command)):
      switch command {
      case .echo, .assert, .state, .help, .jobs, .wait, .cancel, .effects, .source, .exit: true
      case .set, .unset, .open: false
      }
    case .shell(.reject), .session: true
    default: false
    }
  }

  /// Whether it may run while somebody looks at an earlier step. A mark names the present, and
  /// would be taken for one of the past.
  var mayRunInThePast: Bool {
    switch self {
    case .session(.run(_, .mark, _)), .session(.run(_, .record, _)): false
    default: isLook
    }
  }
}

extension BoardAction {
  private enum CodingKeys: String, CodingKey {
    case shell, api, keychain, db, log, session, resumed
  }

  /// Writes the feature's action under the feature's name: `{"api":{"run":{…}}}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .shell(let action): try container.encode(action, forKey: .shell)
    case .api(let action): try container.encode(action, forKey: .api)
    case .keychain(let action): try container.encode(action, forKey: .keychain)
    case .db(let action): try container.encode(action, forKey: .db)
    case .log(let action): try container.encode(action, forKey: .log)
    case .session(let action): try container.encode(action, forKey: .session)
    case .resumed(let state): try container.encode(state, forKey: .resumed)
    }
  }

  /// Reads what `encode(to:)` writes. Throws where there is no feature, or more than one.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "an action has one member, named after its feature"))
    }
    switch key {
    case .shell: self = .shell(try container.decode(ShellAction.self, forKey: key))
    case .api: self = .api(try container.decode(APIAction.self, forKey: key))
    case .keychain: self = .keychain(try container.decode(KeychainAction.self, forKey: key))
    case .db: self = .db(try container.decode(DatabaseAction.self, forKey: key))
    case .log: self = .log(try container.decode(LogAction.self, forKey: key))
    case .session: self = .session(try container.decode(SessionAction.self, forKey: key))
    case .resumed: self = .resumed(try container.decode(BoardState.self, forKey: key))
    }
  }
}

extension CasePath where Root == BoardAction, Value == APIAction {
  static var api: Self {
    CasePath(embed: BoardAction.api) { if case .api(let action) = $0 { action } else { nil } }
  }
}

extension CasePath where Root == BoardAction, Value == KeychainAction {
  static var keychain: Self {
    CasePath(embed: BoardAction.keychain) {
      if case .keychain(let action) = $0 { action } else { nil }
    }
  }
}

extension CasePath where Root == BoardAction, Value == DatabaseAction {
  static var db: Self {
    CasePath(embed: BoardAction.db) { if case .db(let action) = $0 { action } else { nil } }
  }
}

extension CasePath where Root == BoardAction, Value == LogAction {
  static var log: Self {
    CasePath(embed: BoardAction.log) { if case .log(let action) = $0 { action } else { nil } }
  }
}

extension CasePath where Root == BoardAction, Value == SessionAction {
  static var session: Self {
    CasePath(embed: BoardAction.session) {
      if case .session(let action) = $0 { action } else { nil }
    }
  }
}
