import Testing

@testable import SwiftBoardDependencies

@Suite("Hashes of parts of a text") struct PartHashesTests {
  @Test("a part has the hash of its bytes, whatever parts were hashed before it")
  func partsInOrder() {
    let key = SecretHashKey()
    let bytes = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) }
    bytes.withUnsafeBufferPointer { text in
      for step in [1, 3, 40, 700] {
        var hashes = PartHashes(of: text, longest: 70, key)
        for start in stride(from: 0, through: text.count - 70, by: step) {
          for count in [4, 64, 70] {
            let hash = hashes.hash(
              from: start, count: count, factor: PartHashes.factor(count: count, key))
            let part = UnsafeBufferPointer(rebasing: text[start..<(start + count)])
            #expect(hash == PartHashes.hash(part, key))
          }
        }
      }
    }
  }

  @Test("other bytes and other keys have other hashes")
  func others() {
    let key = SecretHashKey()
    func hash(_ bytes: [UInt8], _ key: SecretHashKey) -> Int {
      bytes.withUnsafeBufferPointer { PartHashes.hash($0, key) }
    }
    #expect(hash([1, 2, 3, 4], key) == hash([1, 2, 3, 4], key))
    #expect(hash([1, 2, 3, 4], key) != hash([4, 3, 2, 1], key))
    #expect(hash([1, 2, 3, 4], key) != hash([1, 2, 3, 4], SecretHashKey()))
  }
}
