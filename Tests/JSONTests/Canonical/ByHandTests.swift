import SwiftBoardJSON
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The fast path and `Codable` of one type, side by side.
private enum Action: Codable, Equatable, CanonicalCodable {
  case responded(status: Int, body: String, tags: Set<String>)
  case tapped
  case rows([Row])

  struct Row: Codable, Equatable {
    var id: UUID
    var seen: Date?
  }

  func encodeCanonical(to writer: inout CanonicalWriter) throws {
    writer.beginObject()
    switch self {
    case .responded(let status, let body, let tags):
      writer.key("responded")
      writer.beginObject()
      writer.key("status")
      writer.int(status)
      writer.key("body")
      writer.string(body)
      writer.key("tags")
      try writer.value(tags)
      writer.endObject()
    case .tapped:
      writer.key("tapped")
      writer.beginObject()
      writer.endObject()
    case .rows(let rows):
      writer.key("rows")
      writer.beginObject()
      writer.key("_0")
      try writer.value(rows)
      writer.endObject()
    }
    writer.endObject()
  }

  init(canonical reader: inout CanonicalReader) throws {
    if let payload = try? reader.member("responded") {
      let tags = try payload.member("tags").decode(Set<String>.self)
      self = .responded(
        status: try payload.member("status").int(), body: try payload.member("body").string(),
        tags: tags)
    } else if let payload = try? reader.member("rows") {
      self = .rows(try payload.member("_0").decode([Row].self))
    } else if (try? reader.member("tapped")) != nil {
      self = .tapped
    } else {
      throw reader.error(expected: "responded, tapped or rows")
    }
  }
}

/// The same shape without the fast path.
private enum Plain: Codable {
  case responded(status: Int, body: String, tags: Set<String>)
  case tapped
  case rows([Action.Row])
}

private class Plant: Encodable {
  private enum CodingKeys: CodingKey { case plant }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(true, forKey: .plant)
  }
}

private final class Tree: Plant, CanonicalCodable {
  override init() {}
  func encodeCanonical(to writer: inout CanonicalWriter) { writer.string("tree") }
  init(canonical reader: inout CanonicalReader) throws {}
}

@Suite struct ByHandTests {
  @Test("a subclass takes its own way of encoding") func subclassWithTheFastPath() throws {
    let plants = [Plant(), Tree(), Plant(), Tree()]
    #expect(try canonical(plants) == #"[{"plant":true},"tree",{"plant":true},"tree"]"#)
    #expect(
      try plants.map { try canonical($0) } == [
        #"{"plant":true}"#, #""tree""#, #"{"plant":true}"#, #""tree""#,
      ])
  }

  private static let id = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))

  private let pairs: [(Action, Plain)] = [
    (
      .responded(status: -4, body: "a\"é", tags: ["y", "x"]),
      .responded(status: -4, body: "a\"é", tags: ["y", "x"])
    ),
    (.tapped, .tapped),
    (
      .rows([.init(id: id, seen: nil), .init(id: id, seen: Date(timeIntervalSince1970: 1))]),
      .rows([.init(id: id, seen: nil), .init(id: id, seen: Date(timeIntervalSince1970: 1))])
    ),
  ]

  @Test("both ways write the same") func bothWaysWriteTheSame() throws {
    for (action, plain) in pairs {
      let bytes = try CanonicalEncoder.encode(plain)
      #expect(try CanonicalEncoder.encode(action) == bytes)
      #expect(try canonical(["a": [action]]) == canonical(["a": [plain]]))
      #expect(try CanonicalDecoder.decode(Action.self, from: bytes) == action)
      #expect(
        try CanonicalDecoder.decode([Action].self, from: CanonicalEncoder.encode([plain])) == [
          action
        ])
    }
  }

  @Test("errors inside name their path") func errorsInside() throws {
    let bad = Action.rows([.init(id: Self.id, seen: Date(timeIntervalSince1970: 1e14))])
    let failed = #expect(throws: EncodingError.self) { try canonical(["k": bad]) }
    if case .invalidValue(_, let context) = failed {
      #expect(
        context.codingPath.map(\.stringValue) == ["k", "rows", "_0", "Index 0", "seen"])
    }
    let error = #expect(throws: DecodingError.self) {
      try CanonicalDecoder.decode([Action].self, from: #"[{"responded":{"tags":[1]}}]"#.utf8)
    }
    guard case .typeMismatch(_, let context) = error else {
      Issue.record("expected a type mismatch")
      return
    }
    #expect(
      context.codingPath.map(\.stringValue) == ["Index 0", "responded", "tags", "Index 0"])
  }

  @Test("a reader takes what it is asked for") func readerTakesWhatItIsAskedFor() throws {
    let line =
      #"{"k":"step","n":7,"action":{"tapped":{}},"by":null,"m":[1,{"x":2}],"\u0071":"a\nb"}"#
    var reader = try CanonicalReader(parsing: line.utf8, limits: .strict)
    #expect(try reader.member("k").string() == "step")
    #expect(try reader.member("n").integer(UInt8.self) == 7)
    #expect(try reader.member("by").isNull)
    #expect(try reader.member("q").string() == "a\nb")
    let action = try reader.member("action")
    #expect(try action.decode(Action.self) == .tapped)
    #expect(action.withBytes { String(decoding: $0, as: UTF8.self) } == #"{"tapped":{}}"#)
    #expect(try reader.member("k").withBytes { String(decoding: $0, as: UTF8.self) } == "\"step\"")
    #expect(try reader.member("m").json() == [1, ["x": 2]])
    #expect(throws: DecodingError.self) { try reader.member("none") }
    #expect(throws: DecodingError.self) { try reader.member("n").member("x") }

    // The memory is used again, but never under a reader that is still there.
    try reader.read("[true]".utf8)
    #expect(reader.json() == [true])
    #expect(try action.decode(Action.self) == .tapped)
    #expect(throws: JSONError.self) { try reader.read("[true".utf8) }
    #expect(reader.isNull)
    try reader.read("2".utf8)
    #expect(try reader.int() == 2)
  }

  @Test("a writer by itself writes a value") func writerAlone() throws {
    var writer = CanonicalWriter(capacity: 1)
    writer.beginObject()
    writer.key("z")
    writer.uint(UInt8(3))
    writer.key("a")
    writer.beginArray()
    writer.string("b")
    writer.int(1)
    writer.endArray()
    writer.key("m")
    #expect(throws: EncodingError.self) { try writer.date(Date(timeIntervalSince1970: .nan)) }
    writer.null()
    writer.endObject()
    #expect(writer.array == Array(#"{"a":["b",1],"m":null,"z":3}"#.utf8))
    writer.removeAll()
    writer.bool(false)
    #expect(writer.array == Array("false".utf8))
  }
}

/// Keys that are literals, of every length at which they are written in another way.
struct LiteralKeyTests {
  private static let keys: [(StaticString, String)] = [
    ("", ""), ("a", "a"), ("ab", "ab"), ("abc", "abc"), ("abcd", "abcd"), ("abcde", "abcde"),
    ("abcdef", "abcdef"), ("abcdefg", "abcdefg"), ("abcdefgh", "abcdefgh"),
    ("abcdefghi", "abcdefghi"), ("abcdefghijklmnopq", "abcdefghijklmnopq"), ("\"", "\""),
    ("a\\b", "a\\b"), ("abcdefg\n", "abcdefg\n"), ("abcdefgh\t", "abcdefgh\t"), ("é", "é"),
    ("ab\u{7F}", "ab\u{7F}"), ("日本語", "日本語"),
  ]

  @Test("literal keys are written as other keys are") func theyAreWrittenAsOtherKeysAre() {
    for (literal, string) in Self.keys {
      for (second, secondString) in Self.keys {
        var left = CanonicalWriter()
        left.beginObject()
        left.key(literal)
        left.int(1)
        left.key(second)
        left.int(2)
        left.endObject()
        var right = CanonicalWriter()
        right.beginObject()
        var strings = (string, secondString)
        strings.0.withUTF8 { right.key(utf8: $0) }
        right.int(1)
        strings.1.withUTF8 { right.key(utf8: $0) }
        right.int(2)
        right.endObject()
        #expect(left.array == right.array)
        #expect(
          right.array
            == CanonicalEncoder.encode(
              json: .object([
                .init(string, JSON(1)), .init(secondString, JSON(2)),
              ])))
      }
    }
  }

  @Test("keys with an escape at every place are written")
  func keysWithAnEscapeAtEveryPlaceAreWritten() throws {
    for length in 1...20 {
      for position in 0..<length {
        for byte: UInt8 in [0x00, 0x1F, 0x22, 0x5C, 0x20, 0x7F] {
          var key = [UInt8](repeating: UInt8(ascii: "x"), count: length)
          key[position] = byte
          var writer = CanonicalWriter()
          writer.beginObject()
          key.withUnsafeBufferPointer { writer.key(utf8: $0) }
          writer.null()
          writer.endObject()
          let read = try JSON(parsing: writer.array)
          #expect(read == .object([.init(String(decoding: key, as: UTF8.self), .null)]))
        }
      }
    }
  }
}

/// One encoder for many values gives what many encoders give.
struct ReusableEncoderTests {
  private struct Plain: Codable {
    var a = 1; var b: String? = nil; var c: [String: Int] = ["z": 1, "y": 2]
  }

  /// Writes to two containers in turns.
  private struct Turns: Encodable {
    enum Key: CodingKey { case x, y, z }
    func encode(to encoder: any Encoder) throws {
      var outer = encoder.container(keyedBy: Key.self)
      var inner = outer.nestedContainer(keyedBy: Key.self, forKey: .y)
      try inner.encode(1, forKey: .x)
      try outer.encode(2, forKey: .x)
      try inner.encode(3, forKey: .z)
    }
  }

  private struct Failing: Encodable {
    struct Reason: Error {}
    enum Key: CodingKey { case x }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: .x)
      throw Reason()
    }
  }

  /// Keeps its encoder, and writes to it when it is all over.
  private final class Keeper: Encodable {
    var kept: (any Encoder)?
    func encode(to encoder: any Encoder) throws {
      kept = encoder
      var container = encoder.singleValueContainer()
      try container.encode("kept")
    }
  }

  @Test("values of many kinds follow each other") func valuesOfManyKindsFollowEachOther() throws {
    var encoder = ReusableEncoder()
    func expectSame(_ value: some Encodable) throws {
      try encoder.encode(value)
      #expect(encoder.withBytes { Array($0) } == (try CanonicalEncoder.encode(value)))
    }
    for _ in 0..<3 {
      try expectSame(Plain())
      try expectSame(Turns())
      #expect(throws: Failing.Reason.self) { try encoder.encode(Failing()) }
      try expectSame([Plain(), Plain(a: 2, b: "b")])
      let keeper = Keeper()
      try expectSame(keeper)
      var late = try #require(keeper.kept).singleValueContainer()
      try expectSame(7)
      try? late.encode("late")
      #expect(encoder.withBytes { Array($0) } == Array("7".utf8))
      try expectSame(Plain())
    }
  }
}
