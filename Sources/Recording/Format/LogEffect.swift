import SwiftBoardStore

/// The descriptor of a returned effect in a log, without its location in the source.
public struct LogEffect: Sendable, Hashable, CustomStringConvertible {
  /// The name of the effect, or that of its kind if it has none.
  public let name: String
  /// The cancel ids, each with its position in the composition and `/` between the parts, as in
  /// `EffectDescriptor.ids`. Logs of older programs have only the first one.
  public let ids: [String]
  /// The raw value of `EffectDescriptor.Kind`. A log of a newer program may have others.
  public let kind: String
  /// The members of a `merge` or `concatenate`, in order; otherwise empty.
  public let parts: [LogEffect]

  /// The first of the cancel ids, or `nil` if there are none.
  public var id: String? { ids.first }

  /// Creates an effect with at most one id.
  public init(name: String, id: String? = nil, kind: String, parts: [LogEffect] = []) {
    self.init(name: name, ids: id.map { [$0] } ?? [], kind: kind, parts: parts)
  }

  /// Creates an effect.
  public init(name: String, ids: [String], kind: String, parts: [LogEffect] = []) {
    self.name = name
    self.ids = ids
    self.kind = kind
    self.parts = parts
  }

  /// Creates an effect from a descriptor, without its location in the source.
  ///
  /// - Complexity: O(number of parts).
  public init(_ descriptor: EffectDescriptor) {
    name = descriptor.name
    ids = descriptor.ids
    kind = descriptor.kind.rawValue
    parts = descriptor.parts.map(LogEffect.init)
  }

  /// The kind, the name, the ids and the parts.
  public var description: String {
    var text = name == kind ? kind : "\(kind) \(name)"
    if !ids.isEmpty { text += " id " + ids.joined(separator: " and ") }
    if !parts.isEmpty { text += " (\(parts.map(\.description).joined(separator: ", ")))" }
    return text
  }
}

extension [LogEffect] {
  /// Returns the recorded effects and those found by a replay, both prepared for comparison.
  ///
  /// Effects that do nothing may or may not have been recorded, and are removed. If the recording
  /// does not have all ids, only the first ids are compared.
  ///
  /// - Parameter hasAllIDs: Whether the header of the log says that effects have all of their ids.
  ///   A step that has an effect with several ids always has all ids.
  func compared(
    withFound found: [LogEffect], hasAllIDs: Bool
  ) -> (expected: [LogEffect], found: [LogEffect]) {
    guard !(isEmpty && found.isEmpty) else { return ([], []) }
    return (
      withoutNothing,
      (hasAllIDs || hasSeveralIDs ? found : found.withFirstIDs).withoutNothing
    )
  }

  /// The effects without those that do nothing.
  var withoutNothing: [LogEffect] {
    isEmpty ? [] : filter { $0.kind != "merge" || !$0.parts.isEmpty }
  }

  /// The effects with only the first of their ids, as in older recordings.
  var withFirstIDs: [LogEffect] {
    map { effect in
      LogEffect(
        name: effect.name, id: effect.id, kind: effect.kind, parts: effect.parts.withFirstIDs)
    }
  }

  private var hasSeveralIDs: Bool { contains { $0.ids.count > 1 || $0.parts.hasSeveralIDs } }
}
