import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem

/// A request with its secrets in place, and what may be said of it.
struct PreparedRequest {
  var request: APIRequest
  /// For the cache: with the names of the secrets, without their values.
  var key: String
  /// Whether its answer may be kept, and be one that is kept. Not where a header that holds a
  /// credential has a value of which no name is known: it would be another user's answer.
  var isCacheable: Bool
  var service: String
  /// The target as typed, for messages.
  var shown: String
  /// The body that is read while it is sent, if one is.
  var body: RequestBody?
}

/// Turns a line's request into one that can be sent.
struct RequestPreparation {
  let dependencies: Dependencies

  init(_ dependencies: Dependencies) {
    self.dependencies = dependencies
  }

  func prepare(_ spec: APIRequestSpec, _ context: CommandContext) async throws -> PreparedRequest {
    let templates = [spec.target] + spec.items.map(\.value) + (spec.jsonBody.map { [$0] } ?? [])
    for template in templates {
      for case .text(let text) in template.parts {
        try MarkedText.refuse(text, in: "the request")
      }
    }
    try refuseSecretHost(spec.target)
    var secrets: Set<String> = []
    let target = try await resolve(spec.target, &secrets)
    var service: APIService?
    var url: String
    // Whether it is an address is for the line to say, not for a secret's value.
    if case .text(let text)? = spec.target.parts.first, text.contains("://") {
      url = target
    } else {
      let parts = target.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      let known = try await known(String(parts[0]), spec)
      service = known
      let path = parts.count > 1 ? parts[1] : ""
      url = path.isEmpty ? known.baseURL : known.baseURL + "/" + path
    }
    if let problem = ServiceAddress.problem(url) {
      throw APIError(.invalidURL, dependencies.logger.redact(problem))
    }
    var request = APIRequest(
      method: spec.method, url: url,
      timeout: .milliseconds(spec.timeout ?? context.timeout ?? 30_000),
      redirectLimit: spec.follow, secretValues: secrets)
    request.decodedLimit =
      spec.compressedLimit.flatMap { Int(exactly: $0) } ?? (spec.out == nil ? nil : 1 << 30)
    if let connection = spec.connection { request.connection = APIConnection(connection) }
    var isCacheable = spec.connection?.unixSocket == nil && spec.connection?.isInsecure != true
    if let own = spec.authentication {
      service = APIService(
        name: service?.name ?? "", baseURL: service?.baseURL ?? "", authentication: own)
    }
    try await authenticate(&request, service)
    let body = try await add(spec, to: &request)
    addDefault("Accept", "application/json, */*;q=0.5", to: &request)
    addDefault("User-Agent", "swiftboard", to: &request)
    if request.body != nil || request.upload != nil { isCacheable = false }
    if spec.out != nil || request.upload != nil, spec.timeout == nil, context.timeout == nil {
      // Nobody knows how long it takes; what counts is whether it goes on. What is read from a pipe
      // may let it wait.
      request.timeout = nil
      request.idleLimit = request.upload.map { $0.length == nil } == true ? nil : .seconds(30)
    }
    // What a file holds may be a known secret as well.
    if let body = request.body, !request.hasSecretBody {
      request.hasSecretBody = !dependencies.logger.redactor.mask([UInt8](body)).names.isEmpty
    }
    return PreparedRequest(
      request: request,
      key: dependencies.logger.redactor.mask(key(spec, request, service)).value,
      isCacheable: isCacheable
        && !spec.items.contains { item in
          item.kind == .header && SecretNames.isHeader(item.name) && item.value.secretNames.isEmpty
            && item.value.text != ""
        },
      service: service?.name ?? "", shown: spec.target.description,
      body: request.upload == nil ? nil : body)
  }

  /// A host, or a service, is looked up by its name, which others see; and its name is in lower
  /// case, where no secret is recognised any more.
  private func refuseSecretHost(_ target: SecretTemplate) throws {
    guard target.text == nil else { return }
    var before = ""
    if case .text(let text)? = target.parts.first { before = text }
    let isHostComplete =
      before.firstRange(of: "://").map { scheme in
        before[scheme.upperBound...].contains { "/?#".contains($0) }
      } ?? before.contains("/")
    guard isHostComplete else {
      throw Failure(
        code: ExitCode.usage, error: "usage",
        message: "a secret cannot be part of a host name or of a service's name",
        help: "put it into the path, the query or a header")
    }
  }

  /// The key of the cache: all that the answer depends on, with `{{secret:NAME}}` for the values of
  /// secrets. One secret's answer is none for another's.
  private func key(_ spec: APIRequestSpec, _ request: APIRequest, _ service: APIService?) -> String
  {
    func named(_ template: SecretTemplate, _ encoded: (String) -> String) -> String {
      template.parts.map { part in
        switch part {
        case .text(let text): encoded(text)
        case .secret(let name): "{{secret:\(name)}}"
        }
      }.joined()
    }
    // What looks like a reference and is none must not become one.
    func literal(_ text: String) -> String { text.replacing("{", with: "%7B") }
    var url = named(spec.target, literal)
    if let service, !service.baseURL.isEmpty {
      let path = url.drop { $0 != "/" }.dropFirst()
      url = path.isEmpty ? service.baseURL : service.baseURL + "/" + path
    }
    var secrets: [String] = []
    switch service?.authentication {
    case nil: break
    case .header(let name, let secret): secrets.append("\(name.lowercased()): {{secret:\(secret)}}")
    case .query(let name, let secret):
      url = appending(PercentEncoding.encoded(name), "{{secret:\(secret)}}", to: url)
    case .bearer(let secret): secrets.append("authorization: Bearer {{secret:\(secret)}}")
    case .basic(let user, let secret):
      secrets.append("authorization: Basic \(user):{{secret:\(secret)}}")
    case .digest(let user, let secret):
      secrets.append("authorization: Digest \(user):{{secret:\(secret)}}")
    }
    for item in spec.items {
      switch item.kind {
      case .query:
        url = appending(
          PercentEncoding.encoded(item.name), named(item.value, PercentEncoding.encoded), to: url)
      case .header
      where !item.value.secretNames.isEmpty
        || !["accept", "accept-language"].contains(item.name.lowercased()):
        // Any of them may decide about the answer; those two are part of each key.
        secrets.append("\(item.name.lowercased()): \(named(item.value, literal))")
      default: break
      }
    }
    // Lists show neither the header nor the query item of a credential, but the names.
    var names = spec.target.secretNames
    names += spec.items.filter { $0.kind == .header || $0.kind == .query }
      .flatMap(\.value.secretNames)
    switch service?.authentication {
    case nil: break
    case .header(_, let secret), .query(_, let secret), .bearer(let secret), .basic(_, let secret),
      .digest(_, let secret):
      names.append(secret)
    }
    if !names.isEmpty { secrets.append("secrets: \(Set(names).sorted().joined(separator: ", "))") }
    return ResponseRepository.key(
      method: request.method, url: url, headers: request.headers, secrets: secrets)
  }

  private func known(_ name: String, _ spec: APIRequestSpec) async throws -> APIService {
    do {
      return try await service(name, dependencies)
    } catch var failure as Failure {
      if !spec.isExplicit, failure.error == "noSuchService" { failure.code = ExitCode.usage }
      throw failure
    }
  }

  /// The template with its secrets' values, which `secrets` gets as well.
  private func resolve(_ template: SecretTemplate, _ secrets: inout Set<String>) async throws
    -> String
  {
    if let text = template.text { return text }
    var values: [String: String] = [:]
    for name in template.secretNames where values[name] == nil {
      values[name] = try await value(name)
    }
    secrets.formUnion(values.values)
    return template.parts.map { part in
      switch part {
      case .text(let text): text
      case .secret(let name): values[name] ?? ""
      }
    }.joined()
  }

  /// A secret as text. One final line break, which files end with, is no part of a key.
  private func value(_ name: String) async throws -> String {
    let data = try await secret(name, dependencies)
    guard var text = String(validating: data, as: UTF8.self) else {
      throw Failure(
        code: ExitCode.data, error: "notText",
        message: "the secret '\(name)' is not text and cannot go into a request")
    }
    if text.hasSuffix("\r\n") || text.hasSuffix("\n") {
      text.removeLast()
    }
    guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      throw Failure(
        code: ExitCode.data, error: "notText",
        message: "the secret '\(name)' has control characters and cannot go into a request",
        help: "store it again with 'keychain set \(name)'")
    }
    return text
  }

  /// Adds the service's key in the place that the service requires.
  private func authenticate(_ request: inout APIRequest, _ service: APIService?) async throws {
    switch service?.authentication {
    case nil: break
    case .header(let name, let secret):
      let value = try await value(secret)
      request.headers.append(HTTPHeader(name, value))
      request.secretHeaders.insert(name)
      request.secretValues.insert(value)
    case .query(let name, let secret):
      let value = try await value(secret)
      request.url = appending(
        PercentEncoding.encoded(name), PercentEncoding.encoded(value), to: request.url)
      request.secretValues.insert(value)
    case .bearer(let secret):
      let value = try await value(secret)
      request.headers.append(HTTPHeader("Authorization", "Bearer " + value))
      request.secretValues.insert(value)
    case .basic(let user, let secret):
      let value = try await value(secret)
      let plain = "\(user):\(value)"
      let pair = Data(plain.utf8).base64EncodedString()
      request.headers.append(HTTPHeader("Authorization", "Basic " + pair))
      request.secretValues.formUnion([value, plain, pair])
    case .digest(let user, let secret):
      let value = try await value(secret)
      request.digest = APICredentials(user: user, password: value)
      request.secretValues.insert(value)
    }
  }

  /// Adds a header that the line neither has nor takes away.
  private func addDefault(_ name: String, _ value: String, to request: inout APIRequest) {
    let isRemoved = request.removedHeaders.contains { $0.lowercased() == name.lowercased() }
    guard !isRemoved, request.headers.value(of: name) == nil else { return }
    request.headers.append(HTTPHeader(name, value))
  }

  private func appending(_ name: String, _ value: String, to url: String) -> String {
    let hash = url.firstIndex(of: "#") ?? url.endIndex
    let address = url[..<hash]
    return "\(address)\(address.contains("?") ? "&" : "?")\(name)=\(value)\(url[hash...])"
  }

  /// The text of a file. A file with a mark in place of a secret is not sent instead of the
  /// original.
  private func text(of item: APIItem, _ request: inout APIRequest) async throws -> String {
    let data = try await dependencies.files.read(
      path(try await resolve(item.value, &request.secretValues)), limit: 16 << 20)
    try MarkedText.refuse(data, in: item.value.description)
    guard let text = String(validating: data, as: UTF8.self) else {
      throw Failure(
        code: ExitCode.data, error: "notText",
        message: "the file \(item.value.description) is not UTF-8 text",
        help: "send it as a file with \(item.name)@FILE, or as the whole body with @FILE")
    }
    return text
  }

  /// `-` is standard input.
  private func path(_ path: String) -> String { path == "-" ? "/dev/stdin" : path }

  private func json(_ text: String, _ item: APIItem) throws -> JSON {
    if let json = try? JSON(parsing: text) { return json }
    throw Failure(
      code: ExitCode.data, error: "malformedData",
      message: "the value of \(item.name):= is not JSON",
      help: "text goes with \(item.name)=text")
  }

  /// Adds what the items say.
  ///
  /// - Returns: The body, where it was made of files.
  private func add(
    _ spec: APIRequestSpec, to request: inout APIRequest
  ) async throws -> RequestBody? {
    var form = RequestForm()
    var file: (path: String, shown: String, type: String?)?
    for item in spec.items {
      switch item.kind {
      case .query:
        request.url = appending(
          PercentEncoding.encoded(item.name),
          PercentEncoding.encoded(try await resolve(item.value, &request.secretValues)),
          to: request.url)
      case .header: try await addHeader(item, to: &request)
      case .emptyHeader:
        request.removedHeaders.remove(item.name)
        request.headers.append(HTTPHeader(item.name, ""))
      case .text:
        if !item.value.secretNames.isEmpty { request.hasSecretBody = true }
        let text = try await resolve(item.value, &request.secretValues)
        form.members.append((item.name, .text(text)))
      case .json:
        if !item.value.secretNames.isEmpty { request.hasSecretBody = true }
        let text = try await resolve(item.value, &request.secretValues)
        form.members.append((item.name, .json(try json(text, item))))
      case .textFile:
        form.members.append((item.name, .text(try await text(of: item, &request))))
      case .jsonFile:
        let text = try await text(of: item, &request)
        form.members.append((item.name, .json(try json(text, item))))
      case .file:
        try checkType(item)
        let path = path(try await resolve(item.value, &request.secretValues))
        form.members.append(
          (item.name, .file(path: path, shown: item.value.description, type: item.type)))
      case .bodyFile:
        try refuseSecond(file == nil)
        file = (
          path(try await resolve(item.value, &request.secretValues)), item.value.description,
          FileType.of(item.value.description)
        )
      }
    }
    try refuseSecond(
      [file != nil, spec.jsonBody != nil, !form.members.isEmpty].count { $0 } < 2)
    guard file != nil || spec.jsonBody != nil || !form.members.isEmpty else { return nil }
    let hasWholeBody = file != nil || spec.jsonBody != nil
    guard request.method != "HEAD", request.method != "GET" || hasWholeBody else {
      let name = form.members.first?.name ?? "name"
      throw Failure(
        code: ExitCode.usage, error: "usage",
        message: "\(request.method) takes no body: \(name)=… makes one",
        help: "a query item is written \(name)==…; a body goes with post, put or patch")
    }
    if let (path, shown, type) = file {
      if let type { addDefault("Content-Type", type, to: &request) }
      return try await put([.file(path: path, shown: shown)], into: &request)
    }
    if let template = spec.jsonBody {
      if !template.secretNames.isEmpty { request.hasSecretBody = true }
      request.body = Data(try await resolve(template, &request.secretValues).utf8)
      addDefault("Content-Type", "application/json", to: &request)
      return nil
    }
    return try await put(form, spec, into: &request)
  }

  private func put(
    _ form: RequestForm, _ spec: APIRequestSpec, into request: inout APIRequest
  ) async throws -> RequestBody? {
    let type = request.headers.value(of: "Content-Type")?.lowercased() ?? ""
    let hasFile = form.members.contains { if case .file = $0.value { true } else { false } }
    if hasFile || spec.encoding == .multipart || type.hasPrefix("multipart/form-data") {
      let boundary =
        "swiftboard-" + String(dependencies.random.next(), radix: 36)
        + String(dependencies.random.next(), radix: 36)
      request.headers.removeAll { $0.name.lowercased() == "content-type" }
      request.headers.append(
        HTTPHeader("Content-Type", "multipart/form-data; boundary=\(boundary)"))
      return try await put(form.multipart(boundary: boundary), into: &request)
    }
    if spec.encoding == .form || type.hasPrefix("application/x-www-form-urlencoded") {
      request.body = Data(form.urlEncoded.utf8)
      addDefault("Content-Type", "application/x-www-form-urlencoded", to: &request)
    } else {
      request.body = Data(form.json.text.utf8)
      addDefault("Content-Type", "application/json", to: &request)
    }
    return nil
  }

  private func put(
    _ parts: [RequestBody.Part], into request: inout APIRequest
  ) async throws -> RequestBody {
    let body = RequestBody(parts, dependencies)
    try await body.put(into: &request)
    return body
  }

  private func refuseSecond(_ isOne: Bool) throws {
    guard !isOne else { return }
    throw Failure(
      code: ExitCode.usage, error: "usage",
      message: "@FILE and --json-body are the whole body; other items cannot be added")
  }

  /// A type becomes a line of the body.
  private func checkType(_ item: APIItem) throws {
    guard let type = item.type, type.isEmpty || type.utf8.contains(where: { $0 < 0x20 }) else {
      return
    }
    throw Failure(
      code: ExitCode.usage, error: "usage",
      message: "the type of \(item.name)@ is empty or has control characters")
  }

  private func addHeader(_ item: APIItem, to request: inout APIRequest) async throws {
    let value = try await resolve(item.value, &request.secretValues)
    guard !value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" }) else {
      throw Failure(
        code: ExitCode.usage, error: "usage",
        message: "the header \(item.name) has control characters")
    }
    guard !value.isEmpty || !item.value.secretNames.isEmpty else {
      request.headers.removeAll { $0.name.lowercased() == item.name.lowercased() }
      request.removedHeaders.insert(item.name)
      return
    }
    request.removedHeaders.remove(item.name)
    request.headers.append(HTTPHeader(item.name, value))
    if !item.value.secretNames.isEmpty { request.secretHeaders.insert(item.name) }
  }
}

/// The problem with an address, in words; `nil` if it can be asked.
enum ServiceAddress {
  static func problem(_ url: String) -> String? {
    let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      return "'\(url)' is not an address: it has no http:// or https://"
    }
    let scheme = parts[0].lowercased()
    guard scheme == "http" || scheme == "https" else {
      return "'\(scheme)' is not spoken here; http and https are"
    }
    let rest = parts[1]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if authority.contains("@") {
      return
        "the address holds a user or password; name a secret with --auth basic:USER:{{secret:N}} instead"
    }
    let host = authority.hasPrefix("[") ? authority : authority.prefix { $0 != ":" }
    if host.isEmpty { return "the address has no host" }
    if url.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) {
      return "the address has a space or a control character; write it as %20"
    }
    return nil
  }
}
