import SwiftBoardStore

/// The descriptor of a returned effect, as it stands in a log. Its place in the source is not part of it.
public struct LogEffect: Sendable, Hashable, CustomStringConvertible {
  /// The effect's name; its kind's where it has none.
  public let name: String
  /// The cancel id with its place in the composition, `/` between the parts; `nil` where it has none.
  public let id: String?
  /// The raw value of `EffectDescriptor.Kind`; a log of a newer program may have others.
  public let kind: String
  /// The members of a `merge` or `concatenate`, in order; else empty.
  public let parts: [LogEffect]

  /// An effect as a log has it.
  public init(name: String, id: String? = nil, kind: String, parts: [LogEffect] = []) {
    self.name = name
    self.id = id
    self.kind = kind
    self.parts = parts
  }

  /// The descriptor without its place in the source. O(number of parts).
  public init(_ descriptor: EffectDescriptor) {
    name = descriptor.name
    id = descriptor.id
    kind = descriptor.kind.rawValue
    parts = descriptor.parts.map(LogEffect.init)
  }

  public var description: String {
    var text = name == kind ? kind : "\(kind) \(name)"
    if let id { text += " id \(id)" }
    if !parts.isEmpty { text += " (\(parts.map(\.description).joined(separator: ", ")))" }
    return text
  }
}
