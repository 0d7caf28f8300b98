import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// A request as specified by a line. Secrets are given by name.
public struct APIRequestSpec: Codable, Sendable, Equatable {
  /// The parts of a response that a command shows.
  public enum Shown: String, Codable, Sendable {
    /// The body only; the status and headers only; the whole exchange; the duration of each stage.
    case body, headers, verbose, timing
  }

  /// The method, in capital letters.
  public var method: String
  /// Whether the line names the method. If it does not, an unknown service is reported as an
  /// unknown command.
  public var isExplicit: Bool
  /// `SERVICE/PATH` or an address.
  public var target: SecretTemplate
  /// Whether the target is a path at a service although it contains `://`. Otherwise it is `nil`,
  /// as in earlier recordings, in which any target with `://` was an address.
  var isAtService: Bool?
  /// Query items, headers and parts of the body, in the order typed.
  public var items: [APIItem] = []
  /// The permitted sources of the answer.
  public var cache = CachePolicy.remoteFirst
  /// The time limit in milliseconds, or `nil` for the program's setting.
  public var timeout: Int64?
  /// The maximum number of repetitions after a temporary failure: refused, unreachable, timed out,
  /// truncated, or status 429, 502, 503 or 504.
  public var retries = 0
  /// The maximum number of redirects to follow.
  public var follow = 0
  /// What of the answer is shown.
  public var shown = Shown.body
  /// The members that the value has besides the answer, in their order, or `nil` for none.
  public var added: [APIAnswerMember]?
  /// Whether a body is shown indented or as bytes, or `nil` for indented at a terminal only.
  public var isPretty: Bool?
  /// The path of the part of a JSON body to show, or `nil` for the whole body.
  public var select: String?
  /// Secrets that are taken from the answer.
  public var captures: [APICapture]?
  /// The encoding of the members, or `nil` for JSON, or for multipart if there is a file.
  public var encoding: APIBodyEncoding?
  /// The whole body, as JSON.
  public var jsonBody: SecretTemplate?
  /// The authentication that replaces that of the service.
  public var authentication: APIService.Authentication?
  /// The connection settings, or `nil` for those of the machine.
  public var connection: APIConnectionSpec?
  /// A file for the body.
  public var out: String?
  /// Whether to keep a partial file after a failure and to continue it the next time.
  public var resumes: Bool?
  /// The maximum size of a compressed body after decompression, in bytes.
  public var compressedLimit: Int64?
  /// The name under which to save the request.
  public var save: String?
  /// Whether the request is saved after its response, as in recordings up to schema 5, instead of
  /// before it is sent.
  package var isSavedLast: Bool?

  /// Whether `--resume` goes with everything else.
  var mayResume: Bool {
    out != nil && method == "GET" && !items.contains { $0.readsInput || $0.choosesRange }
  }
}

extension APIRequestSpec {
  /// Returns the name of the query item that an authentication sets, if the address or an item sets
  /// it too, and otherwise `nil`.
  func queryItem(alsoSetBy authentication: APIService.Authentication?) -> String? {
    guard case .query(let name, _)? = authentication else { return nil }
    // No name has the space that stands for a secret.
    let target = target.parts.map { if case .text(let text) = $0 { text } else { " " } }.joined()
    let query = target.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }
    let names =
      items.filter { $0.kind == .query }.map(\.name)
      + query.dropFirst().split(separator: UInt8(ascii: "&")).map { item in
        PercentEncoding.decoded(Substring(item.prefix { $0 != UInt8(ascii: "=") }))
      }
    return names.contains { $0.hasSameBytes(as: name) } ? name : nil
  }

  /// The `@FILE` of a request whose option asks for a body of members. The file is the whole body.
  var fileBesideEncoding: Int? {
    encoding == nil ? nil : items.firstIndex { $0.kind == .bodyFile }
  }
}

/// The form of a body that is made of items.
public enum APIBodyEncoding: String, Codable, Sendable {
  /// `application/x-www-form-urlencoded`; `multipart/form-data`.
  case form, multipart
}

/// Connection settings that a line specifies.
public struct APIConnectionSpec: Codable, Sendable, Equatable {
  /// A PEM file with the authorities to trust.
  public var authorityFile: String?
  /// A PEM file with the certificate to show, and one with its key.
  public var certificateFile: String?
  /// A PEM file with the key of the certificate; `nil`: it is in the same file.
  public var keyFile: String?
  /// Whether any certificate is accepted.
  public var isInsecure: Bool?
  /// The address of a proxy.
  public var proxy: String?
  /// The path of a socket.
  public var unixSocket: String?
}

/// One item of a request: a query item, a header, a part of the body.
public struct APIItem: Codable, Sendable, Equatable {
  /// The kind of an item, determined by its separator.
  public enum Kind: String, Codable, Sendable {
    /// `name==value`; `name:value`; `name=value`; `name:=JSON`; `name@file`; `@file`, the whole
    /// body.
    case query, header, text, json, file, bodyFile
    /// `name;`, a header without a value; `name=@file` and `name:=@file`, a member from a file.
    case emptyHeader, textFile, jsonFile
  }

  /// Where it belongs.
  public var kind: Kind
  /// Empty for the whole body.
  public var name: String
  /// The value, or the file that has it.
  public var value: SecretTemplate
  /// The media type of a file, or `nil` to derive it from the name.
  public var type: String?
  /// Whether the name of a member has brackets, which make it a path into a JSON body. It is `nil`
  /// in earlier recordings, in which brackets were text.
  var isPath: Bool?

  /// Whether its value is the path of a file.
  var namesFile: Bool { [.file, .bodyFile, .textFile, .jsonFile].contains(kind) }

  /// Whether it is read from standard input.
  var readsInput: Bool { namesFile && value.text == "-" }

  /// Whether it is a member of a JSON body, whatever its value is made of.
  var isMember: Bool { [.text, .json, .textFile, .jsonFile].contains(kind) }

  /// Returns the name as a line has it. In the name of a member of a JSON body, brackets that are
  /// text have a `\`.
  func typedName(inJSON: Bool) -> String {
    guard inJSON, isMember, isPath == nil, name.utf8.contains(where: { "[]".utf8.contains($0) })
    else { return name }
    return name.unicodeScalars
      .map { #"[]\"#.unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }.joined()
  }

  /// The name that the member has as a query item, in which brackets are text without a `\`.
  var queryName: String {
    guard isPath == true else { return name }
    var result = "".unicodeScalars
    var rest = name.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      let isEscape = scalar == "\\" && rest.first.map(#"[]\"#.unicodeScalars.contains) == true
      result.append(isEscape ? rest.removeFirst() : scalar)
    }
    return String(result)
  }

  /// Whether it is a header that follows from the body, so that no line can set it.
  var followsFromBody: Bool {
    [.header, .emptyHeader].contains(kind)
      && ["content-length", "transfer-encoding"].contains(name.lowercased())
  }

  /// Whether it is a header with a name that none may have.
  var hasWrongName: Bool {
    [.header, .emptyHeader].contains(kind) && !APIRequest.isToken(name)
  }

  /// Whether it is a header whose value has characters that none may have, RFC 9110, 5.5.
  var hasControls: Bool {
    kind == .header
      && value.parts.contains { part in
        guard case .text(let text) = part else { return false }
        return text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
      }
  }

  /// Whether it is a header that determines which part of a file is sent.
  var choosesRange: Bool {
    [.header, .emptyHeader].contains(kind) && ["range", "if-range"].contains(name.lowercased())
  }

  /// Whether it determines the media type of the body.
  fileprivate var setsType: Bool {
    [.header, .emptyHeader].contains(kind) && name.lowercased() == "content-type"
  }

  /// Whether it asks for a multipart body, with or without more about it.
  fileprivate var asksForMultipart: Bool {
    setsType && value.description.lowercased().hasPrefix("multipart/form-data")
  }

  /// Whether a body with this item is a form.
  fileprivate var makesForm: Bool {
    let forms = ["multipart/form-data", "application/x-www-form-urlencoded"]
    return kind == .file
      || kind == .header && name.lowercased() == "content-type"
        && forms.contains { value.description.lowercased().hasPrefix($0) }
  }
}

extension APIRequestSpec {
  /// Whether the target is an address. The text of the line determines it, not the value of a
  /// secret.
  var isAddress: Bool {
    guard isAtService != true, case .text(let text)? = target.parts.first else { return false }
    return text.end(ofFirst: "://") != nil
  }
}

extension APIRequestSpec {
  /// Returns the request for a later run, in whichever folder: the paths of what it reads and
  /// connects to are absolute. `out` stays as it is, since the body goes to where it is run.
  func withAbsolutePaths(in files: any FileService) -> APIRequestSpec {
    var request = self
    for index in items.indices where items[index].namesFile && !items[index].readsInput {
      guard let path = items[index].value.text else { continue }
      request.items[index].value = SecretTemplate(files.absolutePath(path))
    }
    for path in [
      \APIConnectionSpec.authorityFile, \.certificateFile, \.keyFile, \.unixSocket,
    ] {
      request.connection?[keyPath: path] = connection?[keyPath: path].map(files.absolutePath)
    }
    return request
  }
}

extension APIRequestSpec {
  /// Whether its members, if it has any, are those of a JSON body.
  var hasJSONMembers: Bool {
    encoding == nil && jsonBody == nil && !items.contains(where: \.makesForm)
  }

  /// The reason why the items make no JSON body, such as two that are the same member: of such an
  /// object, services take one value or the other. Forms may repeat a name. The IDs are the indexes
  /// of the items.
  var memberProblem: MemberTree.Problem? {
    guard hasJSONMembers else { return nil }
    do throws(MemberTree.Problem) {
      _ = try MemberTree(
        items.enumerated().filter(\.element.isMember).map {
          ($0.offset, $0.element.name, $0.element.isPath == true)
        })
      return nil
    } catch {
      return error
    }
  }
}

extension APIRequestSpec {
  /// The first item that would replace the media type of a multipart body. That type contains the
  /// text between the parts, which is drawn when the request is sent.
  var typeOfMultipart: Int? {
    let hasFile = items.contains { $0.kind == .file }
    guard jsonBody == nil, hasFile || items.contains(where: \.isMember),
      hasFile || encoding == .multipart || items.contains(where: \.asksForMultipart)
    else { return nil }
    return items.firstIndex { item in
      let words = item.value.description.lowercased().split(whereSeparator: \.isWhitespace)
      // A header without a value is removed.
      let isRemoved = item.kind == .header && item.value.description.isEmpty
      return item.setsType && !isRemoved && words != ["multipart/form-data"]
    }
  }

  /// What to do about a file that is the whole body, and an option for members.
  static let helpForWholeBody =
    "NAME@FILE is a part of --multipart, and NAME=@FILE a member of --form"

  /// What to do about such an item.
  static let helpForMultipart =
    "leave it out: the type names the text between the parts, which is drawn for each request; "
    + "the type of a part: NAME@FILE;type=TYPE"
}

/// The requested view of a response, so that the response can be printed without the request.
public struct APIAnswerView: Codable, Sendable, Equatable {
  /// `nil`: the body alone.
  public var shown: APIRequestSpec.Shown?
  /// As `APIRequestSpec.isPretty`.
  public var isPretty: Bool?
  /// As `APIRequestSpec.select`.
  public var select: String?
  /// As `APIRequestSpec.added`, and `nil` in earlier recordings.
  public var added: [APIAnswerMember]?

  /// A view that shows nothing but the body.
  init() {}

  /// The view that a request asks for; `nil` if it asks for none.
  init?(_ spec: APIRequestSpec) {
    shown = spec.shown == .body ? nil : spec.shown
    isPretty = spec.isPretty
    select = spec.select
    added = spec.added
    if self == APIAnswerView() { return nil }
  }
}

/// A member that the value of a request has if the line has the option that shows it.
public enum APIAnswerMember: String, Codable, Sendable, CaseIterable {
  /// What was sent, and when each stage was reached.
  case request, timing
  /// How often the request was sent, and how many redirects were followed.
  case attempts, redirects

  /// Whether it is about what is shown, and not about how the answer was obtained.
  fileprivate var isShown: Bool { self == .request || self == .timing }
}

extension APIRequestSpec {
  /// Replaces what of the answer is shown. A part of the body takes the place of headers, and the
  /// other way round.
  mutating func show(_ view: APIAnswerView) {
    if view.shown != nil || view.select != nil {
      shown = view.shown ?? .body
      select = view.select
      let members = (added ?? []).filter { !$0.isShown } + (view.added ?? [])
      added = members.isEmpty ? nil : APIAnswerMember.allCases.filter(members.contains)
    }
    isPretty = view.isPretty ?? isPretty
  }
}
