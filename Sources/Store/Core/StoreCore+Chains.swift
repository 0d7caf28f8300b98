/// An effect whose action starts one other effect hands its task over to that (ADR-016): to make a task costs more than all the rest of the
/// way from one to the next.
extension StoreCore {
  /// An effect that goes on in a task that is there.
  @usableFromInline
  struct Link: Sendable {
    @usableFromInline let token: EffectToken
    @usableFromInline let work: Effect<R.Action>.TaskWork
    /// When the first one in this task was returned, by `coarseNanoseconds()`.
    @usableFromInline let begun: Int64

    @inlinable
    init(token: EffectToken, work: @escaping Effect<R.Action>.TaskWork, begun: Int64) {
      self.token = token
      self.work = work
      self.begun = begun
    }
  }

  /// What a task does whose effect has led to another one.
  @usableFromInline
  enum Chaining {
    /// That one is a task of its own, whatever the executor.
    case never
    /// It begins a chain, in another task: this one holds its effect's closure until it ends.
    case begins
    /// It goes on as that one, for as long as it has not been at it since before this moment.
    case goesOn(since: Int64)
  }

  /// How many effects one task runs before others get their turn. Fewer where they take long: a chain keeps its thread no longer than to
  /// the next tick of the coarse clock, some milliseconds.
  @inlinable static var mostLinks: Int { 32 }

  /// Starts the effect that followed alone, in its task or in another one.
  @inlinable
  func goOn(
    _ index: Int32, _ operation: Effect<R.Action>.Operation, _ chain: Chaining, now: Int64,
    _ machine: inout Machine
  ) -> Link? {
    let token = machine.table.token(index)
    guard case .task(let work) = operation else {
      launch(token, operation, &machine)
      return nil
    }
    switch chain {
    case .never:
      launch(token, operation, &machine)
      return nil
    case .goesOn(let begun) where begun == now:
      return Link(token: token, work: work, begun: begun)
    case .begins, .goesOn:
      let link = Link(token: token, work: work, begun: now)
      machine.table.places[work: index].task = task(runs: link)
      return nil
    }
  }

  /// A task that runs this effect and those that follow it.
  @inlinable
  func task(runs first: Link) -> EffectTask {
    // Not captured itself: what the closure of a task captures stays until the task ends.
    let first = LinkBox(first)
    return EffectTask.detached { [self] in
      guard var link = first.take() else { return }
      var rest = StoreCore.mostLinks
      while true {
        if Task.isCancelled { return giveBack(link) }
        do {
          let action = try await link.work()
          rest -= 1
          // Work may cancel the task that it runs in, which is its own affair.
          let goesOn = rest > 0 && !Task.isCancelled
          guard
            let next = complete(
              link.token, action, chain: goesOn ? .goesOn(since: link.begun) : .begins)
          else { return }
          link = next
        } catch { return fail(link.token, error) }
      }
    }
  }

  /// Ends an effect that was cancelled before it began. One whose task was cancelled by somebody else, which only code that runs in it can
  /// do, gets another task.
  @inlinable
  func giveBack(_ link: Link) {
    leave { machine in
      guard let index = machine.table.index(of: link.token) else { return }
      if machine.table.places[index].phase == .running {
        machine.table.places[work: index].task = task(runs: link)
      } else {
        machine.table.endWork(index, &machine.outbox)
      }
    }
  }
}

/// Something that one task takes, once.
@usableFromInline
final class LinkBox<Link: Sendable>: @unchecked Sendable {
  // Unchecked: made by one task and taken by another, which begins later.
  @usableFromInline var link: Link?

  @inlinable
  init(_ link: Link) {
    self.link = link
  }

  @inlinable
  func take() -> Link? { link.take() }
}
