import SwiftBoardJSON
import Testing

/// Integers beyond 64 bits, by hand and through `Codable`.
@Suite struct WideIntegerTests {
  private static let signed: [Int128] = [
    .min, .min + 1, -(1 << 100), -(1 << 64), Int128(Int.min) - 1, Int128(Int.min), -1, 0, 1,
    Int128(Int.max), Int128(Int.max) + 1, Int128(UInt.max), Int128(UInt.max) + 1, 1 << 100,
    100_000_000_000_000_000_000, .max,
  ]
  private static let unsigned: [UInt128] = [
    0, 1, UInt128(UInt.max), UInt128(UInt.max) + 1, 1 << 100, 10_000_000_000_000_000_000, .max,
  ]

  private struct Pair: Codable, Equatable {
    var signed: Int128
    var list: [UInt128]
  }

  private func written(_ write: (inout CanonicalWriter) -> Void) -> String {
    var writer = CanonicalWriter()
    write(&writer)
    return String(decoding: writer.array, as: UTF8.self)
  }

  @Test("signed keeps all its digits", arguments: signed) func signedKeepsAllItsDigits(
    _ value: Int128
  ) throws {
    let text = written { $0.int(value) }
    #expect(text == "\(value)")
    #expect(try CanonicalReader(parsing: text.utf8).integer(Int128.self) == value)
  }

  @Test("unsigned keeps all its digits", arguments: unsigned) func unsignedKeepsAllItsDigits(
    _ value: UInt128
  ) throws {
    let text = written { $0.uint(value) }
    #expect(text == "\(value)")
    #expect(try CanonicalReader(parsing: text.utf8).integer(UInt128.self) == value)
  }

  @Test("codable writes the same") func codableWritesTheSame() throws {
    for value in Self.signed {
      #expect(try canonical(value) == "\(value)")
      #expect(try canonical([value]) == "[\(value)]")
      let pair = Pair(signed: value, list: Self.unsigned)
      let bytes = try CanonicalEncoder.encode(pair)
      #expect(try CanonicalDecoder.decode(Pair.self, from: bytes) == pair)
    }
    for value in Self.unsigned {
      #expect(try canonical(value) == "\(value)")
      #expect(try CanonicalDecoder.decode(UInt128.self, from: Array("\(value)".utf8)) == value)
    }
  }

  @Test("what does not fit is refused") func whatDoesNotFitIsRefused() {
    let beyond = Array("170141183460469231731687303715884105728".utf8)
    #expect(throws: DecodingError.self) {
      try CanonicalDecoder.decode(Int128.self, from: beyond)
    }
    #expect(throws: DecodingError.self) {
      try CanonicalDecoder.decode(UInt128.self, from: Array("-1".utf8))
    }
  }
}
