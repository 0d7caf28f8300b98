import SwiftBoardRecording
import Testing

struct XXH64Tests {
  /// From the reference implementation.
  static let known: [(Int, UInt64)] = [
    (0, 0xef46_db37_51d8_e999),
    (1, 0xa96c_7f0c_e858_bbb7),
    (3, 0xbed4_3740_ee63_32bb),
    (4, 0xfa21_2ae4_4b3b_b23d),
    (7, 0x2744_460d_d675_d2c0),
    (8, 0x994b_676b_71ce_94dd),
    (15, 0x09e6_451e_d2ff_8b1d),
    (16, 0x94ad_0095_e72b_24d5),
    (31, 0x6711_d55e_306b_5d8f),
    (32, 0x07f7_b8e3_bc5d_6e25),
    (33, 0x09f8_5eeb_4e1c_be9f),
    (63, 0xb7c9_968c_066c_b6a5),
    (64, 0x50d4_159a_0411_632e),
    (100, 0x9dda_da11_d3dc_2d8f),
    (1000, 0x0bf0_bdbc_c82e_b373),
    (65537, 0x66b3_d0bd_2aa2_acfa),
  ]

  private static func sample(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ 7) }
  }

  @Test("short texts have the known hashes") func shortTextsHaveTheKnownHashes() {
    #expect(Digest(of: "".utf8).description == "xxh64:ef46db3751d8e999")
    #expect(Digest(of: "a".utf8).description == "xxh64:d24ec4f1a98c6e5b")
    #expect(Digest(of: "abc".utf8).description == "xxh64:44bc2cf5ad770999")
  }

  @Test("every length has the known hash", arguments: known) func everyLengthHasTheKnownHash(
    count: Int, hash: UInt64
  ) {
    #expect(XXH64.hash(Self.sample(count)) == hash)
  }

  @Test("pieces hash like the whole", arguments: [1, 3, 8, 31, 32, 33, 64, 1000])
  func piecesHashLikeTheWhole(piece: Int) {
    for (count, hash) in Self.known where count <= 1000 {
      let bytes = Self.sample(count)
      var hasher = XXH64()
      var position = 0
      while position < count {
        let end = min(position + piece, count)
        hasher.update(bytes[position..<end])
        position = end
      }
      #expect(hasher.finalize() == hash, "\(count) bytes in pieces of \(piece)")
    }
  }

  @Test("unaligned bytes hash the same") func unalignedBytesHashTheSame() {
    let bytes = Self.sample(200)
    for shift in 0..<16 {
      let padded = [UInt8](repeating: 0, count: shift) + bytes
      #expect(XXH64.hash(padded[shift...]) == XXH64.hash(bytes))
    }
  }

  @Test("sequences that are not contiguous hash the same")
  func sequencesThatAreNotContiguousHashTheSame() {
    #expect(XXH64.hash(Self.sample(100).lazy.map { $0 }) == XXH64.hash(Self.sample(100)))
  }

  @Test("digests read only their own form") func digestsReadOnlyTheirOwnForm() {
    #expect(Digest("xxh64:00000000000000ff") == Digest(255))
    for text in [
      "", "xxh64:", "xxh64:00000000000000f", "xxh64:00000000000000FF", "xxh64:00000000000000ff0",
      "xxh65:00000000000000ff", "xxh64:00000000000000fg",
    ] {
      #expect(Digest(text) == nil, "\(text)")
    }
  }
}
