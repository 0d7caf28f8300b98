/// One effect, group of effects, or handle without an effect of its own, while anything of it is left.
///
/// Plain bits, so that walking the tree copies and counts nothing; what it holds is in `EffectWork`, at the same index.
@usableFromInline
struct EffectEntry: Sendable {
  @usableFromInline
  enum Phase: UInt8, Sendable {
    case free
    /// A member of a sequence whose turn has not come, or one that waits for a place under its limit.
    case pending
    case running
    /// Nothing of it is reduced any more; its task has not ended yet.
    case cancelled
    /// Its own work has ended; what its actions caused has not.
    case finished
  }

  @usableFromInline
  enum Shape: UInt8, Sendable {
    case leaf, parallel, sequence
    /// No work of its own: what one `send` caused.
    case root
  }

  @usableFromInline
  struct Flags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16

    @inlinable
    init(rawValue: UInt16) {
      self.rawValue = rawValue
    }

    /// Its parent is a group that waits for its work, not an effect that caused it.
    @inlinable static var member: Flags { Flags(rawValue: 1) }
    /// Its ids are in the registry.
    @inlinable static var registered: Flags { Flags(rawValue: 2) }
    /// Its work went to a task, which holds it from then on.
    @inlinable static var handedOver: Flags { Flags(rawValue: 4) }
    /// Somebody may ask for it by token: it stays until all that it caused has ended.
    @inlinable static var handle: Flags { Flags(rawValue: 8) }
    /// It takes one of the places under its limit.
    @inlinable static var placed: Flags { Flags(rawValue: 16) }
    /// It waits for a place under its limit.
    @inlinable static var waiting: Flags { Flags(rawValue: 32) }
    /// A meter is not told of it.
    @inlinable static var silent: Flags { Flags(rawValue: 128) }
    /// Somebody waits for its end.
    @inlinable static var awaited: Flags { Flags(rawValue: 64) }
  }

  @usableFromInline var generation: UInt32 = 1
  @usableFromInline var phase = Phase.free
  @usableFromInline var shape = Shape.leaf
  @usableFromInline var flags: Flags = []
  @usableFromInline var parent: Int32 = -1
  @usableFromInline var firstChild: Int32 = -1
  @usableFromInline var lastChild: Int32 = -1
  @usableFromInline var previous: Int32 = -1
  /// The next sibling, or the next free entry.
  @usableFromInline var next: Int32 = -1
  /// Of a group: members whose work has not ended.
  @usableFromInline var members: Int32 = 0
  /// Of a sequence: the member that runs.
  @usableFromInline var current: Int32 = -1
  /// Actions in the store's queue that belong here.
  @usableFromInline var queued: Int32 = 0
  /// The step that returned the effect.
  @usableFromInline var step = 0
  /// When it was returned, by `coarseNanoseconds()`.
  @usableFromInline var since: Int64 = 0

  @inlinable
  init(phase: Phase, shape: Shape, flags: Flags) {
    self.phase = phase
    self.shape = shape
    self.flags = flags
  }
}

/// The task of an effect. It never throws: to make one that cannot would cost a closure more, which says that it does not.
@usableFromInline typealias EffectTask = Task<Void, any Error>

/// What an entry holds.
@usableFromInline
struct EffectWork<Action: Sendable>: Sendable {
  @usableFromInline var task: EffectTask?
  @usableFromInline var effect: Effect<Action>?
  /// The action whose reduction returned the effect.
  @usableFromInline var cause: Action?

  @inlinable
  init() {}
}

extension Effect {
  /// Makes it another one with nothing in it, where it has nothing in it itself. Both are tasks without traits.
  @inlinable
  mutating func become(_ operation: Operation, name: String?, location: SourceLocation) {
    switch operation {
    case .task: if case .task = self.operation {} else { self.operation = operation.emptied }
    default: if case .run = self.operation {} else { self.operation = operation.emptied }
    }
    self.name = name
    self.location = location
  }

  /// The same effect with nothing in it.
  @inlinable
  var emptied: Effect {
    Effect(operation.emptied, name: name, location: location, traits: traits)
  }
}

extension Effect.Operation {
  /// The same with nothing in it.
  @inlinable
  var emptied: Self {
    switch self {
    case .task: .task { throw CancellationError() }
    case .run: .run { _ in }
    default: .none
    }
  }
}
