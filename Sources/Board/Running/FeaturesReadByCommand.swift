import SwiftBoardJSON

/// The features whose states a line reads.
enum FeaturesReadByCommand {
  case all
  case named(Set<String>)

  /// The features that an action reads; `nil` for an action that reads no state.
  init?(of action: BoardAction) {
    guard case .shell(.run(_, let command)) = action else { return nil }
    self.init(of: command)
  }

  /// The features that a command reads; `nil` for a command that reads no state.
  init?(of command: ShellCommand) {
    switch command {
    case .state(nil): self = .all
    case .state(let path?):
      guard let path = try? JSONPath(parsing: path) else { return nil }
      self.init([path])
    case .assert(let text):
      guard let condition = try? JSONCondition(parsing: text) else { return nil }
      self.init(condition.paths)
    default: return nil
    }
  }

  private init(_ paths: [JSONPath]) {
    // A path without steps is the whole state.
    let names = paths.map { path -> String? in
      if case .key(let name)? = path.steps.first { name } else { nil }
    }
    self = names.contains(nil) ? .all : .named(Set(names.compactMap { $0 }))
  }

  func contains(_ name: String) -> Bool {
    switch self {
    case .all: true
    case .named(let names): names.contains(name)
    }
  }
}
