extension JSON {
  /// A number with the digits of `value`.
  public init(_ value: some BinaryInteger) { self = .number(String(value)) }

  /// A number as `Double.description` writes it; the strings `inf`, `-inf` and `nan` for what JSON
  /// has no number for.
  public init(_ value: Double) {
    self = value.isFinite ? .number(value.description) : .string(value.description)
  }

  /// A string.
  public init(_ value: String) { self = .string(value) }
  /// A boolean.
  public init(_ value: Bool) { self = .bool(value) }

  /// Whether the value is `null`; an absent member is `nil` and not this.
  public var isNull: Bool { self == .null }

  /// The text of a string; nil for all else.
  public var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number if it is an `Int` exactly, as `7`, `7.0` and `7e2` are; nil for all else.
  public var intValue: Int? {
    guard case .number(let literal) = self else { return nil }
    return Int(literal)
      ?? NumberLiteral(literal).flatMap { number in
        number.isIntegral ? number.integerText.flatMap { Int($0) } : nil
      }
  }

  /// The number, rounded to the nearest `Double`; nil for all else and for what is beyond its
  /// range.
  public var doubleValue: Double? {
    guard case .number(let literal) = self, let value = Double(literal), value.isFinite else {
      return nil
    }
    return value
  }

  /// The truth value; nil for all else, the numbers 0 and 1 too.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// An object's members in their order; nil for all else.
  public var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// An array's elements; nil for all else.
  public var elements: [JSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self.init(value) }
  public init(floatLiteral value: Double) { self.init(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }

  /// Members in the order written; equal keys are all kept.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
