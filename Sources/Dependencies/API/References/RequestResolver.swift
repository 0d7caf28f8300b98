import SwiftBoardJSON
import SwiftBoardSystem

/// Replaces the references in a request by the values of secrets and the content of files. No other
/// code has both.
struct RequestResolver: Sendable {
  let dependencies: Dependencies

  init(_ dependencies: Dependencies) { self.dependencies = dependencies }

  /// An assembled request, with information about its body.
  struct Resolved {
    var request: APIRequest
    /// The body, if it is read from files.
    var body: RequestBody?
    /// Whether all sources of the request can be read again.
    var isRepeatable = true
    /// The names of the secrets in the URL that are too short to be recognized, by their values.
    var shortSecrets: [String: String] = [:]
  }

  /// A place in a request.
  private enum Use {
    /// The URL, which has no control characters.
    case address
    /// A header or the name of a file, which have no control characters.
    case line
    /// A member of a body, which is encoded in the body's form.
    case member
    /// A JSON document, into which a value is inserted unchanged. Inside a string it has no
    /// characters to escape.
    case json
  }

  /// - Throws: `APIError` if a URL is invalid, and errors that `APIRequestProblem` can describe.
  func resolve(_ request: APIRequest) async throws -> Resolved {
    guard let references = request.references else { return Resolved(request: request) }
    var resolved = Resolved(request: request)
    resolved.request.references = nil
    if let url = references.url {
      resolved.request.url = try await text(url, as: .address, &resolved)
      if let problem = ServiceAddress.problem(resolved.request.url) {
        throw APIError(.invalidURL, dependencies.logger.redact(problem))
      }
    }
    for (index, value) in references.headers.sorted(by: { $0.key < $1.key }) {
      resolved.request.headers[index].value = try await text(value, &resolved)
    }
    if let digest = references.digest {
      let value = try await value(digest.secret)
      resolved.request.digest = APICredentials(user: digest.user, password: value)
      resolved.request.secretValues.insert(value)
    }
    let wait = PipeTimeout(
      limit: references.mayTakeLong ? nil : request.timeout, clock: dependencies.clock)
    if let content = references.content { try await add(content, to: &resolved, wait) }
    if resolved.request.upload != nil, references.mayTakeLong {
      resolved.request.timeout = nil
      resolved.request.idleLimit = .seconds(30)
    }
    // A file may contain a known secret.
    if let body = resolved.request.body, !resolved.request.hasSecretBody {
      let found = dependencies.logger.redactor.mask([UInt8](body)).names
      resolved.request.hasSecretBody = !found.isEmpty
    }
    return resolved
  }

  // MARK: Texts

  /// Returns the text with the values of its secrets, and marks them so that no redirect sends them
  /// to another host.
  ///
  /// - Parameter use: The place of the text, which decides what characters a value may have.
  private func text(
    _ text: SecretText, as use: Use = .line, _ resolved: inout Resolved
  ) async throws -> String {
    var result = ""
    var string = JSONStringScanner()
    for part in text.parts {
      switch part {
      case .text(let text):
        result += text
        if use == .json { string.scan(text) }
      case .secret(let name, let form):
        // An encoded value needs no escape in JSON.
        let isPlain = if case .plain = form { true } else { false }
        let value = try await value(
          name, as: use == .json && !isPlain ? .line : use, isInString: string.isInside)
        if use == .address, 1..<Redactor.shortestValue ~= value.utf8.count {
          resolved.shortSecrets[value] = name
        }
        // A service may repeat it without the line break.
        resolved.request.secretValues.insert(Self.withoutLineBreak(value))
        switch form {
        case .plain: result += value
        case .percentEncoded: result += PercentEncoding.encoded(value)
        case .percentEncodedTwice:
          result += PercentEncoding.encoded(PercentEncoding.encoded(value))
        case .path:
          let encoded = PercentEncoding.encodedPath(value)
          resolved.request.secretValues.insert(encoded)
          result += encoded
        case .basic(let user):
          let pair = "\(user):\(value)"
          let encoded = Data(pair.utf8).base64EncodedString()
          resolved.request.secretValues.formUnion([pair, encoded])
          result += encoded
        }
      }
    }
    return result
  }

  /// Returns a secret as text: exactly, or for an address or a line without one final line break.
  ///
  /// - Parameter isInString: Whether the value is inside a string of a JSON document.
  private func value(
    _ name: String, as use: Use = .line, isInString: Bool = false
  ) async throws -> String {
    let data = try await KeychainAccess(dependencies).value(of: name)
    guard var text = String(validating: data, as: UTF8.self) else {
      throw APIRequestProblem.secretNotText(name: name)
    }
    switch use {
    case .address, .line:
      // The line break with which a file ends cannot be sent there.
      text = Self.withoutLineBreak(text)
      guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
        throw APIRequestProblem.secretWithControls(name: name)
      }
    case .member: break
    // Outside of a string, the value is JSON itself.
    case .json where !isInString: break
    case .json:
      let escaped = [UInt8(ascii: "\""), UInt8(ascii: "\\")]
      guard !text.utf8.contains(where: { $0 < 0x20 || escaped.contains($0) }) else {
        throw APIRequestProblem.secretNeedsEscape(name: name)
      }
    }
    return text
  }

  private static func withoutLineBreak(_ text: String) -> String {
    text.hasSuffix("\r\n") || text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  // MARK: Bodies

  private func add(
    _ content: APIContent, to resolved: inout Resolved, _ wait: PipeTimeout
  ) async throws {
    switch content.form {
    case .whole(.file(let path, let shown, _)), .whole(.textFile(let path, let shown)),
      .whole(.jsonFile(let path, let shown)):
      let path = ItemPath.path(of: try await text(path, &resolved))
      return try await put([.file(path: path, shown: shown)], into: &resolved, wait)
    case .whole(.text(let value)):
      resolved.request.body = Data(try await text(value, as: .member, &resolved).utf8)
      return
    case .whole(.json(let value)):
      resolved.request.body = Data(try await text(value, as: .json, &resolved).utf8)
      return
    case .json, .urlEncoded, .multipart: break
    }
    var form = RequestForm()
    for member in content.members {
      form.members.append(
        (member.name, try await value(of: member, &resolved, wait), member.isPath))
    }
    switch content.form {
    case .multipart(let boundary):
      try await put(form.multipart(boundary: boundary), into: &resolved, wait)
    case .urlEncoded: resolved.request.body = Data(form.urlEncoded.utf8)
    case .json, .whole:
      do throws(MemberTree.Problem) { resolved.request.body = Data(try form.json().utf8) } catch {
        throw APIError(.unprepared, error.message { content.members[$0].name })
      }
    }
  }

  private func value(
    of member: APIContent.Member, _ resolved: inout Resolved, _ wait: PipeTimeout
  ) async throws -> RequestForm.Value {
    switch member.value {
    case .text(let value): return .text(try await text(value, as: .member, &resolved))
    case .json(let value):
      return .json(try json(await text(value, as: .member, &resolved), member))
    case .textFile(let path, let shown):
      return .text(try await content(of: path, shown, member, &resolved, wait))
    case .jsonFile(let path, let shown):
      let content = try await content(of: path, shown, member, &resolved, wait)
      return .json(try json(content, member, file: shown))
    case .file(let path, let shown, let type):
      return .file(
        path: ItemPath.path(of: try await text(path, &resolved)), shown: shown, type: type)
    }
  }

  /// Checks that a text is JSON, and returns it without surrounding white space, such as the line
  /// break at the end of a file. Parsing and writing it would lose duplicate keys.
  private func json(
    _ text: String, _ member: APIContent.Member, file: String? = nil
  ) throws -> String {
    do throws(JSONError) { try JSON.validate(text) } catch {
      throw APIRequestProblem.notJSON(member: member.name, place: error.place, file: file)
    }
    let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
    let bytes = Array(text.utf8.drop(while: isBlank))
    let end = bytes.lastIndex { !isBlank($0) } ?? -1
    return String(decoding: bytes[...end], as: UTF8.self)
  }

  /// Returns the text of a file. Throws if the file contains a mark, because the original text
  /// contained a secret instead.
  private func content(
    of path: SecretText, _ shown: String, _ member: APIContent.Member,
    _ resolved: inout Resolved, _ wait: PipeTimeout
  ) async throws -> String {
    let path = ItemPath.path(of: try await text(path, &resolved))
    // A pipe can be read only once.
    if path == "/dev/stdin" || FileInfo(path)?.isRegular == false { resolved.isRepeatable = false }
    let data = try await read(path, limit: 16 << 20, wait)
    let mark = data.withUnsafeBytes {
      RedactionMark.first(inAnyFormIn: $0.bindMemory(to: UInt8.self))
    }
    try APIRequestProblem.refuseMarks(mark?.quotable(by: dependencies.logger.redactor), in: shown)
    guard let text = String(validating: data, as: UTF8.self) else {
      throw APIRequestProblem.fileNotText(file: shown, member: member.name)
    }
    return text
  }

  /// Reads a whole file. A pipe may take as long as it goes on giving something.
  private func read(_ path: String, limit: Int, _ wait: PipeTimeout) async throws -> Data {
    let input = try await wait.run([path]) { [dependencies] in
      try await dependencies.files.input(path)
    }
    var data = Data()
    while let piece = try await wait.run([path], { try await input.next() }) {
      data.append(piece)
      guard data.count <= limit else { throw FileError(tooLarge: path, limit: limit) }
    }
    return data
  }

  private func put(
    _ parts: [RequestBody.Part], into resolved: inout Resolved, _ wait: PipeTimeout
  ) async throws {
    let body = RequestBody(parts, dependencies)
    let isRepeatable = try await body.put(into: &resolved.request, wait)
    if !isRepeatable { resolved.isRepeatable = false }
    if resolved.request.upload != nil { resolved.body = body }
  }
}

/// Follows the literal text of a JSON document to know where its strings begin and end.
private struct JSONStringScanner {
  /// Whether the text so far ends inside a string.
  private(set) var isInside = false
  private var isEscaped = false

  /// Continues with the next literal text.
  mutating func scan(_ text: String) {
    for byte in text.utf8 {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\"), isInside {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInside.toggle()
      }
    }
  }
}
