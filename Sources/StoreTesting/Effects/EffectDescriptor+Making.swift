import SwiftBoardStore

// Descriptors to compare with, as short as the effects they stand for.

extension EffectDescriptor {
  /// Any effect of a kind. Without a name it has its kind's.
  public static func effect(_ kind: Kind, _ name: String? = nil, id: String? = nil) -> Self {
    EffectDescriptor(kind: kind, name: name, id: id)
  }

  /// Any effect of a kind with several ids, in the order in which it was given them.
  public static func effect(_ kind: Kind, _ name: String? = nil, ids: [String]) -> Self {
    EffectDescriptor(kind: kind, name: name, ids: ids)
  }

  /// `Effect.task`. The id is that of `cancellable`, with `/` between the positions it was composed
  /// in.
  public static func task(_ name: String? = nil, id: String? = nil) -> Self {
    EffectDescriptor(kind: .task, name: name, id: id)
  }

  /// `Effect.task` with several ids, in the order in which it was given them.
  public static func task(_ name: String? = nil, ids: [String]) -> Self {
    EffectDescriptor(kind: .task, name: name, ids: ids)
  }

  /// `Effect.run`.
  public static func run(_ name: String? = nil, id: String? = nil) -> Self {
    EffectDescriptor(kind: .run, name: name, id: id)
  }

  /// `Effect.run` with several ids, in the order in which it was given them.
  public static func run(_ name: String? = nil, ids: [String]) -> Self {
    EffectDescriptor(kind: .run, name: name, ids: ids)
  }

  /// `Effect.send`. What it sends is no part of a descriptor: receive it.
  public static func send(id: String? = nil) -> Self {
    EffectDescriptor(kind: .send, id: id)
  }

  /// `Effect.cancel`.
  public static func cancel(id: String) -> Self {
    EffectDescriptor(kind: .cancel, id: id)
  }

  /// `Effect.merge`, with its members in order. O(number of them).
  public static func merge(
    _ parts: EffectDescriptor..., name: String? = nil, id: String? = nil
  ) -> Self {
    EffectDescriptor(kind: .merge, name: name, id: id, parts: parts)
  }

  /// `Effect.concatenate`, with its members in order. O(number of them).
  public static func concatenate(
    _ parts: EffectDescriptor..., name: String? = nil, id: String? = nil
  ) -> Self {
    EffectDescriptor(kind: .concatenate, name: name, id: id, parts: parts)
  }
}
