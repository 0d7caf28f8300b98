import SwiftBoardStore

/// The descriptor of a returned effect, as it is in a log. Its location in the source is not part
/// of it.
public struct LogEffect: Sendable, Hashable, CustomStringConvertible {
  /// The effect's name; its kind's where it has none.
  public let name: String
  /// The cancel ids, each with its position in the composition, `/` between the parts, as
  /// `EffectDescriptor.ids`; the first alone where the log is of a program that wrote no others.
  public let ids: [String]
  /// The raw value of `EffectDescriptor.Kind`; a log of a newer program may have others.
  public let kind: String
  /// The members of a `merge` or `concatenate`, in order; else empty.
  public let parts: [LogEffect]

  /// The first of the cancel ids; `nil` if there is none.
  public var id: String? { ids.first }

  /// An effect with one id or none, as a log has it.
  public init(name: String, id: String? = nil, kind: String, parts: [LogEffect] = []) {
    self.init(name: name, ids: id.map { [$0] } ?? [], kind: kind, parts: parts)
  }

  /// An effect as a log has it.
  public init(name: String, ids: [String], kind: String, parts: [LogEffect] = []) {
    self.name = name
    self.ids = ids
    self.kind = kind
    self.parts = parts
  }

  /// The descriptor without its location in the source. O(number of parts).
  public init(_ descriptor: EffectDescriptor) {
    name = descriptor.name
    ids = descriptor.ids
    kind = descriptor.kind.rawValue
    parts = descriptor.parts.map(LogEffect.init)
  }

  public var description: String {
    var text = name == kind ? kind : "\(kind) \(name)"
    if !ids.isEmpty { text += " id " + ids.joined(separator: " and ") }
    if !parts.isEmpty { text += " (\(parts.map(\.description).joined(separator: ", ")))" }
    return text
  }
}

extension [LogEffect] {
  /// What a replay found beside what was recorded, both as they are to be compared.
  ///
  /// An effect that does nothing may or may not be described, and is left out. What was recorded
  /// without all ids is compared with the first ids of what was found.
  ///
  /// - Parameter hasAllIDs: Whether the log's header says so. A step that has an effect with
  ///   several ids has all of its ids anyway.
  func compared(
    withFound found: [LogEffect], hasAllIDs: Bool
  ) -> (expected: [LogEffect], found: [LogEffect]) {
    guard !(isEmpty && found.isEmpty) else { return ([], []) }
    return (
      withoutNothing,
      (hasAllIDs || hasSeveralIDs ? found : found.withFirstIDs).withoutNothing
    )
  }

  /// Without effects that do nothing.
  var withoutNothing: [LogEffect] {
    isEmpty ? [] : filter { $0.kind != "merge" || !$0.parts.isEmpty }
  }

  /// The effects with the first of their ids alone, as recordings had them before they had all.
  var withFirstIDs: [LogEffect] {
    map { effect in
      LogEffect(
        name: effect.name, id: effect.id, kind: effect.kind, parts: effect.parts.withFirstIDs)
    }
  }

  private var hasSeveralIDs: Bool { contains { $0.ids.count > 1 || $0.parts.hasSeveralIDs } }
}
