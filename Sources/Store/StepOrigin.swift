/// The sender of an action.
public enum StepOrigin: Sendable, Hashable {
  /// A line that a user typed, and its position, for example `demo.sb:7`.
  case user(line: String, at: String)
  /// A link that was opened, in full, for example `swiftboard://api/get`.
  case link(String)
  /// Code that embeds the store, and its name. The name is empty by default.
  case program(String)
  /// An effect, its id if it has one, and the number of the step that returned it.
  case effect(name: String, id: String?, step: Int)
}

extension StepOrigin {
  @inlinable
  var isNameless: Bool { if case .program(let name) = self { name.isEmpty } else { false } }

  /// The origin of an action that a program sends. The effect of which it tells is not one of the
  /// store's own, whose steps have other numbers than those of another store.
  @inlinable
  var sent: StepOrigin { if case .effect(let name, _, _) = self { .program(name) } else { self } }
}
