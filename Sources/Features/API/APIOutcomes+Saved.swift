import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

extension APIOutcomes {
  /// Shows a kept request in the words of a line that sends it, with names in place of secrets.
  static func saved(_ request: APIRequestSpec, as name: String, _ job: Int) -> Outcome {
    let target = Redactor.redactPositions(request.target.description)
    return Outcome(
      job: job,
      value: .object([
        .init("name", .string(name)), .init("method", .string(request.method)),
        .init("target", .string(target)), .init("items", .array(request.items.map(json))),
        .init("options", .object(options(of: request))),
      ]),
      presentation: .fields(
        [("name", name), ("method", request.method), ("target", target)]
          + request.items.map { ("item", text(of: $0)) }
          + options(of: request).flatMap { rows(of: $0) }))
  }

  /// Returns the options that the line has, in the order of its help. A flag is `true`.
  private static func options(of request: APIRequestSpec) -> [JSON.Member] {
    let connection = request.connection
    func flag(_ isSet: Bool?) -> JSON? { isSet == true ? .bool(true) : nil }
    // `nil` alone would be the JSON value null.
    func count(_ count: Int) -> JSON? { count == 0 ? .none : .some(JSON(count)) }
    let options: [(name: String, value: JSON?)] = [
      ("cache", request.cache == .remoteFirst ? nil : .string(request.cache.rawValue)),
      ("timeout", request.timeout.map { .string("\($0)ms") }),
      ("retry", count(request.retries)), ("follow", count(request.follow)),
      ("headers", flag(request.shown == .headers)),
      ("show-request", flag(request.shown == .verbose)),
      ("timing", flag(request.shown == .timing)),
      ("pretty", flag(request.isPretty)), ("raw", flag(request.isPretty.map { !$0 })),
      ("select", request.select.map(JSON.string)), ("out", request.out.map(JSON.string)),
      ("resume", flag(request.resumes)),
      ("compressed-limit", request.compressedLimit.map { JSON($0) }),
      ("capture", request.captures.map { .array($0.map { .string("\($0.name)=\($0.path)") }) }),
      ("form", flag(request.encoding == .form)),
      ("multipart", flag(request.encoding == .multipart)),
      ("json-body", request.jsonBody.map { .string($0.description) }),
      ("auth", text(of: request.authentication).map(JSON.string)),
      ("cacert", connection?.authorityFile.map(JSON.string)),
      ("cert", connection?.certificateFile.map(JSON.string)),
      ("key", connection?.keyFile.map(JSON.string)), ("insecure", flag(connection?.isInsecure)),
      ("proxy", connection?.proxy.map { .string(Redactor.redactPositions($0)) }),
      ("unix-socket", connection?.unixSocket.map(JSON.string)),
    ]
    return options.compactMap { option in option.value.map { .init(option.name, $0) } }
  }

  private static func rows(of option: JSON.Member) -> [(String, String)] {
    let values = if case .array(let values) = option.value { values } else { [option.value] }
    return values.map { ("--\(option.key)", $0.stringValue ?? $0.text) }
  }

  private static func json(_ item: APIItem) -> JSON {
    .object(
      [
        .init("kind", .string(item.kind.rawValue)), .init("name", .string(item.name)),
        .init("value", .string(value(of: item))),
      ] + (item.type.map { [.init("type", .string($0))] } ?? []))
  }

  private static func text(of item: APIItem) -> String {
    let sign =
      switch item.kind {
      case .query: "=="
      case .header: ":"
      case .text: "="
      case .json: ":="
      case .file, .bodyFile: "@"
      case .emptyHeader: ";"
      case .textFile: "=@"
      case .jsonFile: ":=@"
      }
    return item.name + sign + value(of: item) + (item.type.map { ";type=\($0)" } ?? "")
  }

  /// Returns the value, safe to display: a literal one may be in the place of a secret.
  private static func value(of item: APIItem) -> String {
    let sign = item.kind == .query ? "?\(item.name)=" : "\(item.name): "
    guard [.query, .header].contains(item.kind), let text = item.value.text else {
      return item.value.description
    }
    return String(Redactor.redactPositions(sign + text).dropFirst(sign.count))
  }
}
