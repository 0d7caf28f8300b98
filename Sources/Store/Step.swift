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

/// A reduction, as hooks and observers receive it. Its size is two words beside the action. It
/// allocates one small object if the origin has a name or there are effects.
public struct Step<Action: Sendable>: Sendable {
  /// The number of the step: 1, 2, 3 and so on in the order of reduction, without gaps.
  public let number: Int
  /// The reduced action.
  public let action: Action
  /// `nil` for the most common steps, which nameless code sends and which have no effects. Copying
  /// them is cheap.
  @usableFromInline let details: StepDetails?

  /// The sender of the action.
  @inlinable
  public var origin: StepOrigin { details?.origin ?? .program("") }
  /// The descriptors of the returned effects, in order, without `.none`. O(1), because they were
  /// created with the step.
  @inlinable
  public var effects: [EffectDescriptor] { details?.effects ?? [] }

  /// Whether the origin is nameless code and there are no effects. O(1), and cheaper than reading
  /// both properties.
  @inlinable
  public var isBare: Bool { details == nil }

  @inlinable
  init(number: Int, action: Action, details: StepDetails?) {
    self.number = number
    self.action = action
    self.details = details
  }

  /// Creates a step as a store creates it, for tests and replays.
  ///
  /// - Complexity: One small object, or none if there are no effects and the origin is nameless
  ///   code.
  @inlinable
  public init(number: Int, origin: StepOrigin, action: Action, effects: [EffectDescriptor]) {
    self.init(
      number: number, action: action,
      details: effects.isEmpty && origin.isNameless
        ? nil : StepDetails(origin: origin, effects: effects))
  }
}

@usableFromInline
final class StepDetails: Sendable {
  @usableFromInline let origin: StepOrigin
  @usableFromInline let effects: [EffectDescriptor]

  @inlinable
  init(origin: StepOrigin, effects: [EffectDescriptor]) {
    self.origin = origin
    self.effects = effects
  }
}

extension StepOrigin {
  @inlinable
  var isNameless: Bool {
    if case .program(let name) = self { name.isEmpty } else { false }
  }
}

/// A description of an effect without its work. It is compared in tests, written to recordings, and
/// listed while the effect runs.
///
/// Two descriptors are equal if their names, ids, kinds and parts are equal. The location in the
/// source is not compared, because it can change between versions.
public struct EffectDescriptor: Sendable, Hashable {
  /// The kind of an effect, as far as the store knows it.
  public enum Kind: String, Sendable, Hashable {
    /// `task` and `run` are work that takes time. `send`, `cancel` and `issue` are done at once.
    /// `merge` and `concatenate` are groups, with their members in `parts`.
    case task, run, send, cancel, merge, concatenate, issue
  }

  /// The kind of the effect.
  public let kind: Kind
  /// The name given to the effect, or its kind if none was given.
  public let name: String
  /// The cancel ids without duplicates, in the order in which they were given to the effect. Each
  /// begins with its place in the composition; `/` separates the parts. The first id of a
  /// `cancel` is the one that it cancels.
  public let ids: [String]
  /// The members of a `merge` or `concatenate`, in order. Empty for other kinds.
  public let parts: [EffectDescriptor]
  /// The source location of the code that made the effect. It is not part of equality.
  public let location: SourceLocation

  /// The first cancel id, or `nil` if there is none.
  public var id: String? { ids.first }

  /// Creates a descriptor for comparison, of an effect with at most one id. The default name is
  /// that of the kind.
  ///
  /// - Parameter id: The places and the id itself, joined by `/`.
  public init(
    kind: Kind, name: String? = nil, id: String? = nil, parts: [EffectDescriptor] = [],
    location: SourceLocation = SourceLocation()
  ) {
    self.init(
      kind: kind, name: name, ids: id.map { [$0] } ?? [], parts: parts, location: location)
  }

  /// Creates a descriptor for comparison. The default name is that of the kind.
  ///
  /// - Parameter ids: The ids, each with its places, joined by `/`.
  public init(
    kind: Kind, name: String? = nil, ids: [String], parts: [EffectDescriptor] = [],
    location: SourceLocation = SourceLocation()
  ) {
    self.kind = kind
    self.name = name ?? kind.rawValue
    self.ids = ids
    self.parts = parts
    self.location = location
  }

  /// Returns whether two descriptors are equal, regardless of the location in the source. O(length
  /// of the strings).
  public static func == (a: EffectDescriptor, b: EffectDescriptor) -> Bool {
    a.kind == b.kind && a.name == b.name && a.ids == b.ids && a.parts == b.parts
  }

  /// Hashes everything except the location in the source.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(name)
    hasher.combine(ids)
    hasher.combine(parts)
  }
}

/// A misuse of the store or an uncaught error. It is reported and never stops the program.
public struct StoreIssue: Error, Sendable, Equatable, CustomStringConvertible {
  /// A description of what happened, the likely cause, and the fix.
  public let message: String
  /// The source location of the effect, or of the composition of the misused reducer.
  public let location: SourceLocation
  /// The step that returned the effect, or 0 if there is none.
  public let step: Int
  /// The effect that ended with an uncaught error, or `nil` for every other issue.
  public let failedEffect: EffectDescriptor?
  /// The description of the error that the effect threw.
  public let errorText: String?

  /// Creates an issue as a store reports it, for tests and handlers.
  ///
  /// - Parameters:
  ///   - step: The step that caused the issue, or 0 if there is none.
  ///   - failedEffect: The effect that threw, or `nil` if none did.
  ///   - errorText: The description of the error.
  public init(
    message: String, location: SourceLocation, step: Int, failedEffect: EffectDescriptor? = nil,
    errorText: String? = nil
  ) {
    self.message = message
    self.location = location
    self.step = step
    self.failedEffect = failedEffect
    self.errorText = errorText
  }

  /// The location and the message.
  public var description: String { "\(location): \(message)" }
}

/// Functions that are called on the reducing thread inside the store's critical section, before
/// observers receive the step. They must be quick and must not call the store.
public struct StepHooks<State: Sendable, Action: Sendable>: Sendable {
  /// Called before the reducer, with the number of the step. Called once for each step.
  public var willReduce: (@Sendable (_ number: Int) -> Void)?
  /// Called after the reducer returned. If the hook keeps a copy of the state, the next step copies
  /// the parts that it changes.
  public var didReduce: (@Sendable (_ step: Step<Action>, _ state: borrowing State) -> Void)?
  /// Called for an issue, after the step that caused it.
  public var issue: (@Sendable (StoreIssue) -> Void)?

  /// Creates hooks. A `nil` hook costs nothing. Calls of the others are part of the cost of every
  /// step.
  public init(
    willReduce: (@Sendable (Int) -> Void)? = nil,
    didReduce: (@Sendable (Step<Action>, borrowing State) -> Void)? = nil,
    issue: (@Sendable (StoreIssue) -> Void)? = nil
  ) {
    self.willReduce = willReduce
    self.didReduce = didReduce
    self.issue = issue
  }
}
