import Testing

@testable import SwiftBoardRecording

struct LineBufferTests {
  private func text(_ body: (inout LineBuffer) -> Void) -> String {
    var buffer = LineBuffer(capacity: 1)
    body(&buffer)
    return String(decoding: buffer.bytes(), as: UTF8.self)
  }

  @Test func numbersOfEveryLengthAreWritten() {
    var number = 0
    for digit in 1...18 {
      number = number * 10 + digit % 10
      #expect(text { $0.append(decimal: number) } == String(number))
    }
    for number in [0, 9, 10, 99, 100, 999_999_999_999_999_999, 1_000_000_000_000_000_000, Int.max] {
      #expect(text { $0.append(decimal: number) } == String(number))
    }
    #expect(text { $0.append(decimal: -5) } == "0")
  }

  @Test func textsAreQuotedAsElsewhere() {
    for piece in ["", "plain", "a\"b\\c", "tab\tline\n\u{1}\u{7F}", "π😀", "\u{8}\u{C}\r"] {
      var expected: [UInt8] = []
      appendQuoted(piece, to: &expected)
      #expect(text { $0.append(quoted: piece) } == String(decoding: expected, as: UTF8.self))
    }
  }

  @Test func itGrowsAndForgets() {
    var buffer = LineBuffer(capacity: 64)
    let piece = Array("0123456789".utf8)
    for _ in 0..<1000 { buffer.append(piece) }
    #expect(buffer.count == 10_000)
    #expect(Array(buffer.bytes(from: 9_995)) == Array("56789".utf8))
    buffer.removeAll(keeping: 100)
    #expect(buffer.count == 0)
    buffer.append(piece)
    #expect(Array(buffer.bytes()) == piece)
  }

  @Test func digestsAreWrittenAndReadAsText() {
    var generator = SplitMix(state: 1)
    for value in [0, 1, .max, 0x0123_4567_89AB_CDEF] + (0..<500).map({ _ in generator.next() }) {
      let digits = String(value, radix: 16)
      let expected = "xxh64:" + String(repeating: "0", count: 16 - digits.count) + digits
      #expect(text { $0.append(Digest(value)) } == expected)
      #expect(Digest(expected) == Digest(value))
      #expect(Digest(expected.uppercased()) == nil)
    }
    for position in 0..<22 {
      for byte: UInt8 in [0x2F, 0x3A, 0x60, 0x67, 0x41, 0x00, 0xFF] {
        var bytes = Array("xxh64:0123456789abcdef".utf8)
        bytes[position] = byte
        #expect(Digest(utf8: bytes) == nil || bytes == Array("xxh64:0123456789abcdef".utf8))
      }
    }
  }

  @Test func theSumOfALineIsTheSameHoweverItIsComputed() {
    var generator = SplitMix(state: 2)
    let previous = Digest(0x0123_4567_89AB_CDEF)
    for length in Array(0...100) + [2047, 2048, 2049, 5000] {
      let body = (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      var hasher = XXH64()
      hasher.update(Array(previous.description.utf8))
      for byte in body { hasher.update([byte]) }
      #expect(SumChain.sum(of: body, after: previous) == Digest(hasher.finalize()))
      #expect(SumChain.sum(of: body[...], after: nil) == Digest(XXH64.hash(body)))
    }
  }
}
