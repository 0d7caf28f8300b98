#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bytes that give a secret away: the secret itself and the ways it is usually written.
enum SecretForms {
  static func all(of secret: String) -> [[UInt8]] {
    let bytes = Array(secret.utf8)
    var forms = [bytes]
    // In base64 a text looks different at each of three places; what its neighbours decide is left out.
    for shift in 0..<3 {
      let text = Array(
        Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString().utf8)
      let first = shift == 0 ? 0 : shift + 1
      let whole = (shift + bytes.count) / 3 * 4
      forms.append(Array(text[first..<whole]))
    }
    let encoded = secret.split(separator: " ", omittingEmptySubsequences: false)
    if encoded.count > 1 { forms.append(Array(encoded.joined(separator: "%20").utf8)) }
    forms.append(Array(bytes.map { hexadecimal($0) }.joined().utf8))
    return forms
  }

  /// Whether the bytes hold the secret in one of its forms.
  static func isFound(_ secret: String, in bytes: [UInt8]) -> Bool {
    all(of: secret).contains { bytes.firstRange(of: $0) != nil }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
