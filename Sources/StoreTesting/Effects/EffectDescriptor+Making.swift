import SwiftBoardStore

// Descriptors for comparisons, in the notation of the effects.

extension EffectDescriptor {
  /// Returns an `Effect.task`. The id is that of `cancellable`, with `/` between the positions of
  /// its composition.
  public static func task(_ name: String? = nil, id: String? = nil) -> Self {
    EffectDescriptor(kind: .task, name: name, id: id)
  }

  /// Returns an `Effect.task` with several ids, in the order in which they were added.
  public static func task(_ name: String? = nil, ids: [String]) -> Self {
    EffectDescriptor(kind: .task, name: name, ids: ids)
  }

  /// Returns an `Effect.run`.
  public static func run(_ name: String? = nil, id: String? = nil) -> Self {
    EffectDescriptor(kind: .run, name: name, id: id)
  }

  /// Returns an `Effect.run` with several ids, in the order in which they were added.
  public static func run(_ name: String? = nil, ids: [String]) -> Self {
    EffectDescriptor(kind: .run, name: name, ids: ids)
  }

  /// Returns an `Effect.send`. Its action is not part of the descriptor; receive it in the test.
  public static func send(id: String? = nil) -> Self {
    EffectDescriptor(kind: .send, id: id)
  }

  /// Returns an `Effect.cancel`.
  public static func cancel(id: String) -> Self {
    EffectDescriptor(kind: .cancel, id: id)
  }

  /// Returns an `Effect.merge` with its members in order.
  public static func merge(
    _ parts: EffectDescriptor..., name: String? = nil, id: String? = nil
  ) -> Self {
    EffectDescriptor(kind: .merge, name: name, id: id, parts: parts)
  }

  /// Returns an `Effect.concatenate` with its members in order.
  public static func concatenate(
    _ parts: EffectDescriptor..., name: String? = nil, id: String? = nil
  ) -> Self {
    EffectDescriptor(kind: .concatenate, name: name, id: id, parts: parts)
  }
}
