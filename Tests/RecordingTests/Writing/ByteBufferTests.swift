import Testing

@testable import SwiftBoardRecording

struct ByteBufferTests {
  private func text(_ body: (inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer(capacity: 1)
    body(&buffer)
    return String(decoding: buffer.bytes(), as: UTF8.self)
  }

  @Test("numbers of every length are written") func numbersOfEveryLengthAreWritten() {
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

  @Test("texts are quoted as elsewhere") func textsAreQuotedAsElsewhere() {
    for piece in ["", "plain", "a\"b\\c", "tab\tline\n\u{1}\u{7F}", "π😀", "\u{8}\u{C}\r"] {
      var expected: [UInt8] = []
      appendQuoted(piece, to: &expected)
      #expect(text { $0.append(quoted: piece) } == String(decoding: expected, as: UTF8.self))
    }
  }

  @Test("a buffer grows, and forgets") func itGrowsAndForgets() {
    var buffer = ByteBuffer(capacity: 64)
    let piece = Array("0123456789".utf8)
    for _ in 0..<1000 { buffer.append(piece) }
    #expect(buffer.count == 10_000)
    #expect(Array(buffer.bytes(from: 9_995)) == Array("56789".utf8))
    buffer.removeAll(keeping: 100)
    #expect(buffer.count == 0)
    buffer.append(piece)
    #expect(Array(buffer.bytes()) == piece)
  }

  @Test("digests are written and read as text") func digestsAreWrittenAndReadAsText() {
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

  @Test("the sum of a line is the same however it is computed")
  func theSumOfALineIsTheSameHoweverItIsComputed() {
    var generator = SplitMix(state: 2)
    let previous = Digest(0x0123_4567_89AB_CDEF)
    for length in Array(0...100) + [2047, 2048, 2049, 5000] {
      let body = (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      var hasher = XXH64()
      hasher.update(Array(previous.description.utf8))
      for byte in body { hasher.update([byte]) }
      #expect(HashChain.sum(of: body, after: previous) == Digest(hasher.finalize()))
      #expect(HashChain.sum(of: body[...], after: nil) == Digest(XXH64.hash(body)))
    }
  }

  @Test("numbers at the edges of a word are written") func numbersAtTheEdgesOfAWordAreWritten() {
    for exponent in 1...18 {
      let power = (0..<exponent).reduce(1) { number, _ in number * 10 }
      for number in [power - 1, power, power + 1, power * 9 / 2] {
        #expect(text { $0.append(decimal: number) } == String(number))
      }
    }
    var generator = SplitMix(state: 3)
    for shift in 1..<64 {
      let number = Int(generator.next() >> UInt64(shift))
      #expect(text { $0.append(decimal: number) } == String(number))
    }
  }

  @Test("texts with escapes at every place are quoted") func textsWithEscapesAtEveryPlaceAreQuoted()
  {
    for length in 1...20 {
      for position in 0..<length {
        for byte: UInt8 in [0x00, 0x1F, 0x22, 0x5C, 0x20, 0x21, 0x23, 0x5B, 0x7F] {
          var piece = [UInt8](repeating: UInt8(ascii: "x"), count: length)
          piece[position] = byte
          let string = String(decoding: piece, as: UTF8.self)
          var expected: [UInt8] = []
          appendQuoted(string, to: &expected)
          #expect(text { $0.append(quoted: string) } == String(decoding: expected, as: UTF8.self))
        }
      }
    }
  }

  @Test("a line states its own sum and no other") func aLineStatesItsOwnSumAndNoOther() {
    let sum = Digest(0x0123_4567_89AB_CDEF)
    var line = ByteBuffer()
    line.append(sum: sum)
    #expect(String(decoding: line.bytes(), as: UTF8.self) == ",\"sum\":\"\(sum)\"}\n")
    let tail = Array(line.bytes().dropLast())
    #expect(tail.count == HashChain.tailLength)
    func states(_ sum: Digest, _ tail: [UInt8]) -> Bool {
      tail.withUnsafeBufferPointer { $0.baseAddress.map { HashChain.states(sum, $0) } ?? false }
    }
    #expect(states(sum, tail))
    for position in tail.indices {
      for bit in 0..<8 {
        var changed = tail
        changed[position] ^= 1 << UInt8(bit)
        #expect(!states(sum, changed))
      }
    }
    for bit in 0..<64 { #expect(!states(Digest(sum.value ^ 1 << UInt64(bit)), tail)) }
  }
}
