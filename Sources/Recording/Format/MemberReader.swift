import SwiftBoardJSON

/// Removes the known members of an object one by one. The remaining ones are `extra`.
struct MemberReader {
  private let owner: String
  private var members: [JSON.Member]

  /// Creates a reader. `owner` names the object in messages, for example `step` or `step.by`.
  init(_ members: [JSON.Member], in owner: String) {
    self.members = members
    self.owner = owner
  }

  init(_ value: JSON, in owner: String) throws(LogReadError) {
    guard case .object(let members) = value else {
      throw .fault("\(owner) is not an object", expected: "an object", found: .value(value))
    }
    self.init(members, in: owner)
  }

  var rest: [JSON.Member] { members }

  mutating func value(_ key: String) -> JSON? {
    // Members are nearly always in the order in which they are requested.
    guard let index = members.firstIndex(where: { $0.key == key }) else { return nil }
    return members.remove(at: index).value
  }

  mutating func required(_ key: String) throws(LogReadError) -> JSON {
    guard let value = value(key) else {
      throw .fault("\(owner) has no \(key)", expected: "\"\(key)\"", found: "no such member")
    }
    return value
  }

  mutating func string(_ key: String) throws(LogReadError) -> String {
    guard let value = try optionalString(key) else {
      throw .fault("\(owner) has no \(key)", expected: "\"\(key)\"", found: "no such member")
    }
    return value
  }

  mutating func optionalString(_ key: String) throws(LogReadError) -> String? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value else {
      throw .fault("\(owner).\(key) is not a string", expected: "a string", found: .value(value))
    }
    return text
  }

  /// Removes and returns a whole number from 0.
  mutating func count(_ key: String) throws(LogReadError) -> Int {
    let value = try required(key)
    guard case .number(let digits) = value, let number = Int(digits), number >= 0,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      throw .fault(
        "\(owner).\(key) is not a whole number", expected: "a whole number from 0",
        found: .value(value))
    }
    return number
  }

  mutating func digest() throws(LogReadError) -> Digest {
    guard let digest = try optionalDigest() else {
      throw .fault("\(owner) has no digest", expected: "\"digest\"", found: "no such member")
    }
    return digest
  }

  mutating func optionalDigest(_ key: String = "digest") throws(LogReadError) -> Digest? {
    guard let text = try optionalString(key) else { return nil }
    guard let digest = Digest(text) else {
      throw .fault(
        "\(owner).\(key) is not a digest",
        expected: "xxh64: and 16 lowercase hexadecimal digits",
        found: .value(.string(text)))
    }
    return digest
  }

  mutating func array(_ key: String) throws(LogReadError) -> [JSON]? {
    guard let value = value(key) else { return nil }
    guard case .array(let elements) = value else {
      throw .fault("\(owner).\(key) is not an array", expected: "an array", found: .value(value))
    }
    return elements
  }

  /// Removes and returns an array that is absent if it has no elements.
  mutating func filledArray(_ key: String) throws(LogReadError) -> [JSON]? {
    let elements = try array(key)
    guard elements?.isEmpty != true else {
      throw .fault(
        "\(owner).\(key) is empty", expected: "at least one element, or no \"\(key)\"",
        found: "[]")
    }
    return elements
  }
}

/// Returns a value for a message: shortened, with its control characters escaped.
func describe(_ value: JSON) -> String {
  switch value {
  case .object(let members) where !members.isEmpty:
    "an object with \(members.count) member\(members.count == 1 ? "" : "s")"
  case .array(let elements) where !elements.isEmpty: "an array of \(elements.count)"
  default: shortened(value.description, to: 80)
  }
}
