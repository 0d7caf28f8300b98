import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardDependencies

struct BodyDecoderTests {
  /// Decodes pieces and returns what came out, and whether the body is whole.
  private func decode(
    _ pieces: [[UInt8]], _ encoding: BodyDecoder.Encoding
  ) throws -> (bytes: [UInt8], isComplete: Bool) {
    let decoder = BodyDecoder(try #require(ZLibrary.loaded), encoding)
    var bytes: [UInt8] = []
    for piece in pieces {
      try piece.withUnsafeBytes { piece in
        try decoder.decode(piece) {
          bytes += $0
          return true
        }
      }
    }
    return (bytes, decoder.isComplete)
  }

  /// `abc` in a stored block (RFC 1951, 3.2.4).
  private static let stored: [UInt8] = [1, 3, 0, 0xFC, 0xFF, 0x61, 0x62, 0x63]
  /// The same in the format of RFC 1950, with its checksum.
  private static let wrapped: [UInt8] = [0x78, 0x01] + stored + [0x02, 0x4D, 0x01, 0x27]

  @Test("a body decodes to the same bytes, however it is cut into pieces", arguments: [1, 7, 1000])
  func pieces(length: Int) throws {
    let pieces = stride(from: 0, to: compressedZeros.count, by: length).map {
      Array(compressedZeros[$0..<min($0 + length, compressedZeros.count)])
    }
    let (bytes, isComplete) = try decode(pieces, .gzip)
    #expect(bytes.count == 200_000 && bytes.allSatisfy { $0 == 0 } && isComplete)
  }

  @Test("a body that ends anywhere before its end is not complete")
  func prefixes() throws {
    for count in 0..<compressedZeros.count {
      #expect(try !decode([Array(compressedZeros.prefix(count))], .gzip).isComplete, "\(count)")
    }
    for body in [Self.stored, Self.wrapped] {
      for count in 0..<body.count {
        #expect(try !decode([Array(body.prefix(count))], .deflate).isComplete, "\(count)")
      }
    }
  }

  @Test("deflate has a header or has none", arguments: [1, 100])
  func deflate(length: Int) throws {
    for body in [Self.stored, Self.wrapped] {
      let pieces = length == 1 ? body.map { [$0] } : [body]
      let (bytes, isComplete) = try decode(pieces, .deflate)
      #expect(bytes == Array("abc".utf8) && isComplete)
    }
  }

  @Test("gzip may have several members; other bytes behind the end are an error")
  func behindTheEnd() throws {
    let (bytes, isComplete) = try decode([compressedZeros, compressedZeros], .gzip)
    #expect(bytes.count == 400_000 && isComplete)
    #expect(throws: BodyDecoder.Stop.trailing) { try decode([compressedZeros + [0]], .gzip) }
    #expect(throws: BodyDecoder.Stop.trailing) { try decode([Self.wrapped + [0x78]], .deflate) }
  }

  @Test("other bytes, and a wrong checksum, are damage")
  func damage() throws {
    #expect(throws: BodyDecoder.Stop.damaged) { try decode([Array("no gzip".utf8)], .gzip) }
    var body = Self.wrapped
    body[body.count - 1] ^= 1
    #expect(throws: BodyDecoder.Stop.damaged) { try decode([body], .deflate) }
  }

  @Test("decoding stops when the receiver takes no more")
  func receiver() throws {
    let decoder = BodyDecoder(try #require(ZLibrary.loaded), .gzip)
    var count = 0
    #expect(throws: BodyDecoder.Stop.receiver) {
      try compressedZeros.withUnsafeBytes { body in
        try decoder.decode(body) {
          count += $0.count
          return false
        }
      }
    }
    #expect(count == 64 << 10)
  }
}
