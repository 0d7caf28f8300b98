import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// Finds secrets typed into the address or headers of a request. Lines become part of recordings,
/// so at the position of a secret only its name is permitted. Members of a body are data, whatever
/// their names are.
enum RequestSecrets {
  typealias Found = SecretWords.Found

  /// What stands for a part of a word that was not typed.
  private static let inserted: Character = "\u{FFFC}"

  /// What the words make, for the advice about a secret in them.
  private enum Place {
    case request, newService, link

    /// - Parameters:
    ///   - form: What a request has instead of the value.
    ///   - authentication: The value of `--auth` that a service has instead.
    func found(_ name: String, form: String, authentication: String) -> Found {
      switch self {
      case .request: Found(name: name, form: form)
      case .newService: Found(name: name, form: "--auth \(authentication)")
      case .link:
        Found(
          name: name,
          help: "a link takes no secret; 'api service add' names a service that has one, in --auth")
      }
    }

    func found(query name: String) -> Found {
      found(
        name, form: "\(name)=={{secret:NAME}}", authentication: "query:\(name)={{secret:NAME}}")
    }
  }

  /// Returns the first secret in a command's words, the first of which is the command: in the
  /// address of the request, its headers and query items, and in `--auth`. Members of bodies,
  /// values of other options, and commands that send nothing are data.
  ///
  /// Text from a variable or the last value, and any text after it in the same word, is data and
  /// not checked.
  static func first(in words: [Argument]) -> Found? {
    guard let command = words.first?.text, command == "api" || command == "open" else { return nil }
    let (positionals, authentications, proxies, bodies) = sorted(words.dropFirst())
    for text in authentications where !text.isEmpty && !text.contains(inserted) {
      return Found(name: "auth", form: "--auth " + AuthenticationParser.form(of: text))
    }
    // Before an `@` is a login, also one with characters that end it elsewhere.
    for text in proxies where text.contains("@") || address(text, .request) != nil {
      return Found(
        name: "proxy",
        help: "write --proxy http://HOST:PORT; the variables http_proxy and https_proxy take an "
          + "address with a user and a password")
    }
    if let found = bodies.lazy.compactMap(quoted).first { return found }
    let start = command == "open" ? 0 : target(in: positionals.map(typed))
    guard let start else { return nil }
    let place: Place =
      command == "open" ? .link : positionals.first?.text == "service" ? .newService : .request
    for (index, word) in positionals.enumerated() where index >= start {
      let text = typed(word)
      // A word that is an address is one, wherever a misspelt line has it.
      let isAddress =
        index == start || ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
      if isAddress, let found = address(text, place) { return found }
      if let found = quoted(word) { return found }
      if word.typedCount == nil, let found = item(word, place) { return found }
      if !isAddress, let found = addressInHeader(text, place) { return found }
    }
    return nil
  }

  /// Returns the first reference that is quoted in what was typed of a word. It is plain text
  /// there, which the service would get in place of a secret.
  ///
  /// The name is that of the secret if it is a single word, since quotes in a line that cannot be
  /// parsed may divide a reference.
  private static func quoted(_ word: Argument) -> Found? {
    let text = typed(word)
    guard let start = text.end(ofFirst: "{{secret:") else { return nil }
    let rest = text[start...]
    let name = rest.utf8.prefix { byte in
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-_.".utf8.contains(byte)
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
    let isWhole = !name.isEmpty && rest[name.endIndex...].hasPrefix("}}")
    return Found(name: isWhole ? String(name) ?? "" : "quoted", form: "{{secret:NAME}}")
  }

  /// The words without options and their values, and the values of `--auth`, `--proxy` and
  /// `--json-body`.
  private static func sorted(
    _ words: ArraySlice<Argument>
  ) -> ([Argument], auth: [String], proxies: [String], bodies: [Argument]) {
    var positionals: [Argument] = []
    var bodies: [Argument] = []
    var authentications: [String] = []
    var proxies: [String] = []
    var option: String?
    var hasEnded = false
    for word in words {
      let text = typed(word)
      let attached = option == nil && !hasEnded ? text.cutAtEquals() : nil
      if let attached, attached.name == "--proxy" {
        proxies.append(attached.value)
      } else if attached?.name == "--json-body" {
        bodies.append(word)
      } else if let attached, attached.name == "--auth" {
        authentications.append(attached.value)
      } else if option != nil {
        if option == "--auth" { authentications.append(text) }
        if option == "--proxy" { proxies.append(text) }
        if option == "--json-body" { bodies.append(word) }
        option = nil
      } else if hasEnded || !text.hasPrefix("-") || word.typedCount == 0 {
        positionals.append(word)
      } else {
        hasEnded = text == "--"
        if valued.contains(text) { option = text }
      }
    }
    return (positionals, authentications, proxies, bodies)
  }

  /// Returns the index of the word after `api` that is the target of a request or the address of a
  /// service, or `nil` if there is none.
  private static func target(in words: [String]) -> Int? {
    switch words.first {
    case "recent", "cache", "cancel": nil
    case "service": words.dropFirst().first == "add" ? 3 : nil
    case "run": 1
    // A word that a variable puts in may be a method as well.
    case let first?
    where APICommands.methods.contains(first) || APICommands.isMethod(first)
      || first == String(inserted):
      1
    default: 0
    }
  }

  private static let valued = Set(
    (APICommands.table.specs.flatMap(\.options) + ProgramOptions.globals)
      .filter { $0.value != nil }
      .flatMap { option in ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? []) })

  /// What was typed of a word: all of it in a line's words, and the beginning of one whose values
  /// are put in.
  private static func typed(_ word: Argument) -> String {
    if word.typedCount != nil, !word.parts.contains(.secret("")) {
      return word.typedText + String(inserted)
    }
    return word.text(replacingSecretsWith: String(inserted))
  }

  private static func item(_ word: Argument, _ place: Place) -> Found? {
    guard let item = try? APIItem.parse(word, refusesFiles: false) else { return nil }
    switch item.kind {
    case .header where SecretNames.isHeader(item.name):
      guard isTyped(item.value) || hasTypedPart(item) else { return nil }
      let isCookie = item.name.lowercased().hasSuffix("cookie")
      return place.found(
        item.name, form: "\(item.name):\(isCookie ? "KEY=" : ""){{secret:NAME}}",
        authentication: "header:\(item.name)={{secret:NAME}}")
    case .query where SecretNames.isQueryItem(item.name) && isTyped(item.value):
      return place.found(query: item.name)
    default: return nil
    }
  }

  /// Whether the value of a header has typed text where only a secret can be, beside a reference:
  /// in the value of a cookie, or in a key. In `Authorization` such text is the scheme, a user or a
  /// parameter.
  private static func hasTypedPart(_ item: APIItem) -> Bool {
    func isTyped(_ text: some StringProtocol) -> Bool {
      text.contains { $0 != inserted && $0 != "\"" && !$0.isWhitespace }
    }
    let value = item.value.parts.map { part in
      if case .text(let text) = part { text } else { String(inserted) }
    }.joined()
    switch item.name.lowercased().filter({ $0 != "-" && $0 != "_" }) {
    case "xapikey": return isTyped(value)
    case "cookie":
      return value.split(separator: ";").contains { pair in
        isTyped(pair.firstIndex(of: "=").map { pair[$0...].dropFirst() } ?? pair)
      }
    default: return false
    }
  }

  /// A secret at the position of one within the value of a header, such as in an address. A value
  /// that contains a reference, or what was not typed, is none.
  private static func addressInHeader(_ text: String, _ place: Place) -> Found? {
    guard let item = try? APIItem.parse(Argument(text), refusesFiles: false),
      item.kind == .header, !SecretNames.isHeader(item.name), let value = item.value.text
    else { return nil }
    // The header itself is none, also if its name ends like that of one.
    let header = "X: \(value)"
    let masked = Redactor.redactPositions(header)
    guard masked != header else { return nil }
    func count(_ part: String, in text: String) -> Int { text.ranges(of: part).count }
    let marks =
      count(RedactionMark.redacted, in: masked) - count(RedactionMark.redacted, in: value)
    let references = count(String(inserted), in: value) - count(String(inserted), in: masked)
    guard marks > references else { return nil }
    return place.found(
      item.name, form: "\(item.name):...{{secret:NAME}}...",
      authentication: "header:\(item.name)={{secret:NAME}}")
  }

  private static func isTyped(_ value: SecretTemplate) -> Bool {
    value.secretNames.isEmpty && value.text != ""
  }

  /// A query item of an address, or the user part of one.
  private static func address(_ text: String, _ place: Place) -> Found? {
    if ServiceAddress.user(in: text) != nil {
      return place.found(
        "user", form: "--auth basic:USER:{{secret:NAME}}",
        authentication: "basic:USER:{{secret:NAME}}")
    }
    // Bytes, as the parts of an address are separated, and because characters take long.
    let rest = text.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
    let query = rest.prefix { $0 != UInt8(ascii: "#") }
    let found = query.split(separator: UInt8(ascii: "&")).lazy
      .compactMap { SecretQueryItem(Substring($0)) }
      .first { !$0.value.contains(inserted) }
    return found.map { place.found(query: $0.name) }
  }
}
