/// What the thread that leaves the lock has to do.
@usableFromInline
struct Departure<State: Sendable, Action: Sendable>: Sendable {
  /// A step to tell: this thread has it for itself until it says that it is done.
  @usableFromInline nonisolated(unsafe) let publication:
    UnsafeMutablePointer<Publication<State, Action>>?
  @usableFromInline let partings: [Parting<Action>]

  @inlinable
  init(
    publication: UnsafeMutablePointer<Publication<State, Action>>?, partings: [Parting<Action>]
  ) {
    self.publication = publication
    self.partings = partings
  }

  @inlinable
  static var nothing: Departure { Departure(publication: nil, partings: []) }

  @inlinable
  var isNothing: Bool { publication == nil && partings.isEmpty }
}
