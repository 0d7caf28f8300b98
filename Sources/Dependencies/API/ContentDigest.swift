import SwiftBoardSystem

/// A digest of a text that tells nothing of it: its BLAKE2b-256 in hexadecimal digits.
package func contentDigest(of text: String) -> String {
  KeychainCrypto.hash(ArraySlice(text.utf8)).map { byte in
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }.joined()
}
