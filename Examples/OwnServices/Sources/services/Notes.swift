import SwiftBoardDependencies
import SwiftBoardJSON

/// Preferences in memory: a part of `PersistenceService`, which is all that some features need.
actor Notes: PreferenceStore {
  private var texts: [[UInt8]: String] = [:]

  func preference(_ name: String) -> String? { texts[Array(name.utf8)] }

  func setPreference(_ name: String, to json: String) throws(PersistenceError) {
    do throws(JSONError) { _ = try JSON(parsing: json) } catch {
      throw PersistenceError(
        .invalid, operation: "setPreference",
        message: "no JSON at line \(error.line), column \(error.column)")
    }
    texts[Array(name.utf8)] = json
  }

  func unsetPreference(_ name: String) -> Bool {
    texts.removeValue(forKey: Array(name.utf8)) != nil
  }

  func preferences() -> [Preference] {
    texts.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map { Preference(name: String(decoding: $0.key, as: UTF8.self), json: $0.value) }
  }
}
