import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardDependencies

@Suite struct KeychainFormatTests {
  /// Gives out fixed bytes in the order they are asked for.
  private static func fixed(_ draws: [[UInt8]]) -> KeychainRandom {
    let rest = RestOfDraws(draws)
    return KeychainRandom { buffer in
      let draw = rest.next()
      #expect(draw.count == buffer.count)
      buffer.copyBytes(from: draw.prefix(buffer.count))
    }
  }

  private final class RestOfDraws: Sendable {
    let draws: Mutex<[[UInt8]]>
    init(_ draws: [[UInt8]]) { self.draws = Mutex(draws) }
    func next() -> [UInt8] { draws.withLock { $0.isEmpty ? [] : $0.removeFirst() } }
  }

  private static let passphrase = "correct horse battery stäple"
  private static let keyFile = Array(UInt8(0x60)...0x7F)
  private static let exampleStart = """
    53424b430d0a1a0a0100000002008800404142434445464748494a4b4c4d4e4f
    07000000000000001010000000000000808182838485868788898a8b8c8d8e8f
    909192939495969701020000010000000020000000000000a0a1a2a3a4a5a6a7
    a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7
    1dcf33dc1db668ae630cfbe1107a34a71ebcc97ed3ac1d9a61f7544d496a5650
    e4b37b438e5e3a3725d3b13bc2b9974739c617eaa7ae8742e90f70cee64389b1
    2d4811786265799fad1b20286cb151ae02000000000000000000000000000000
    d0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeef
    f0f1f2f3f4f5f6f7d1a71ced0d1db246ed12bc4780d6dde2d848428b2f93142f
    6be53cce509b7d52c873f291781e9b2d4c22a88d1929e85ec231f5c0f7d357f1
    1605ac994b3b8ec726d0137945574f39bce95cb82540f46dc183837820806bbd
    4397b438aeeb168fd7ceaa604a387e8d3bf59b190bfe0a49
    """

  private static func exampleKeys() throws -> KeychainKeys {
    try KeychainKeys(keyID: Array(0x40...0x4F)) { buffer throws(KeychainError) in
      buffer.copyBytes(from: Array(UInt8(0x20)...0x3F))
    }
  }

  private static func exampleEntries() throws -> KeychainEntries {
    try KeychainEntries()
      .setting("üñí\u{0}code", to: Data([0x00, 0xFF, 0x0A, 0x0D]))
      .setting("empty", to: Data())
      .setting("api.openai.token", to: Data("sk-test-123".utf8))
  }

  private static func exampleFile() throws -> [UInt8] {
    let keys = try exampleKeys()
    let kdf = KeyDerivation(ops: 1, memory: 8192)
    let random = fixed([
      Array(0xA0...0xAF), Array(0xB0...0xC7), Array(0xD0...0xDF), Array(0xE0...0xF7),
      Array(0x80...0x97),
    ])
    let slots = [
      try KeychainSlot(for: .words(passphrase), keys: keys, kdf: kdf, random: random),
      try KeychainSlot(for: .key(keyFile), keys: keys, kdf: kdf, random: random),
    ]
    return try KeychainCodec.encode(
      try exampleEntries(), keys: keys, generation: 7, slots: slots, random: random)
  }

  @Test("the example is written byte for byte")
  func example() throws {
    let file = try Self.exampleFile()
    #expect(file.count == 4520)
    #expect(hex(file[0..<376]) == hex(bytes(hex: Self.exampleStart)))
    #expect(
      hex(file[376..<408]) == "0529b624d2bc2e13010e726e3ed175328f928a6cab7235b3f678cc6471cfa372")
    #expect(hex(file[4472..<4488]) == "5b353628a79bcb6436cda239903f2b7c")
    #expect(
      hex(file[4488...]) == "bda6e959c5b41de76adff7f812235f7bc782e097a26fc083b5fc23cd33f11b53")
    #expect(
      hex(KeychainCrypto.hash(file[...]))
        == "4d75ea2802c618fcc8dcfeef9d2b4cef625506bcaffd44a4766feebf3081c392")
  }

  @Test("the example's keys and plaintext")
  func exampleParts() throws {
    let keys = try Self.exampleKeys()
    let all = try keys.region.withBytes { Array($0) }
    #expect(hex(all[32..<64]) == "57777fab1f73924e67385c0376bc674f3a2f95d7a7dc941d34ee93bc019ddd64")
    #expect(hex(all[64..<96]) == "2b99672c87abe59d4d1454cc252118ad7a211113f45b2c814f5d72206d18038f")
    let plaintext = try Self.exampleEntries().region.withBytes { Array($0) }
    #expect(plaintext.count == 4096)
    #expect(
      hex(plaintext[..<70])
        == "0300000010006170692e6f70656e61692e746f6b656e0b000000736b2d746573742d3132330500656d70747900000000"
        + "0b00c3bcc3b1c3ad00636f6465" + "0400000000ff0a0d" + "80")
  }

  @Test("there are vectors") func vectorsAreThere() {
    #expect(KeychainVector.all.count == 52)
  }

  @Test("published vector", arguments: KeychainVector.all)
  func vector(_ vector: KeychainVector) throws {
    #expect(hex(KeychainCrypto.hash(vector.file[...])) == vector.description.blake2b256)
    let secret = try vector.secret
    do throws(KeychainError) {
      let header = try KeychainHeader(parsing: vector.file)
      let (_, entries) = try KeychainCodec.open(vector.file, header, with: secret)
      var found: [String: String] = [:]
      for key in try entries.keys() {
        found[hex(key.utf8)] = hex(try entries.value(of: key) ?? Data())
      }
      #expect(vector.description.expect == "success")
      #expect(found == vector.description.entries)
    } catch {
      let category = error.category.split(separator: "(").first.map(String.init)
      #expect(category == vector.description.expect, "\(error)")
    }
  }

  @Test("an unknown slot is kept byte for byte")
  func unknownSlotKept() throws {
    let vector = try #require(KeychainVector.all.first { $0.name == "ok_unknown_slot_kind" })
    let header = try KeychainHeader(parsing: vector.file)
    let (keys, entries) = try KeychainCodec.open(vector.file, header, with: vector.secret)
    let again = try KeychainCodec.encode(
      entries, keys: keys, generation: header.generation, slots: header.slots,
      random: Self.fixed([header.nonce]))
    #expect(again == vector.file)
  }

  @Test("no one-bit change is taken for anything but damage")
  func oneBitFlips() throws {
    var file = try Self.exampleFile()
    for position in 4..<file.count {
      for bit in 0..<8 {
        file[position] ^= 1 << bit
        if let refusal = refusal(of: file), refusal == .damaged {
        } else {
          Issue.record("bit \(bit) of byte \(position): \(String(describing: refusal(of: file)))")
        }
        file[position] ^= 1 << bit
      }
    }
    for position in 0..<4 {
      file[position] ^= 1
      #expect(refusal(of: file) == .notAKeychain)
      file[position] ^= 1
    }
  }

  @Test("no cut and no appended byte is taken for anything but damage")
  func truncations() throws {
    let file = try Self.exampleFile()
    for length in 0..<file.count where refusal(of: Array(file[..<length])) != .damaged {
      Issue.record("cut to \(length): \(String(describing: refusal(of: Array(file[..<length]))))")
    }
    for extra in [1, 16, 136, 4096] {
      #expect(refusal(of: file + [UInt8](repeating: 0, count: extra)) == .damaged)
    }
  }

  private func refusal(of file: [UInt8]) -> KeychainError.Kind? {
    do throws(KeychainError) {
      _ = try KeychainHeader(parsing: file)
      return nil
    } catch {
      return error.kind
    }
  }

  @Test("damage says what it looks like")
  func damageHints() throws {
    let file = try Self.exampleFile()
    func message(_ file: [UInt8]) -> String {
      do throws(KeychainError) {
        _ = try KeychainHeader(parsing: file)
        return ""
      } catch {
        return error.message
      }
    }
    #expect(message(Array(file[..<4000])).contains("cut short, 4000 of 4520 bytes"))
    #expect(message(file + [0]).contains("1 bytes seem to have been appended"))
    var converted = file
    converted.remove(at: 4)
    #expect(message(converted).contains("line ends"))
    var flipped = file
    flipped[7] ^= 1
    #expect(message(flipped).contains("damaged") && !message(flipped).contains("too few"))
    #expect(message(Array(file[..<40])).contains("40 bytes are too few"))
    let advices: [(UInt8, String)] = [(2, "Update the program"), (0, "Restore a backup")]
    for (version, advice) in advices {
      var other = file
      other.replaceSubrange(8..<10, with: [version, 0])
      other.replaceSubrange(
        (other.count - 32)..., with: KeychainCrypto.hash(other[..<(other.count - 32)]))
      #expect(
        message(other) == "the keychain has version \(version), this program reads version 1. "
          + "\(advice); the file was not changed.")
    }
  }

  @Test("the sum of all slots' work is bounded")
  func sumOfWork() throws {
    var file = try Self.exampleFile()
    // Both slots: 16 passes over 1 GiB, each allowed alone.
    file[208..<344] = file[72..<208]
    for start in [72, 208] {
      file[start + 4] = 16
      file.replaceSubrange((start + 8)..<(start + 16), with: [0, 0, 0, 0x40, 0, 0, 0, 0])
    }
    file.replaceSubrange(
      (file.count - 32)..., with: KeychainCrypto.hash(file[..<(file.count - 32)]))
    #expect(refusal(of: file) == .kdfParametersRefused)
  }

  @Test("a writer refuses what no reader accepts")
  func encoderLimits() throws {
    let keys = try Self.exampleKeys()
    let slot = try KeychainSlot(
      for: .key(Self.keyFile), keys: keys, kdf: KeyDerivation(ops: 1, memory: 8192), random: .system
    )
    let entries = try KeychainEntries()
    let last = UInt64(Int64.max)
    _ = try KeychainCodec.encode(entries, keys: keys, generation: last, slots: [slot])
    #expect(throws: KeychainError.self) {
      try KeychainCodec.encode(entries, keys: keys, generation: last + 1, slots: [slot])
    }
    #expect(throws: KeychainError.self) {
      try KeychainCodec.encode(entries, keys: keys, generation: 1, slots: [])
    }
    #expect(throws: KeychainError.self) {
      try KeychainCodec.encode(
        entries, keys: keys, generation: 1, slots: Array(repeating: slot, count: 9))
    }
  }

  @Test("UTF-8 is judged as the standard library judges it")
  func validUTF8() {
    let edges: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
      0xEC, 0xED, 0xEE,
      0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    var wrong: [[UInt8]] = []
    for a in edges {
      for b in edges {
        for c in edges {
          for candidate in [[a], [a, b], [a, b, c], [a, b, c, 0x80], [a, b, c, 0x41]] {
            let ours = candidate.withUnsafeBytes { KeychainEntries.isValidUTF8($0) }
            if ours != (String(validating: candidate, as: UTF8.self) != nil) {
              wrong.append(candidate)
            }
          }
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test("many changes in any order end in one plaintext")
  func entriesAgainstDictionary() throws {
    var entries = try KeychainEntries()
    var model: [[UInt8]: Data] = [:]
    var seed: UInt64 = 42
    func next(_ bound: UInt64) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((seed >> 33) % bound)
    }
    for step in 0..<400 {
      let key = String(repeating: ["a", "b", "é", "\u{0}"][next(4)], count: 1 + next(4))
      switch next(4) {
      case 0:
        entries = try entries.removing(key) ?? entries
        model[Array(key.utf8)] = nil
      case 1:
        let other = key + "x"
        if model[Array(key.utf8)] != nil, model[Array(other.utf8)] == nil {
          entries = try #require(try entries.renaming(key, to: other))
          model[Array(other.utf8)] = model.removeValue(forKey: Array(key.utf8))
        }
      default:
        let value = Data(repeating: UInt8(step & 255), count: next(900))
        entries = try entries.setting(key, to: value)
        model[Array(key.utf8)] = value
      }
    }
    #expect(entries.count == model.count)
    #expect(
      try entries.keys().map { Array($0.utf8) }
        == model.keys.sorted { $0.lexicographicallyPrecedes($1) })
    for key in try entries.keys() { #expect(try entries.value(of: key) == model[Array(key.utf8)]) }
    var rebuilt = try KeychainEntries()
    for (key, value) in model {
      rebuilt = try rebuilt.setting(String(decoding: key, as: UTF8.self), to: value)
    }
    #expect(rebuilt.isIdentical(to: entries))
  }
}
