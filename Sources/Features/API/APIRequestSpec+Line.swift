import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// The value of an option in the line of a request.
enum RequestOptionValue {
  case flag
  case number(Int64)
  case text(SecretTemplate)
  /// The values of a repeatable option.
  case list([String])

  /// The values as texts; none for a flag.
  fileprivate var templates: [SecretTemplate] {
    switch self {
    case .flag: []
    case .number(let number): [SecretTemplate(String(number))]
    case .text(let text): [text]
    case .list(let texts): texts.map { SecretTemplate($0) }
    }
  }

  /// The value for `--json`.
  var json: JSON {
    switch self {
    case .flag: .bool(true)
    case .number(let number): JSON(number)
    case .text(let text): .string(text.description)
    case .list(let texts): .array(texts.map(JSON.string))
    }
  }
}

extension APIRequestSpec {
  /// The line that makes this request, with names in place of secrets. What may be a literal secret
  /// is masked, and a `\` directly before a separator, which only a variable can put into a value,
  /// is not kept.
  var line: String {
    let words = ["api"] + (isExplicit || method != "GET" ? [methodWord] : [])
    let options = self.options + (save.map { [("save", .text(SecretTemplate($0)))] } ?? [])
    let itemWords = items.map { Self.word($0.template(inJSON: hasJSONMembers)) }
    let optionWords = options.flatMap { name, value in
      value.templates.isEmpty
        ? [Argument("--\(name)")]
        : value.templates.flatMap { [Argument("--\(name)"), Self.word($0)] }
    }
    // An item with the name of an option is none behind '--'.
    let isLikeOption = itemWords.contains { $0.leadingText.hasPrefix("--") }
    return LineParser.line(
      of: words.map { Argument($0) } + [Self.word(shownTarget)]
        + (isLikeOption ? optionWords + [Argument("--")] + itemWords : itemWords + optionWords))
  }

  /// The target, safe to display.
  var shownTarget: SecretTemplate {
    let text = target.description
    let shown = Redactor.redactPositions(text)
    return shown == text ? target : SecretTemplate(shown)
  }

  /// The options that the line has, in the order of its help.
  var options: [(name: String, value: RequestOptionValue)] {
    func flag(_ isSet: Bool?) -> RequestOptionValue? { isSet == true ? .flag : nil }
    func text(_ text: String?) -> RequestOptionValue? { text.map { .text(SecretTemplate($0)) } }
    func count(_ count: Int, _ member: APIAnswerMember) -> RequestOptionValue? {
      count == 0 && added?.contains(member) != true ? nil : .number(Int64(count))
    }
    let options: [(name: String, value: RequestOptionValue?)] = [
      ("cache", cache == .remoteFirst ? nil : text(cache.rawValue)),
      ("timeout", text(timeout.map { "\($0)ms" })),
      ("retry", count(retries, .attempts)), ("follow", count(follow, .redirects)),
      ("headers", flag(shown == .headers)),
      ("body", flag(method == "HEAD" && shown == .body && select == nil)),
      ("show-request", flag(shown == .verbose)), ("timing", flag(shown == .timing)),
      ("pretty", flag(isPretty)), ("raw", flag(isPretty.map { !$0 })), ("select", text(select)),
      ("out", text(out)), ("resume", flag(resumes)),
      ("compressed-limit", compressedLimit.map { .number($0) }),
      ("capture", captures.map { .list($0.map { "\($0.name)=\($0.path)" }) }),
      ("form", flag(encoding == .form)), ("multipart", flag(encoding == .multipart)),
      ("json-body", jsonBody.map { .text($0) }),
      ("auth", authentication.map { .text(APIOutcomes.template(of: $0)) }),
      ("cacert", text(connection?.authorityFile)), ("cert", text(connection?.certificateFile)),
      ("key", text(connection?.keyFile)), ("insecure", flag(connection?.isInsecure)),
      ("proxy", text(connection?.proxy.map { Redactor.redactPositions($0) })),
      ("unix-socket", text(connection?.unixSocket)),
    ]
    return options.compactMap { option in option.value.map { (option.name, $0) } }
  }

  /// The method as lines usually have it.
  private var methodWord: String {
    let word = method.lowercased()
    return APICommands.methods.contains(word) ? word : method
  }

  private static func word(_ template: SecretTemplate) -> Argument {
    var word = Argument(parts: template.parts)
    // What begins with a dash is no option in quotes.
    if word.leadingText.hasPrefix("-") { word.quoting = .single }
    return word
  }
}

extension APIItem {
  /// The item as a word of a line, safe to display.
  fileprivate func template(inJSON: Bool) -> SecretTemplate {
    let name = Self.escaped(typedName(inJSON: inJSON)) { _ in true }
    var value = shownValue.parts
    if case .text(let text)? = value.first { value[0] = .text(escaped(value: text)) }
    return SecretTemplate(
      parts: [.text(name + kind.separator)] + value + [.text(type.map { ";type=\($0)" } ?? "")])
  }

  /// The value, safe to display: a literal one may be in the place of a secret.
  var shownValue: SecretTemplate {
    let sign = kind == .query ? "?\(name)=" : "\(name): "
    guard [.query, .header].contains(kind), let text = value.text else { return value }
    // Scalars, since the first one of the value may be a part of the character before it.
    let shown = Redactor.redactPositions(sign + text).unicodeScalars
    return SecretTemplate(
      String(String.UnicodeScalarView(shown.dropFirst(sign.unicodeScalars.count))))
  }

  /// Returns the beginning of a value with a `\` before what would be another separator, or the
  /// type of a file.
  private func escaped(value: String) -> String {
    switch kind {
    case .text, .header, .query:
      let first: Set<Unicode.Scalar> = kind == .query ? ["@"] : ["=", "@"]
      return value.unicodeScalars.first.map(first.contains) == true ? "\\" + value : value
    case .file:
      return Self.escaped(value) { $0.starts(with: ";type=".unicodeScalars) }
    default: return value
    }
  }

  /// Returns a text with a `\` before each separator and `\`, if the rest of the text from there on
  /// requires it.
  private static func escaped(
    _ text: String, where isEscaped: (Substring.UnicodeScalarView) -> Bool
  ) -> String {
    var result = "".unicodeScalars
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
      if Argument.escapedInNames.unicodeScalars.contains(scalar), isEscaped(rest) {
        result.append("\\")
      }
      result.append(scalar)
      rest.removeFirst()
    }
    return String(result)
  }
}

extension APIItem.Kind {
  /// What is between the name and the value.
  var separator: String {
    switch self {
    case .query: "=="
    case .header: ":"
    case .text: "="
    case .json: ":="
    case .file, .bodyFile: "@"
    case .emptyHeader: ";"
    case .textFile: "=@"
    case .jsonFile: ":=@"
    }
  }
}
