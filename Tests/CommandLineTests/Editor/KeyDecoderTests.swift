import SwiftBoardCommandLine
import SwiftBoardTesting
import Testing

@Suite struct KeyDecoderTests {
  private static func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.decode(text.utf8)
  }

  @Test(
    "a key sends the sequences of common terminals",
    arguments: [
      ("\u{1B}[A", Key.up), ("\u{1B}OB", .down), ("\u{1B}[C", .right), ("\u{1B}OD", .left),
      ("\u{1B}[H", .home), ("\u{1B}[1~", .home), ("\u{1B}[7~", .home), ("\u{1B}OH", .home),
      ("\u{1B}[F", .end), ("\u{1B}[4~", .end), ("\u{1B}[3~", .delete), ("\u{1B}[3;5~", .meta("d")),
      ("\u{1B}[1;5D", .wordLeft), ("\u{1B}[1;3C", .wordRight), ("\u{1B}[1;2C", .right),
      ("\u{1B}b", .meta("b")), ("\u{1B}\u{7F}", .metaBackspace), ("\u{1B}\r", .metaEnter),
      ("\u{1B}[Z", .backTab), ("\u{1F}", .control("_")), ("\u{1}", .control("a")),
      ("\u{7F}", .backspace), ("\u{8}", .backspace), ("\t", .tab), ("\r", .enter),
      ("\n", .control("j")), ("\u{1B}OM", .enter), ("家é", .text("家é")),
      ("\u{1B}[200~a\r\nb\rc\n\u{1B}[31m\u{1B}[201~", .paste("a\nb\nc\n[31m")),
    ])
  func sequences(bytes: String, key: Key) {
    #expect(Self.keys(bytes) == [key])
    // In pieces, as a slow line delivers them.
    var decoder = KeyDecoder()
    var pieces: [Key] = []
    for byte in bytes.utf8 { pieces += decoder.decode(CollectionOfOne(byte)) }
    if case .text = key {
      #expect(pieces == "家é".map { .text(String($0)) })
    } else {
      #expect(pieces == [key])
    }
  }

  @Test(
    "a sequence that is no key is dropped as a whole",
    arguments: [
      "\u{1B}[15~", "\u{1B}[[A", "\u{1B}[?62;c", "\u{1B}[<0;1;2M", "\u{1B}[I", "\u{1B}OP",
      "\u{1B}]11;rgb:0/0/0\u{7}", "\u{1B}]11;rgb:0/0/0\u{1B}\\", "\u{1B}P1$r0m\u{1B}\\",
      "\u{1B}[1;5;9z", "\u{0}", "\u{1B}[201~",
    ])
  func unknown(bytes: String) {
    #expect(Self.keys(bytes + "x") == [.text("x")])
  }

  @Test("an Escape is a key of its own once nothing follows in time")
  func escape() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("a\u{1B}".utf8) == [.text("a")])
    #expect(decoder.isWaiting)
    #expect(decoder.timeOut() == [.escape])
    #expect(!decoder.isWaiting)
    #expect(decoder.decode("b".utf8) == [.text("b")])
    #expect(decoder.decode("\u{1B}[1;".utf8) == [])
    #expect(decoder.timeOut() == [])
    #expect(decoder.decode("c".utf8) == [.text("c")])
    // Another key ends it at once.
    #expect(decoder.decode("\u{1B}\u{3}".utf8) == [.control("c")])
  }

  @Test("characters are decoded across reads, and invalid bytes are dropped")
  func utf8() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0xE5, 0xAE]) == [])
    #expect(decoder.decode([0xB6, 0x61]) == [.text("家a")])
    #expect(decoder.decode([0xFF, 0x61, 0xC3, 0x28, 0xED, 0xA0, 0x80, 0x62]) == [.text("a(b")])
    // A character that a key cuts off.
    #expect(decoder.decode([0xE5, 0xAE, 0x0D]) == [.enter])
    #expect(decoder.decode([0xC2, 0x9B]) == [], "a C1 control is no text")
  }

  @Test("a pasted text keeps all its characters, and bytes that are none are told of")
  func pastedCharacters() {
    var decoder = KeyDecoder()
    let (begin, end) = (Array("\u{1B}[200~".utf8), Array("\u{1B}[201~".utf8))
    #expect(decoder.decode(begin + Array("a\u{FFFD}b".utf8) + end) == [.paste("a\u{FFFD}b")])
    #expect(
      decoder.decode(begin + [0x61, 0xFF, 0xFE, 0x62, 0xC3] + end) == [.paste("ab"), .invalid])
    #expect(decoder.decode(begin + Array("a\u{85}b".utf8) + end) == [.paste("ab"), .invalid])
  }

  @Test("a paste whose end is lost can be ended")
  func endlessPaste() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1B}[200~abc".utf8) == [])
    #expect(decoder.decode("\u{3}".utf8) == [], "a paste may have it")
    decoder.endPaste()
    #expect(decoder.decode("\u{3}x".utf8) == [.control("c"), .text("x")])
    decoder.endPaste()
    #expect(decoder.decode("\u{1B}[200~d\u{1B}[201~".utf8) == [.paste("d")])
  }

  @Test("any bytes give the same keys in any pieces, and no control characters in text")
  func generated() {
    var random = SeededRandom(seed: 16)
    let parts: [[UInt8]] = [
      Array("\u{1B}[A".utf8), Array("\u{1B}[200~".utf8), Array("\u{1B}[201~".utf8),
      Array("家👨‍👩‍👧é".utf8), [0x1B], [0x0D], [0xFF], Array("\u{1B}]x\u{7}".utf8), Array("ab".utf8),
    ]
    for _ in 0..<2000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes +=
          Bool.random(using: &random)
          ? parts.randomElement(using: &random) ?? []
          : [UInt8.random(in: 0...255, using: &random)]
      }
      var whole = KeyDecoder()
      let expected = Self.joined(whole.decode(bytes))
      var pieces = KeyDecoder()
      var keys: [Key] = []
      for byte in bytes { keys += pieces.decode(CollectionOfOne(byte)) }
      #expect(Self.joined(keys) == expected, "\(bytes)")
      for case .text(let text) in expected {
        #expect(
          !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
      }
    }
  }

  /// Joins texts that arrived in pieces.
  private static func joined(_ keys: [Key]) -> [Key] {
    var result: [Key] = []
    for key in keys {
      if case .text(let text) = key, case .text(let last)? = result.last {
        result[result.count - 1] = .text(last + text)
      } else {
        result.append(key)
      }
    }
    return result
  }
}
