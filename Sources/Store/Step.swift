/// The sender of an action.
public enum StepOrigin: Sendable, Hashable {
  /// A person's line, as typed, and its position, for example `demo.sb:7`.
  case user(line: String, at: String)
  /// A link that was opened, whole, for example `swiftboard://api/get`.
  case link(String)
  /// Code that embeds the store, and what it calls itself; `send` says "" where nothing is passed.
  case program(String)
  /// An effect, its id where it has one, and the number of the step that returned it.
  case effect(name: String, id: String?, step: Int)
}

/// One reduction, as hooks and observers see it. Two words beside the action, and one small object
/// where the origin has a name or there are effects.
public struct Step<Action: Sendable>: Sendable {
  /// 1, 2, 3 … in the order of reduction, without gaps.
  public let number: Int
  /// What was reduced.
  public let action: Action
  /// `nil` for the commonest of steps, sent by nameless code and without effects: copying it is
  /// cheap then.
  @usableFromInline let details: StepDetails?

  /// The sender of the action.
  @inlinable
  public var origin: StepOrigin { details?.origin ?? .program("") }
  /// What was returned, in order. `.none` leaves nothing here. O(1): they were made when the step
  /// was.
  @inlinable
  public var effects: [EffectDescriptor] { details?.effects ?? [] }

  /// Whether the origin is nameless code and there are no effects. O(1), and cheaper than to ask
  /// for the two.
  @inlinable
  public var isBare: Bool { details == nil }

  @inlinable
  init(number: Int, action: Action, details: StepDetails?) {
    self.number = number
    self.action = action
    self.details = details
  }

  /// A step as a store makes it; for tests and replays.
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

/// What an effect is, without what it does: comparable in tests, written to recordings, listed
/// while it runs.
///
/// Two descriptors are equal when name, ids, kind and parts are; the location in the source may
/// move between versions and does not count.
public struct EffectDescriptor: Sendable, Hashable {
  /// What an effect does, as far as the store knows.
  public enum Kind: String, Sendable, Hashable {
    /// `task` and `run` are work that takes time; `send`, `cancel` and `issue` are done at once;
    /// `merge` and `concatenate` are groups, whose members are in `parts`.
    case task, run, send, cancel, merge, concatenate, issue
  }

  /// What it does.
  public let kind: Kind
  /// The name it was given, else its kind.
  public let name: String
  /// The cancel ids, each with its position in the composition, `/` between the parts: in the order
  /// in which the effect was given them, none twice. Of a `cancel` the first is the one that it
  /// cancels.
  public let ids: [String]
  /// The members of a `merge` or `concatenate`, in order; else empty.
  public let parts: [EffectDescriptor]
  /// Where it was made; not part of equality.
  public let location: SourceLocation

  /// The first of the cancel ids; `nil` if there is none.
  public var id: String? { ids.first }

  /// A descriptor to compare with, of an effect with one id or none. Without a name it has its
  /// kind's.
  ///
  /// - Parameter id: Places and the id itself, joined by `/`.
  public init(
    kind: Kind, name: String? = nil, id: String? = nil, parts: [EffectDescriptor] = [],
    location: SourceLocation = SourceLocation()
  ) {
    self.init(
      kind: kind, name: name, ids: id.map { [$0] } ?? [], parts: parts, location: location)
  }

  /// A descriptor to compare with. Without a name it has its kind's.
  ///
  /// - Parameter ids: As `ids`: places and the id itself, joined by `/`.
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

  /// Equal but for the location in the source. O(length of the strings).
  public static func == (a: EffectDescriptor, b: EffectDescriptor) -> Bool {
    a.kind == b.kind && a.name == b.name && a.ids == b.ids && a.parts == b.parts
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(name)
    hasher.combine(ids)
    hasher.combine(parts)
  }
}

/// A misuse of the store or an uncaught error: reported, never fatal.
public struct StoreIssue: Error, Sendable, Equatable, CustomStringConvertible {
  /// What happened, why that is likely, and what to do.
  public let message: String
  /// Where the effect was made, or where the reducer that was misused was composed.
  public let location: SourceLocation
  /// The step that returned the effect, 0 if there is none.
  public let step: Int
  /// The effect whose error was not caught, which has ended; `nil` for every other issue.
  public let failedEffect: EffectDescriptor?
  /// What that effect threw, as the error describes itself.
  public let errorText: String?

  /// An issue as a store reports it; for tests and handlers.
  ///
  /// - Parameters:
  ///   - step: 0 if no step is to blame.
  ///   - failedEffect: The effect that threw; `nil` if none did.
  ///   - errorText: What it threw.
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

  public var description: String { "\(location): \(message)" }
}

/// Taps on the reductions of one store, called on the reducing thread inside the store's critical
/// section: they see every step before the observers do. They must be quick and must not call the
/// store.
public struct StepHooks<State: Sendable, Action: Sendable>: Sendable {
  /// Before the reducer is called, with the number the step will have. A call a step.
  public var willReduce: (@Sendable (_ number: Int) -> Void)?
  /// After the reducer returned. Keeping a copy of the state makes the next step copy what it
  /// changes.
  public var didReduce: (@Sendable (_ step: Step<Action>, _ state: borrowing State) -> Void)?
  /// An issue, after the step it belongs to.
  public var issue: (@Sendable (StoreIssue) -> Void)?

  /// Hooks; a `nil` one costs nothing. The calls of the others are part of the cost of every step.
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
