import CCurl
import CSQLite
import CSodium

/// The versions of the C libraries.
package struct LibraryVersions: Sendable, CustomStringConvertible {
  /// The version of libcurl.
  package let curl: String
  /// The version of libsodium.
  package let sodium: String
  /// The version of SQLite.
  package let sqlite: String

  /// The versions of the headers that the program was built with.
  package static let built = LibraryVersions(
    curl: LIBCURL_VERSION, sodium: SODIUM_VERSION_STRING, sqlite: SQLITE_VERSION)

  /// The versions in the form `libcurl 8.5.0, libsodium 1.0.18, SQLite 3.45.1`.
  package var description: String { "libcurl \(curl), libsodium \(sodium), SQLite \(sqlite)" }
}
