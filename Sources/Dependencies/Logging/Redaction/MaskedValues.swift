import SwiftBoardJSON

/// The number of values of known secrets that were replaced by marks in the result of an effect.
public struct MaskedValues: Codable, Sendable, Equatable {
  /// The number of marks.
  public var count: Int
  /// The names of the secrets, in the order of the first mark of each.
  public var names: [String]

  /// - Parameter names: The secret of each mark.
  /// - Returns: `nil` if there is none.
  public init?(_ names: [String]) {
    guard !names.isEmpty else { return nil }
    count = names.count
    self.names = names.reduce(into: []) { unique, name in
      if !unique.contains(name) { unique.append(name) }
    }
  }

  /// - Parameter other: The values that were replaced elsewhere in the same result.
  package init?(_ names: [String], and other: MaskedValues?) {
    self.init(names + (other?.names ?? []))
    if let other { count = names.count + other.count }
  }

  /// A message for standard error.
  package var note: String {
    let secrets = names.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    return count == 1
      ? "1 value is masked: it is the secret \(secrets)"
      : "\(count) values are masked: they are of \(names.count == 1 ? "the secret" : "the secrets") "
        + secrets + (names.count > 3 ? " and \(names.count - 3) more" : "")
  }
}

extension Redactor {
  /// Replaces known secrets by marks in every text of an effect's result, before it becomes an
  /// action.
  ///
  /// Numbers stay unchanged because a numeric type cannot hold a mark. Cost: that of encoding the
  /// value, and of decoding it if it contains a secret.
  ///
  /// - Throws: What encoding or decoding throws.
  package func masking<Value: Codable>(_ value: Value) throws -> (
    value: Value, masked: MaskedValues?
  ) {
    guard hasSecrets else { return (value, nil) }
    let bytes = try CanonicalEncoder.encode(value)
    guard !mask(bytes).names.isEmpty else { return (value, nil) }
    var names: [String] = []
    let masked = masking(try JSON(parsing: bytes), &names)
    guard let found = MaskedValues(names) else { return (value, nil) }
    return (try CanonicalDecoder.decode(Value.self, from: Array(masked.text.utf8)), found)
  }

  /// Replaces known secrets in a value of a state or an action by marks, also in numbers and keys,
  /// before a part of the value is shown. O(size).
  package func masking(_ value: JSON) -> (value: JSON, names: [String]) {
    guard hasSecrets else { return (value, []) }
    if case .string(let text) = value {
      let masked = mask(text)
      return (.string(masked.value), masked.names)
    }
    let masked = mask(value.text, isJSON: true)
    guard !masked.names.isEmpty else { return (value, []) }
    return ((try? JSON(parsing: masked.value)) ?? .string(masked.value), masked.names)
  }

  private func masking(_ json: JSON, _ names: inout [String]) -> JSON {
    switch json {
    case .string(let text):
      let masked = mask(text)
      names += masked.names
      return .string(masked.value)
    case .array(let elements):
      return .array(elements.map { masking($0, &names) })
    case .object(let members):
      // Keys are the names of members of the board's own types, or of variables.
      return .object(members.map { JSON.Member($0.key, masking($0.value, &names)) })
    default: return json
    }
  }
}
