import SwiftBoardCommandLine

/// Finds secrets that were typed into a request. What a line says becomes part of the state, the recording and the database, so a
/// place that holds a secret takes a name of the keychain, never a value.
enum LiteralSecrets {
  private static let headers: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key",
  ]
  private static let keys: Set<String> = [
    "apikey", "api_key", "token", "access_token", "password", "key",
  ]

  /// - Throws: `UsageError` at the word that holds one.
  static func refuse(_ invocation: Invocation) throws(UsageError) {
    if let target = invocation.argument("target") {
      let query = target.leadingText.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
      for item in query.split(separator: "&") {
        let parts = item.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, keys.contains(parts[0].lowercased()) else { continue }
        throw error(String(parts[0]), "\(parts[0])=={{secret:NAME}}", target)
      }
    }
    for argument in invocation.arguments("item") {
      switch try RequestItem.parse(argument) {
      case .header(let name, let value)
      where headers.contains(name.lowercased()) && isLiteral(value):
        throw error(name, "\(name):{{secret:NAME}}", argument)
      case .query(let name, let value) where keys.contains(name.lowercased()) && isLiteral(value):
        throw error(name, "\(name)=={{secret:NAME}}", argument)
      case .field(let name, let value)
      where name.lowercased() != "key" && keys.contains(name.lowercased()) && isLiteral(value):
        throw error(name, "\(name)={{secret:NAME}}", argument)
      default: break
      }
    }
  }

  private static func isLiteral(_ value: SecretTemplate) -> Bool {
    value.secretNames.isEmpty && value.text != ""
  }

  private static func error(_ name: String, _ form: String, _ argument: Argument) -> UsageError {
    UsageError(
      "the value of '\(name)' is taken for a secret, and a line is kept in recordings",
      help: "store it with 'keychain set NAME' and write \(form)", at: argument)
  }
}
