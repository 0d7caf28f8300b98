import SwiftBoardJSON

/// The features whose states a line reads.
enum ShownFeatures {
  case all
  case named(Set<String>)

  /// The features that an action reads; `nil` for an action that reads no state.
  init?(of action: BoardAction) {
    switch action {
    case .shell(.run(_, .state(nil))): self = .all
    case .shell(.run(_, .state(let path?))):
      guard let path = try? JSONPath(parsing: path) else { return nil }
      self.init([path])
    case .shell(.run(_, .assert(let text))):
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
