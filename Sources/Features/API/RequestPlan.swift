import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// Determines the request that a line sends, its destination, and the permitted sources of its
/// response. Uses only the line and the service: it knows no secret and reads no file.
struct RequestPlan {
  let spec: APIRequestSpec
  private let service: APIService?
  /// The authentication that the line specifies, or else that of the service. `nil` if the line
  /// has the header or the query item that it would add.
  private let authentication: APIService.Authentication?
  private(set) var request: APIRequest
  /// The address with its whole query. A fragment is not sent.
  private var url = SecretText("")
  private var references = APIReferences()

  /// - Parameters:
  ///   - service: The service that the target names; `nil` for an address.
  ///   - timeout: Milliseconds, unless the line has its own; `nil`: 30 seconds, and no limit for
  ///     bodies of any length that go on coming.
  ///   - random: Draws a word; for the text between the parts of a body.
  /// - Throws: `Failure` if the request cannot be sent.
  init(
    _ spec: APIRequestSpec, _ service: APIService?, timeout: Int64?, random: () -> UInt64
  ) throws {
    self.spec = spec
    self.service = service
    let authentication = spec.authentication ?? service?.authentication
    // A header or a query item that the line gives replaces the service's of the same name. Lines
    // with a query item and --auth for it are refused; earlier recordings have sent both.
    let replacing = spec.items.first { item in
      [.header, .emptyHeader].contains(item.kind)
        && item.name.lowercased() == authentication?.headerName?.lowercased()
    }
    let replacesQueryItem =
      spec.authentication == nil && spec.queryItem(alsoSetBy: authentication) != nil
    if let replacing, spec.authentication != nil {
      throw Failure(
        code: ExitCode.usage, error: "usage",
        message: "--auth and \(replacing.name): set the same header: give one of them")
    }
    self.authentication = replacing == nil && !replacesQueryItem ? authentication : nil
    try Self.check(spec, isAtService: service != nil)
    if let service { try MarkedText.refuse(service.baseURL, in: "the address of the service") }
    let limit = spec.timeout ?? timeout
    request = APIRequest(
      method: spec.method, url: "", timeout: .milliseconds(limit ?? 30_000),
      redirectLimit: spec.follow)
    request.decodedLimit =
      spec.compressedLimit.flatMap { Int(exactly: $0) } ?? (spec.out == nil ? nil : 1 << 30)
    if let connection = spec.connection { request.connection = APIConnection(connection) }
    // No redirect to another host takes it along, whatever its value is.
    if let replacing { request.secretHeaders.insert(replacing.name) }
    references.mayTakeLong = limit == nil
    if spec.out != nil, limit == nil {
      request.timeout = nil
      request.idleLimit = .seconds(30)
    }
    url = address()
    if let problem = ServiceAddress.problem(url.replacing { _ in "x" }) {
      throw APIError(.invalidURL, problem)
    }
    authenticate()
    try addItems()
    try addContent(random)
    addDefault("Accept", "application/json, */*;q=0.5")
    addDefault("User-Agent", "swiftboard")
    request.url = url.replacing { "{{secret:\($0)}}" }
    if url.text == nil { references.url = url }
    if references != APIReferences() { request.references = references }
  }

  /// What is carried out.
  ///
  /// - Parameter attempt: How often it has been sent with this time.
  func planned(attempt: Int, showsProgress: Bool) -> PlannedRequest {
    // An answer with a secret to be captured is not kept.
    let isKept = spec.captures == nil && isCacheable && spec.resumes != true
    return PlannedRequest(
      request, key: key, service: service?.name ?? "", policy: isKept ? spec.cache : .noCache,
      file: spec.out.map {
        .init(path: $0, continues: spec.resumes == true, showsProgress: showsProgress)
      },
      captures: spec.captures ?? [], attempt: attempt)
  }

  /// The longest wait that a service may ask for before the request is sent again, in seconds: a
  /// minute, or a shorter time limit of the attempts.
  func longestPause(within limit: Int64?) -> Int64 {
    min(ServiceRetry.longestPause, spec.timeout ?? limit ?? .max) / 1000
  }

  // MARK: Checks

  /// Refuses text that contains a mark, and a secret at a position that others can see.
  private static func check(_ spec: APIRequestSpec, isAtService: Bool) throws {
    let templates = [spec.target] + spec.items.map(\.value) + (spec.jsonBody.map { [$0] } ?? [])
    for template in templates {
      for case .text(let text) in template.parts {
        try MarkedText.refuse(text, in: "the request")
      }
    }
    guard spec.target.text == nil else { return }
    // The name of a host or service is visible to others when it is looked up, and is converted to
    // lower case, in which a secret would not be recognized.
    var before = ""
    if case .text(let text)? = spec.target.parts.first { before = text }
    let host =
      isAtService ? before[...] : before.firstRange(of: "://").map { before[$0.upperBound...] }
    let isHostComplete = host?.contains { (isAtService ? "/" : "/?#").contains($0) } ?? false
    guard isHostComplete else {
      throw Failure(
        code: ExitCode.usage, error: "usage",
        message: "a secret cannot be part of a host name or of a service's name",
        help: "put it into the path, the query or a header")
    }
  }

  /// Whether the response may be cached, or replaced by a cached one. It may not if a header
  /// contains a credential without a name, or if the client has a certificate, whose file can
  /// change: the response could belong to another user.
  private var isCacheable: Bool {
    spec.connection?.unixSocket == nil && spec.connection?.isInsecure != true
      && spec.connection?.certificateFile == nil
      && references.content == nil && request.body == nil
      && !spec.items.contains { item in
        item.kind == .header && SecretNames.isHeader(item.name) && item.value.secretNames.isEmpty
          && item.value.text != ""
      }
  }

  // MARK: Address and headers

  private func address() -> SecretText {
    let target = SecretText(address: spec.target)
    guard let service else { return target }
    // The service's name has no secret.
    var parts = target.parts
    if case .text(let text)? = parts.first {
      let path = text.drop { $0 != "/" }.dropFirst()
      let isAlone = path.isEmpty && parts.count == 1
      parts[0] = .text(isAlone ? service.base : service.base + "/" + path)
    }
    // The query begins in the first text that has a mark, or else behind the last part.
    let index = parts.firstIndex {
      if case .text(let text) = $0 { text.contains { "?#".contains($0) } } else { false }
    }
    let end = index ?? parts.endIndex
    var text = ""
    if let index, case .text(let found) = parts[index] { text = found }
    let added = service.addingQuery(to: text)
    if added != text {
      parts.replaceSubrange(end..<(index.map { $0 + 1 } ?? end), with: [.text(added)])
    }
    return SecretText(parts: parts)
  }

  /// Adds the service's key in the place that the service requires.
  private mutating func authenticate() {
    switch authentication {
    case nil: break
    case .header(let name, let secret):
      add(name, SecretText(parts: [.secret(name: secret, form: .plain)]))
      request.secretHeaders.insert(name)
    case .query(let name, let secret):
      let value = SecretText(parts: [.secret(name: secret, form: .percentEncoded)])
      url = url.appending(PercentEncoding.encoded(name), value)
    case .bearer(let secret):
      add(
        "Authorization",
        SecretText(parts: [.text("Bearer "), .secret(name: secret, form: .plain)]))
    case .basic(let user, let secret):
      add(
        "Authorization",
        SecretText(parts: [.text("Basic "), .secret(name: secret, form: .basic(user: user))]))
    case .digest(let user, let secret):
      references.digest = APIReferences.Digest(user: user, secret: secret)
    }
  }

  private mutating func addItems() throws {
    for item in spec.items {
      switch item.kind {
      case .query:
        url = url.appending(
          PercentEncoding.encoded(item.name), SecretText(item.value, form: .percentEncoded))
      case .header: try addHeader(item)
      case .emptyHeader:
        request.removedHeaders.remove(item.name)
        request.headers.append(HTTPHeader(item.name, ""))
      case .text, .json, .file, .bodyFile, .textFile, .jsonFile: break
      }
    }
  }

  private mutating func addHeader(_ item: APIItem) throws {
    let value = SecretText(item.value)
    // Of a kept request, or a recorded one. Lines are refused with DEL too.
    let hasControls = value.parts.contains { part in
      guard case .text(let text) = part else { return false }
      return text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" }
    }
    guard !hasControls else {
      throw Failure(
        code: ExitCode.usage, error: "usage",
        message: "the header \(item.name) has control characters")
    }
    guard value.text != "" else {
      remove(item.name)
      request.removedHeaders.insert(item.name)
      return
    }
    request.removedHeaders.remove(item.name)
    add(item.name, value)
    if !value.secretNames.isEmpty { request.secretHeaders.insert(item.name) }
  }

  private mutating func add(_ name: String, _ value: SecretText) {
    if value.text == nil { references.headers[request.headers.count] = value }
    request.headers.append(HTTPHeader(name, value.replacing { "{{secret:\($0)}}" }))
  }

  /// Removes the headers of a name; the others keep their references.
  private mutating func remove(_ name: String) {
    let kept = request.headers.indices.filter {
      request.headers[$0].name.lowercased() != name.lowercased()
    }
    references.headers = Dictionary(
      uniqueKeysWithValues: kept.enumerated().compactMap { new, old in
        references.headers[old].map { (new, $0) }
      })
    request.headers = kept.map { request.headers[$0] }
  }

  /// Adds a header that the line neither has nor takes away.
  private mutating func addDefault(_ name: String, _ value: String) {
    let isRemoved = request.removedHeaders.contains { $0.lowercased() == name.lowercased() }
    guard !isRemoved, request.headers.value(of: name) == nil else { return }
    request.headers.append(HTTPHeader(name, value))
  }

  // MARK: Body

  private mutating func addContent(_ random: () -> UInt64) throws {
    let members = try spec.items.compactMap(Self.member)
    let files = spec.items.filter { $0.kind == .bodyFile }
    guard [!files.isEmpty, spec.jsonBody != nil, !members.isEmpty].count(where: { $0 }) < 2,
      files.count < 2
    else {
      throw Failure(
        code: ExitCode.usage, error: "usage",
        message: "@FILE and --json-body are the whole body; other items cannot be added")
    }
    guard !files.isEmpty || spec.jsonBody != nil || !members.isEmpty else { return }
    let hasWholeBody = !files.isEmpty || spec.jsonBody != nil
    guard request.method != "HEAD", request.method != "GET" || hasWholeBody else {
      let item = spec.items.first { $0.isMember || $0.namesFile }
      let shown = item.map { item in
        item.typedName(inJSON: spec.hasJSONMembers) + item.kind.separator
          + (item.namesFile ? "FILE" : "VALUE")
      }
      let query =
        members.isEmpty ? nil : item.map { "a query item is written \($0.queryName)==VALUE; " }
      let whole = request.method == "GET" ? "GET takes --json-body TEXT or @FILE; " : ""
      throw Failure(
        code: ExitCode.usage, error: "usage",
        message: "\(request.method) takes no body: \(shown ?? "--json-body") makes one",
        help: "\(query ?? "")\(whole)a body goes with post, put or patch")
    }
    if let file = files.first {
      let shown = file.value.description
      if let type = FileType.of(shown) { addDefault("Content-Type", type) }
      references.content = APIContent(
        .whole(.file(path: SecretText(file.value), shown: shown, type: nil)))
    } else if let json = spec.jsonBody {
      request.hasSecretBody = !json.secretNames.isEmpty
      references.content = APIContent(.whole(.json(SecretText(json))))
      addDefault("Content-Type", "application/json")
    } else {
      request.hasSecretBody = spec.items.contains {
        [.text, .json].contains($0.kind) && !$0.value.secretNames.isEmpty
      }
      addForm(members, random)
    }
  }

  private static func member(_ item: APIItem) throws -> APIContent.Member? {
    try value(of: item).map {
      APIContent.Member(name: item.name, value: $0, isPath: item.isPath == true)
    }
  }

  private static func value(of item: APIItem) throws -> APIContent.Value? {
    let shown = item.value.description
    switch item.kind {
    case .query, .header, .emptyHeader, .bodyFile: return nil
    case .text: return .text(SecretText(item.value))
    case .json:
      if let text = item.value.text, (try? JSON(parsing: text)) == nil {
        throw Failure(APIRequestProblem.notJSON(member: item.name))
      }
      return .json(SecretText(item.value))
    case .textFile: return .textFile(path: SecretText(item.value), shown: shown)
    case .jsonFile: return .jsonFile(path: SecretText(item.value), shown: shown)
    case .file:
      // A type becomes a line of the body.
      if let type = item.type, type.isEmpty || type.utf8.contains(where: { $0 < 0x20 }) {
        throw Failure(
          code: ExitCode.usage, error: "usage",
          message: "the type of \(item.name)@ is empty or has control characters")
      }
      return .file(path: SecretText(item.value), shown: shown, type: item.type)
    }
  }

  private mutating func addForm(_ members: [APIContent.Member], _ random: () -> UInt64) {
    let type = request.headers.value(of: "Content-Type")?.lowercased() ?? ""
    let hasFile = members.contains { if case .file = $0.value { true } else { false } }
    if hasFile || spec.encoding == .multipart || type.hasPrefix("multipart/form-data") {
      let boundary =
        "swiftboard-" + String(random(), radix: 36) + String(random(), radix: 36)
      remove("Content-Type")
      request.headers.append(
        HTTPHeader("Content-Type", "multipart/form-data; boundary=\(boundary)"))
      references.content = APIContent(.multipart(boundary: boundary), members: members)
    } else if spec.encoding == .form || type.hasPrefix("application/x-www-form-urlencoded") {
      references.content = APIContent(.urlEncoded, members: members)
      addDefault("Content-Type", "application/x-www-form-urlencoded")
    } else {
      references.content = APIContent(.json, members: members)
      addDefault("Content-Type", "application/json")
    }
  }
}

// MARK: The key of the cache

extension RequestPlan {
  /// The cache key: everything that affects the response, with `{{secret:NAME}}` instead of values,
  /// so that the response for one secret is not used for another.
  private var key: String {
    func named(_ template: SecretTemplate, _ encoded: (String) -> String) -> String {
      template.parts.map { part in
        switch part {
        case .text(let text): encoded(text)
        case .secret(let name): "{{secret:\(name)}}"
        }
      }.joined()
    }
    // Text that looks like a reference must not become one.
    func literal(_ text: String) -> String {
      text.utf8.contains(UInt8(ascii: "{")) ? text.replacing("{", with: "%7B") : text
    }
    var secrets: [String] = []
    switch authentication {
    case nil: break
    case .header(let name, let secret): secrets.append("\(name.lowercased()): {{secret:\(secret)}}")
    case .query: break
    case .bearer(let secret): secrets.append("authorization: Bearer {{secret:\(secret)}}")
    case .basic(let user, let secret):
      secrets.append("authorization: Basic \(user):{{secret:\(secret)}}")
    case .digest(let user, let secret):
      secrets.append("authorization: Digest \(user):{{secret:\(secret)}}")
    }
    for item in spec.items {
      switch item.kind {
      case .header
      where !item.value.secretNames.isEmpty
        || !["accept", "accept-language"].contains(item.name.lowercased()):
        // Any header may affect the response. These two are part of every key.
        secrets.append("\(item.name.lowercased()): \(named(item.value, literal))")
      case .emptyHeader: secrets.append("\(item.name.lowercased());")
      default: break
      }
    }
    // Lists show neither the header nor the query item of a credential, but the names.
    let names =
      spec.target.secretNames
      + spec.items.filter { $0.kind == .header || $0.kind == .query }.flatMap(\.value.secretNames)
      + (authentication.map { [$0.secret] } ?? [])
    if !names.isEmpty { secrets.append("secrets: \(Set(names).sorted().joined(separator: ", "))") }
    return ResponseRepository.key(
      method: request.method, url: keyURL, headers: request.headers, secrets: secrets)
  }

  /// The address, normalized, with `{{secret:NAME}}` in place of values.
  private var keyURL: String {
    // An address that cannot be normalized is not sent.
    func normalized(_ url: String) -> String { (try? URLBuilder(url).cacheKey) ?? url }
    guard !url.secretNames.isEmpty else { return normalized(url.replacing { _ in "" }) }
    // What stands for a secret meanwhile must occur nowhere else. Normalizing decodes letters.
    var mark = "secret."
    let text = PercentEncoding.decoded(url.replacing { _ in "" }[...])
    while text.contains(mark) { mark += "." }
    var count = 0
    let marked = url.replacing { _ in
      count += 1
      return "\(mark)\(count)."
    }
    var key = normalized(marked)
    for (index, name) in url.secretNames.enumerated() {
      // A segment `..` removes the one before it, and a secret with it.
      guard let range = key.firstRange(of: "\(mark)\(index + 1).") else { continue }
      key.replaceSubrange(range, with: "{{secret:\(name)}}")
    }
    return key
  }
}

extension SecretText {
  /// An address, in whose host no secret may be. In the query, a value is one item or a part of it,
  /// so `&`, `=` and `+` in it are encoded. In the path it may have several parts, and only what
  /// would end the path is encoded.
  fileprivate init(address template: SecretTemplate) {
    var parts: [Part] = []
    var isInQuery = false
    for part in template.parts {
      switch part {
      case .text(let text):
        parts.append(.text(text))
        isInQuery = isInQuery || text.utf8.contains { "?#".utf8.contains($0) }
      case .secret(let name):
        parts.append(.secret(name: name, form: isInQuery ? .percentEncoded : .path))
      }
    }
    self.init(parts: parts)
  }

  /// A line's text; its secrets are put in as `form` says.
  init(_ template: SecretTemplate, form: Form = .plain) {
    self.init(
      parts: template.parts.map { part in
        switch part {
        case .text(let text):
          .text(form == .percentEncoded ? PercentEncoding.encoded(text) : text)
        case .secret(let name): .secret(name: name, form: form)
        }
      })
  }

  /// An address with one more query item, before its fragment.
  fileprivate func appending(_ name: String, _ value: SecretText) -> SecretText {
    func isText(_ part: Part, with character: Character) -> Bool {
      if case .text(let text) = part { text.contains(character) } else { false }
    }
    let end = parts.firstIndex { isText($0, with: "#") } ?? parts.endIndex
    var before = Array(parts[..<end])
    var after: [Part] = Array(parts[end...])
    if case .text(let text)? = after.first, let hash = text.firstIndex(of: "#") {
      before.append(.text(String(text[..<hash])))
      after[0] = .text(String(text[hash...]))
    }
    // Only the first question mark begins the query; further ones belong to an item.
    let query = SecretText(parts: before).replacing { _ in "{}" }.utf8.drop {
      $0 != UInt8(ascii: "?")
    }
    let mark =
      switch query.last {
      case nil: "?"
      case UInt8(ascii: "&"): ""
      default: query.count == 1 ? "" : "&"
      }
    return SecretText(
      parts: before + [.text("\(mark)\(name)=")] + value.parts + after)
  }
}
