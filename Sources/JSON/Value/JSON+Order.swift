extension JSON {
  /// Compares two values for sorting. The order is null, false, true, numbers, strings, arrays,
  /// objects.
  ///
  /// Numbers compare by their exact decimal value, so `1`, `1.0` and `10e-1` are equal and 2⁵³ + 1
  /// is above 2⁵³. Strings compare by their UTF-8 bytes, arrays element by element, objects member
  /// by member in their order. A `.number` that is not a number sorts after the numbers, by its
  /// bytes.
  ///
  /// - Returns: -1, 0 or 1.
  public static func compare(_ left: JSON, _ right: JSON) -> Int {
    switch (left, right) {
    case (.number(let a), .number(let b)):
      if let a = Int(a), let b = Int(b) { return sign(a, b) }
      return switch (NumberLiteral(a), NumberLiteral(b)) {
      case (.some(let a), .some(let b)): NumberLiteral.compare(a, b)
      case (.some, nil): -1
      case (nil, .some): 1
      case (nil, nil): compare(a, b)
      }
    case (.string(let a), .string(let b)):
      return compare(a, b)
    case (.array(let a), .array(let b)):
      for (left, right) in zip(a, b) {
        let order = compare(left, right)
        if order != 0 { return order }
      }
      return sign(a.count, b.count)
    case (.object(let a), .object(let b)):
      for (left, right) in zip(a, b) {
        let keys = compare(left.key, right.key)
        if keys != 0 { return keys }
        let values = compare(left.value, right.value)
        if values != 0 { return values }
      }
      return sign(a.count, b.count)
    default:
      return sign(left.rank, right.rank)
    }
  }

  private static func sign(_ left: Int, _ right: Int) -> Int {
    left == right ? 0 : left < right ? -1 : 1
  }

  private static func compare(_ left: String, _ right: String) -> Int {
    var left = left
    var right = right
    return left.withUTF8 { left in right.withUTF8 { sign(compareBytes(left, $0), 0) } }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .bool(false): 1
    case .bool(true): 2
    case .number: 3
    case .string: 4
    case .array: 5
    case .object: 6
    }
  }
}

extension JSON {
  /// A text that is equal for two values if and only if they are equal: numbers by value, objects
  /// regardless of the order of their members. Takes linear time, except for sorting members.
  package var equalityKey: String {
    var key = ""
    write(to: &key)
    return key
  }

  private func write(to key: inout String) {
    switch self {
    case .number(let text):
      guard let number = NumberLiteral(text) else { return key += text }
      key += number.isNegative ? "-" : "+"
      key += String(decoding: number.digits, as: UTF8.self) + "e\(number.exponent)"
    case .array(let elements):
      key += "["
      for element in elements {
        element.write(to: &key)
        key += ","
      }
      key += "]"
    case .object(let members):
      key += "{"
      for member in members.sorted(by: { JSON.compare(.string($0.key), .string($1.key)) < 0 }) {
        key += JSON.string(member.key).text + ":"
        member.value.write(to: &key)
        key += ","
      }
      key += "}"
    default: key += text
    }
  }
}
