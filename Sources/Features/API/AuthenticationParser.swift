import SwiftBoardCommandLine
import SwiftBoardDependencies

/// Parses the value of `--auth`, such as `header:NAME={{secret:n}}`.
enum AuthenticationParser {
  static let forms =
    "header:NAME={{secret:N}}, query:NAME={{secret:N}}, bearer:{{secret:N}}, basic:USER:{{secret:N}} or digest:USER:{{secret:N}}"

  /// The beginnings of all forms.
  static let schemes = ["header:", "query:", "bearer:", "basic:", "digest:"]

  /// Returns the form that a value with a literal secret is meant to have.
  static func form(of text: String) -> String {
    switch schemes.first(where: text.hasPrefix) {
    case let scheme? where scheme == "bearer:": "bearer:{{secret:NAME}}"
    case let scheme? where scheme == "basic:" || scheme == "digest:":
      "\(scheme)USER:{{secret:NAME}}"
    case let scheme?: "\(scheme)NAME={{secret:NAME}}"
    case nil: "header:NAME={{secret:NAME}}"
    }
  }

  /// Returns why a name cannot be that of a user, RFC 7617, or `nil` if it can.
  static func problem(ofUser name: String) -> String? {
    if name.utf8.contains(UInt8(ascii: ":")) {
      return "the user '\(name)' has a ':', which ends the name of a user in HTTP"
    }
    return name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
      ? "the user '\(name)' has control characters, which HTTP does not allow there" : nil
  }

  static func parse(_ argument: Argument) throws(UsageError) -> APIService.Authentication {
    var text = ""
    var secrets: [String] = []
    for part in argument.parts {
      switch part {
      case .text(let part): text += part
      case .secret(let name): secrets.append(name)
      }
    }
    guard secrets.count == 1, case .secret(let secret) = argument.parts.last else {
      throw UsageError(
        "--auth names exactly one secret, at its end",
        help: "for example header:X-Api-Key={{secret:radarr}}; 'keychain set radarr' stores it",
        at: argument)
    }
    if text == "bearer:" { return .bearer(secret: secret) }
    for (kind, end) in [
      ("header:", "="), ("query:", "="), ("basic:", ":"), ("digest:", ":"),
    ] {
      // Bytes: a name may begin with a scalar that is a part of the character before it.
      guard text.utf8.starts(with: kind.utf8), text.utf8.last == end.utf8.first, text != kind
      else { continue }
      let name = String(text.unicodeScalars.dropFirst(kind.count).dropLast())
      if end == ":" {
        if let problem = problem(ofUser: name) { throw UsageError(problem, at: argument) }
        return kind == "basic:"
          ? .basic(user: name, secret: secret) : .digest(user: name, secret: secret)
      }
      guard !name.isEmpty,
        name.allSatisfy({ $0.isASCII && !$0.isWhitespace && $0 != ":" && $0 != "=" })
      else { continue }
      return kind == "header:"
        ? .header(name: name, secret: secret) : .query(name: name, secret: secret)
    }
    throw UsageError(
      "'\(argument.shown)' is not a valid value for --auth",
      help: "one of \(forms)",
      at: argument)
  }
}
