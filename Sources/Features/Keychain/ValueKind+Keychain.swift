import SwiftBoardCommandLine

extension ValueKind {
  /// The name of an entry of the keychain. Names that only services have are of the kind `secret`.
  public static let keychainEntry = ValueKind.entity("entry")
}
