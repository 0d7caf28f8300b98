import SwiftBoardSystem
import Synchronization

/// The bytes that give a secret away: the secret itself and the ways it is usually written.
enum SecretForms {
  static func all(of secret: String) -> [[UInt8]] {
    let bytes = Array(secret.utf8)
    var forms = [bytes]
    // In base64 a text looks different at each of three places; what its neighbours decide is left
    // out.
    for shift in 0..<3 {
      let text = Array(
        Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString().utf8)
      let first = shift == 0 ? 0 : shift + 1
      let whole = (shift + bytes.count) / 3 * 4
      forms.append(Array(text[first..<whole]))
    }
    for form in forms.dropFirst() {
      forms.append(
        form.map {
          $0 == UInt8(ascii: "+")
            ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        })
    }
    for isUppercase in [false, true] {
      forms.append(Array(bytes.map { hexadecimal($0, isUppercase) }.joined().utf8))
      for kept in ["", "/", "@/?=+", " "] {
        forms.append(
          bytes.flatMap { byte -> [UInt8] in
            let isUnreserved =
              (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
              || (0x61...0x7A).contains(byte) || "-._~\(kept)".utf8.contains(byte)
            return isUnreserved ? [byte] : Array("%\(hexadecimal(byte, isUppercase))".utf8)
          })
      }
    }
    for escapesSlashes in [false, true] {
      for isASCII in [false, true] {
        forms.append(Array(json(secret, escapesSlashes, isASCII).utf8))
      }
    }
    var seen: Set<[UInt8]> = []
    return forms.filter { seen.insert($0).inserted }
  }

  private static let known = Mutex<[String: [[UInt8]]]>([:])

  private static func json(_ text: String, _ escapesSlashes: Bool, _ isASCII: Bool) -> String {
    text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\"": return "\\\""
      case "\\": return "\\\\"
      case "/" where escapesSlashes: return "\\/"
      case _ where isASCII && scalar.value >= 0x80:
        return String(scalar).utf16.map { unit in
          let digits = String(unit, radix: 16)
          return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
      default: return String(scalar)
      }
    }.joined()
  }

  /// Whether the bytes hold the secret in one of its forms.
  static func isFound(_ secret: String, in bytes: [UInt8]) -> Bool {
    let forms = known.withLock { known in
      if let forms = known[secret] { return forms }
      let forms = all(of: secret)
      known[secret] = forms
      return forms
    }
    return bytes.withUnsafeBytes { bytes in forms.contains { isPart($0, of: bytes) } }
  }

  private static func isPart(_ form: [UInt8], of bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while rest.count >= form.count, let base = bytes.baseAddress,
      let found = memchr(base + rest.startIndex, Int32(form[0]), rest.count)
    {
      let index = UnsafeRawPointer(found) - base
      guard index + form.count <= bytes.count else { return false }
      if memcmp(found, form, form.count) == 0 { return true }
      rest = bytes[(index + 1)...]
    }
    return false
  }

  private static func hexadecimal(_ byte: UInt8, _ isUppercase: Bool) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: isUppercase)
  }
}
