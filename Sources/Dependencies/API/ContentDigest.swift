/// Returns the BLAKE2b-256 digest of a text in hexadecimal digits. It does not reveal the text.
package func contentDigest(of text: String) -> String {
  KeychainCrypto.hash(ArraySlice(text.utf8)).map { byte in
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }.joined()
}
