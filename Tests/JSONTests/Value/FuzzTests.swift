import SwiftBoardJSON
import SwiftBoardTesting
import Testing

/// Values and texts that a seed determines.
extension SeededRandom {
  mutating func value(depth: Int) -> JSON {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &self) {
    case 0: return nil
    case 1: return .bool(.random(using: &self))
    case 2: return JSON(Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self))
    case 3: return JSON(Double(bitPattern: next()))
    case 4, 5: return .string(text())
    case 6:
      return .array(
        (0..<Int.random(in: 0..<5, using: &self)).map { _ in value(depth: depth - 1) })
    default:
      return .object(
        (0..<Int.random(in: 0..<5, using: &self)).map { index in
          .init("\(text())\(index)", value(depth: depth - 1))
        })
    }
  }

  mutating func text() -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0..<12, using: &self) {
      let bound: UInt32 =
        [0x20, 0x80, 0x80, 0x80, 0x800, 0x11_0000].randomElement(using: &self) ?? 1
      if let scalar = Unicode.Scalar(UInt32.random(in: 0..<bound, using: &self)) {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

@Suite struct FuzzTests {
  @Test("what is written is read", arguments: 0..<8)
  func whatIsWrittenIsRead(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<60 {
      let value = random.value(depth: 5)
      for format in [.compact, .pretty, JSONFormat(indent: 0, escaping: .ascii)] {
        #expect(try JSON(parsing: value.text(format), limits: .strict) == value)
      }
      // Canonical text is its own canonical form, and what a Codable JSON gives.
      let canonical = try JSON(parsing: value.canonical, limits: .strict)
      #expect(canonical.canonical == value.canonical)
      #expect(canonical.text == value.canonical)
      #expect(try CanonicalEncoder.encode(value) == Array(value.canonical.utf8))
      #expect(try CanonicalDecoder.decode(JSON.self, from: value) == value)
    }
  }

  /// Any bytes give a value or an error; an error lies inside the text; a value can be written and
  /// read again.
  @Test("any bytes are read or refused", arguments: 0..<8)
  func anyBytes(_ seed: UInt64) throws {
    var random = SeededRandom(seed: 1000 + seed)
    let alphabet = Array(#"{}[]",:\u0d8e-+.19tfn ltrueas"#.utf8) + [0xC3, 0xA9, 0xF0, 0xFF, 0x00]
    for round in 0..<500 {
      var bytes: [UInt8]
      switch round % 3 {
      case 0:
        bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
      case 1:
        bytes = (0..<Int.random(in: 0..<40, using: &random)).compactMap { _ in
          alphabet.randomElement(using: &random)
        }
      default:
        bytes = Array(random.value(depth: 3).text.utf8)
        for _ in 0..<Int.random(in: 1..<4, using: &random) where !bytes.isEmpty {
          let position = Int.random(in: 0..<bytes.count, using: &random)
          switch Int.random(in: 0..<3, using: &random) {
          case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
          case 1: bytes.remove(at: position)
          default: bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: position)
          }
        }
      }
      do throws(JSONError) {
        let value = try JSON(parsing: bytes)
        #expect(String(validating: bytes, as: UTF8.self) != nil)
        #expect(try JSON(parsing: value.text) == value)
        _ = try? CanonicalDecoder.decode(Zoo.self, from: bytes)
      } catch {
        #expect((0...bytes.count).contains(error.offset))
        #expect(error.line >= 1 && error.column >= 1)
      }
    }
  }

  @Test("all truncations are refused") func allTruncations() throws {
    let text = #"{"a":[1.5e3,-2,"x\u00e9\ud83d\ude00é",true,false,null],"b":{"c":{}}}"#
    let bytes = Array(text.utf8)
    _ = try JSON(parsing: bytes)
    for length in 0..<bytes.count {
      let error = #expect(throws: JSONError.self) { try JSON(parsing: bytes[..<length]) }
      #expect((0...length).contains(error?.offset ?? -1))
    }
  }
}
