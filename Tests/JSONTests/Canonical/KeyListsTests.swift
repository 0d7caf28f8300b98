import SwiftBoardJSON
import Testing

/// All keys of an object, asked for again and again by types that agree on some names and not on
/// others.
@Suite struct KeyListsTests {
  private enum First: Codable, Equatable {
    case x(Int), y(Int), a(Int), longEnoughToBeCutSomewhere(Int)
  }
  private enum Second: Codable, Equatable { case x(Int), z(Int), a(Int) }

  /// Says which of its keys an object has.
  private struct Named<Key: CodingKey>: Decodable {
    let keys: [String]
    init(from decoder: any Decoder) throws {
      keys = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
    }
  }
  private enum XY: String, CodingKey { case x, y }
  private enum XZ: String, CodingKey { case x, z }

  private struct Both: Decodable {
    let xy: [String]
    let xz: [String]
    init(from decoder: any Decoder) throws {
      xy = try Named<XY>(from: decoder).keys
      xz = try Named<XZ>(from: decoder).keys
    }
  }

  private func decoded<Value: Decodable>(_: Value.Type, _ text: String) throws -> Value {
    try CanonicalDecoder.decode(Value.self, from: Array(text.utf8))
  }

  @Test("types with the same names are kept apart") func typesWithTheSameNamesAreKeptApart() throws
  {
    let text =
      #"[{"x":1},{"y":1},{"z":1},{"x":2},{"q":1},{"y":2},{"z":2},{"\u0078":3},{},{"x":1,"y":2}]"#
    let both = try decoded([Both].self, text)
    #expect(
      both.map(\.xy) == [["x"], ["y"], [], ["x"], [], ["y"], [], ["x"], [], ["x", "y"]])
    #expect(both.map(\.xz) == [["x"], [], ["z"], ["x"], [], [], ["z"], ["x"], [], ["x"]])
  }

  @Test("enumerations come back in any order") func enumerationsComeBackInAnyOrder() throws {
    let first: [First] = (0..<60).map {
      [.x($0), .y($0), .a($0), .longEnoughToBeCutSomewhere($0)][$0 * 7 % 4]
    }
    let second: [Second] = (0..<60).map { [.x($0), .z($0), .a($0)][$0 * 5 % 3] }
    struct Pair: Codable { let first: First; let second: Second }
    let pairs = zip(first, second).map { Pair(first: $0, second: $1) }
    let again = try CanonicalDecoder.decode(
      [Pair].self, from: try CanonicalEncoder.encode(pairs))
    #expect(again.map(\.first) == first)
    #expect(again.map(\.second) == second)
    #expect(throws: DecodingError.self) {
      try decoded([Second].self, #"[{"x":{"_0":1}},{"y":{"_0":1}}]"#)
    }
  }
}
