import SwiftBoardJSON
import SwiftBoardTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct DecodingTests {
  private func decode<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
    try CanonicalDecoder.decode(type, from: text.utf8)
  }

  @Test("every kind of value comes back", arguments: 0..<8)
  func zooRoundTrip(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<10 {
      let zoo = Zoo.random(&random)
      let bytes = try CanonicalEncoder.encode(zoo)
      let back = try CanonicalDecoder.decode(Zoo.self, from: bytes)
      #expect(back == zoo)
      #expect(try CanonicalEncoder.encode(back) == bytes)
      let json = try JSON(parsing: bytes, limits: .strict)
      #expect(CanonicalEncoder.encode(json: json) == bytes)
      #expect(try CanonicalDecoder.decode(Zoo.self, from: json) == zoo)
    }
  }

  /// JSONEncoder and JSONDecoder see the same shape, as far as they can: no sets, dates or
  /// infinities.
  @Test("the shape is that of Foundation") func sameShapeAsFoundation() throws {
    var random = SeededRandom(seed: 5)
    for _ in 0..<50 {
      var zoo = Zoo.random(&random)
      zoo.points = []
      zoo.byPoint = [:]
      zoo.byKind = [:]
      zoo.tags = Zoo.Tags(rawValue: [])
      zoo.double = 0.5
      zoo.float = 0.25
      zoo.date = Date(timeIntervalSinceReferenceDate: 0)
      struct WithoutDate: Encodable {
        var zoo: Zoo
        enum Key: CodingKey {
          case action, actions, byName, byNumber, data, nested, url, uuid, duration, range
        }
        func encode(to encoder: any Encoder) throws {
          var container = encoder.container(keyedBy: Key.self)
          try container.encode(zoo.action, forKey: .action)
          try container.encode(zoo.actions, forKey: .actions)
          try container.encode(zoo.byName, forKey: .byName)
          try container.encode(zoo.byNumber, forKey: .byNumber)
          try container.encode(zoo.data, forKey: .data)
          try container.encode(zoo.nested, forKey: .nested)
          try container.encodeIfPresent(zoo.url, forKey: .url)
          try container.encode(zoo.uuid, forKey: .uuid)
          try container.encode(zoo.duration, forKey: .duration)
          try container.encode(zoo.range, forKey: .range)
        }
      }
      let theirs = try JSON(parsing: JSONEncoder().encode(WithoutDate(zoo: zoo)))
      #expect(try canonical(WithoutDate(zoo: zoo)) == theirs.canonical)
    }
  }

  @Test("JSON goes through other coders") func jsonThroughOtherCoders() throws {
    let value = try JSON(parsing: #"{"a":[1,-2.5,"x",null,true,18446744073709551615],"b":{}}"#)
    let data = try JSONEncoder().encode(value)
    #expect(try JSON(parsing: data).canonical == value.canonical)
    #expect(try JSONDecoder().decode(JSON.self, from: data).canonical == value.canonical)
    #expect(try decode([JSON].self, #"[{"b":1,"a":2.50}]"#).first?.text == #"{"b":1,"a":2.50}"#)
  }

  @Test("numbers are exact") func numbersAreExact() throws {
    #expect(try decode(Int.self, "-9223372036854775808") == .min)
    #expect(try decode(UInt64.self, "18446744073709551615") == .max)
    #expect(try decode(Int8.self, "-128") == -128)
    #expect(try decode(Int.self, "1e3") == 1000)
    #expect(try decode(Int.self, "-2.0") == -2)
    for text in ["9223372036854775808", "1.5", "1e99", "1e999999999999999999", "\"1\"", "true"] {
      #expect(throws: DecodingError.self) { try decode(Int.self, text) }
    }
    #expect(throws: DecodingError.self) { try decode(Int8.self, "128") }
    #expect(throws: DecodingError.self) { try decode(UInt.self, "-1") }
    #expect(try decode(Double.self, "12345678901234567890") == 12_345_678_901_234_567_168)
    #expect(try decode(Double.self, "0.1") == 0.1)
    #expect(try decode(Float.self, "0.1") == 0.1)
    #expect(try decode(Float.self, "16777217") == 16_777_216)
    #expect(throws: DecodingError.self) { try decode(Double.self, "1e400") }
    #expect(throws: DecodingError.self) { try decode(Double.self, "\"Infinity\"") }
    #expect(throws: DecodingError.self) { try decode(Float.self, "1e39") }
  }

  @Test("errors know the path") func errorsKnowThePath() throws {
    struct Response: Codable {
      var status: Int
    }
    enum API: Codable { case responded(Response) }
    enum Action: Codable { case api(API) }
    struct Line: Codable {
      var action: Action
    }
    func context(_ text: String) -> DecodingError.Context? {
      let error = #expect(throws: DecodingError.self) { try decode(Line.self, text) }
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        return context
      default: return nil
      }
    }
    // Unlabelled payloads are called _0.
    let wrong = context(
      #"{"a":[1,{}],"action":{"api":{"_0":{"responded":{"_0":{"status":"x"}}}}}}"#)
    #expect(
      wrong?.codingPath.map(\.stringValue) == ["action", "api", "_0", "responded", "_0", "status"])
    #expect(wrong?.debugDescription == #"found the string "x", expected an integer"#)
    let missing = context(#"{"action":{"api":{"_0":{"responded":{"_0":{}}}}}}"#)
    #expect(missing?.codingPath.map(\.stringValue) == ["action", "api", "_0", "responded", "_0"])
    #expect(missing?.debugDescription == #"found no key "status", expected one"#)
    #expect(context(#"{"action":{}}"#)?.codingPath.map(\.stringValue) == ["action"])
    let syntax = context("{\n1}")
    #expect(
      syntax?.underlyingError as? JSONError
        == JSONError(
          offset: 2, line: 2, column: 1, message: "found '1', expected a key in quotes or '}'"))
    let element = #expect(throws: DecodingError.self) { try decode([[Int]].self, "[[],[1,null]]") }
    guard case .valueNotFound(_, let found) = element else {
      Issue.record("expected a value not found")
      return
    }
    #expect(found.codingPath.map(\.intValue) == [1, 1])
  }

  @Test("keys are found in any order and with escapes") func keysInAnyOrderWithEscapes() throws {
    let text = #"{"y":2,"extra":{"x":9},"\u0078":1}"#
    #expect(try decode(Zoo.Point.self, text) == Zoo.Point(x: 1, y: 2))
    #expect(try decode([String: Int].self, #"{"b":1,"a":2,"b":3}"#) == ["b": 3, "a": 2])
    #expect(try decode(Zoo.Point.self, #"{"x":1,"y":2,"x":3}"#) == Zoo.Point(x: 3, y: 2))
    #expect(throws: DecodingError.self) {
      try CanonicalDecoder.decode(
        Zoo.Point.self, from: #"{"x":1,"y":2,"x":3}"#.utf8, limits: .strict)
    }
    let many = Dictionary(uniqueKeysWithValues: (0..<2000).map { ("key \($0)", $0) })
    #expect(
      try CanonicalDecoder.decode([String: Int].self, from: CanonicalEncoder.encode(many)) == many)
  }

  @Test("null and absent are told apart") func nullAndAbsent() throws {
    struct Optionals: Codable, Equatable {
      var a: Int?
      var b: String?
      var c: [Int]?
      var d: Bool?
      var e: UInt8?
    }
    #expect(try decode(Optionals.self, "{}") == Optionals())
    #expect(try decode(Optionals.self, #"{"a":null,"b":null,"c":null,"e":null}"#) == Optionals())
    #expect(
      try decode(Optionals.self, #"{"a":1,"b":"x","c":[2],"d":true,"e":3}"#)
        == Optionals(a: 1, b: "x", c: [2], d: true, e: 3))
    #expect(throws: DecodingError.self) { try decode(Optionals.self, #"{"a":"1"}"#) }
    #expect(try decode([Int?].self, "[null,1,null]") == [nil, 1, nil])
    #expect(try decode(Int?.self, "null") == nil)
  }

  @Test("Foundation's types refuse other text") func foundationTypesRefuseOtherText() throws {
    #expect(throws: DecodingError.self) { try decode(UUID.self, "\"x\"") }
    #expect(throws: DecodingError.self) { try decode(Date.self, "\"2026-02-29T00:00:00.000000Z\"") }
    #expect(throws: DecodingError.self) { try decode(Date.self, "1") }
    for text in ["A", "AA", "AAA", "A===", "Zh==", "Zm9=", "Z m8", "Zm8=Zm8=", "===="] {
      #expect(throws: DecodingError.self, "\(text)") { try decode(Data.self, "\"\(text)\"") }
    }
  }

  @Test("all truncations and damages are clean") func allTruncationsAndDamagesAreClean() throws {
    var random = SeededRandom(seed: 77)
    let bytes = try CanonicalEncoder.encode(Zoo.random(&random))
    for length in stride(from: 0, to: bytes.count, by: 5) {
      #expect(throws: DecodingError.self) {
        try CanonicalDecoder.decode(Zoo.self, from: bytes[..<length])
      }
    }
    for position in stride(from: 0, to: bytes.count, by: 5) {
      var damaged = bytes
      damaged[position] = UInt8.random(in: 0...255, using: &random)
      do {
        let zoo = try CanonicalDecoder.decode(Zoo.self, from: damaged)
        _ = try CanonicalEncoder.encode(zoo)
      } catch {
        #expect(error is DecodingError)
      }
    }
  }
}
