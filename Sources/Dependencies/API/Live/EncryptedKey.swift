import SwiftBoardSystem

/// Encrypted keys in PEM files.
enum EncryptedKey {
  /// The headers of an encrypted key: of PKCS #8, and of the older forms.
  private static let headers = ["-----BEGIN ENCRYPTED PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED"]

  /// Returns whether a file has an encrypted key. Returns false if it cannot be read, and for a
  /// pipe, which could be read only once.
  static func isIn(_ path: String) -> Bool {
    guard FileInfo(path)?.isRegular == true else { return false }
    let system = FileSystem()
    guard let file = try? system.open(path, O_RDONLY | O_NONBLOCK),
      let bytes = try? system.read(file, limit: 1 << 20)
    else { return false }
    let text = String(decoding: bytes, as: UTF8.self)
    return headers.contains { text.contains($0) }
  }
}
