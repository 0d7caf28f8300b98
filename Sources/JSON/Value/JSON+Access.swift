extension JSON {
  /// Creates a number with the digits of `value`.
  public init(_ value: some BinaryInteger) { self = .number(String(value)) }

  /// Creates a number with the text of `Double.description`, or the strings `inf`, `-inf` and
  /// `nan`, which are not JSON numbers.
  public init(_ value: Double) {
    self = value.isFinite ? .number(value.description) : .string(value.description)
  }

  /// Creates a string, or `null` for `nil`.
  package init(_ text: String?) { self = text.map(JSON.string) ?? .null }

  /// Whether the value is `null`. An absent member is `nil`, not `null`.
  public var isNull: Bool { self == .null }

  /// The text of a string, or `nil` for any other value.
  public var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number if it is exactly an `Int`, such as `7`, `7.0` and `7e2`, or `nil` for any other
  /// value.
  public var intValue: Int? {
    guard case .number(let literal) = self else { return nil }
    return Int(literal)
      ?? NumberLiteral(literal).flatMap { number in
        number.isIntegral ? number.integerText.flatMap { Int($0) } : nil
      }
  }

  /// The number rounded to the nearest `Double`, or `nil` for any other value and for numbers out
  /// of range.
  public var doubleValue: Double? {
    guard case .number(let literal) = self, let value = Double(literal), value.isFinite else {
      return nil
    }
    return value
  }

  /// The Boolean value, or `nil` for any other value, including the numbers 0 and 1.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The members of an object in order, or `nil` for any other value.
  public var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The elements of an array, or `nil` for any other value.
  public var elements: [JSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Creates `null`.
  public init(nilLiteral: ()) { self = .null }
  /// Creates `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates a number.
  public init(integerLiteral value: Int) { self.init(value) }
  /// Creates a number.
  public init(floatLiteral value: Double) { self.init(value) }
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }

  /// Creates an object with the members in the given order. Equal keys are all kept.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
