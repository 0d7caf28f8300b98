import CCurl
import CSQLite
import CSodium

/// The versions of the C libraries.
public struct LibraryVersions: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The version of libcurl.
  public var curl: String
  /// The version of libsodium.
  public var sodium: String
  /// The version of SQLite.
  public var sqlite: String

  /// Creates versions.
  public init(curl: String, sodium: String, sqlite: String) {
    self.curl = curl
    self.sodium = sodium
    self.sqlite = sqlite
  }

  /// The versions of the headers that the program was built with.
  public static let built = LibraryVersions(
    curl: LIBCURL_VERSION, sodium: SODIUM_VERSION_STRING, sqlite: SQLITE_VERSION)

  /// The versions in the form `libcurl 8.5.0, libsodium 1.0.18, SQLite 3.45.1`.
  public var description: String { "libcurl \(curl), libsodium \(sodium), SQLite \(sqlite)" }
}
