import SwiftBoardJSON
import Testing

/// What is written by hand and is no value is an error, wherever it stands, and never half a JSON.
@Suite struct MisusedWriterTests {
  struct Hand: CanonicalEncodable, Encodable {
    let write: @Sendable (inout CanonicalWriter) -> Void

    func encodeCanonical(to writer: inout CanonicalWriter) throws { write(&writer) }
    func encode(to encoder: any Encoder) throws { try "unused".encode(to: encoder) }
  }

  static let mistakes: [Hand] = [
    Hand { _ in },
    Hand { $0.beginObject() },
    Hand {
      $0.beginArray(); $0.int(1)
    },
    Hand {
      $0.int(1); $0.int(2)
    },
    Hand {
      $0.beginObject(); $0.endObject(); $0.beginObject(); $0.endObject()
    },
    Hand {
      $0.beginObject(); $0.key("a"); $0.endObject()
    },
    Hand {
      $0.beginObject(); $0.key("b"); $0.int(1); $0.key("a"); $0.endObject()
    },
    Hand {
      $0.beginObject(); $0.key("a"); $0.key("b"); $0.int(1); $0.endObject()
    },
    Hand {
      $0.beginObject(); $0.int(1); $0.endObject()
    },
    Hand {
      $0.beginObject(); $0.key("a"); $0.int(1); $0.int(2); $0.endObject()
    },
    Hand {
      $0.beginArray(); $0.int(1); $0.key("a"); $0.endArray()
    },
    Hand {
      $0.beginArray(); $0.key("a much longer key"); $0.endArray()
    },
    Hand {
      $0.beginArray(); $0.endObject()
    },
    Hand {
      $0.beginObject(); $0.endArray(); $0.endObject()
    },
    Hand { $0.endArray() },
    Hand {
      $0.key("a"); $0.int(1)
    },
  ]

  @Test("a mistake is an error", arguments: mistakes.indices)
  func aMistakeIsAnError(index: Int) {
    let value = Self.mistakes[index]
    #expect(throws: EncodingError.self) { try CanonicalEncoder.encode(value) }
    #expect(throws: EncodingError.self) { try CanonicalEncoder.encode([value]) }
    #expect(throws: EncodingError.self) { try CanonicalEncoder.encode(["a": value]) }
    var bytes: [UInt8] = [1]
    #expect(throws: EncodingError.self) {
      try CanonicalEncoder.encode(value, into: &bytes)
    }
    #expect(bytes == [1])
  }

  @Test("what is right is no mistake") func whatIsRightIsNoMistake() throws {
    let right = Hand {
      $0.beginObject()
      $0.key("c")
      $0.string("ends with a colon:")
      $0.key("a")
      $0.beginArray()
      $0.endArray()
      $0.key("a much longer key")
      $0.beginObject()
      $0.endObject()
      $0.endObject()
    }
    let text = #"{"a":[],"a much longer key":{},"c":"ends with a colon:"}"#
    #expect(String(decoding: try CanonicalEncoder.encode(right), as: UTF8.self) == text)
    #expect(
      String(decoding: try CanonicalEncoder.encode(["x": right]), as: UTF8.self)
        == "{\"x\":\(text)}")
    #expect(
      String(decoding: try CanonicalEncoder.encode([right, right]), as: UTF8.self)
        == "[\(text),\(text)]")
  }
}
