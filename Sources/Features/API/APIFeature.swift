import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

extension BoardFeatures {
  /// HTTP services, with keys from the keychain and answers from a cache.
  public static let api = Feature(
    name: "api", summary: "HTTP services, their keys and their answers", state: APIState(),
    reducer: APIReducer(), commands: APICommands.table,
    outcome: { action, _, context in APIOutcomes.outcome(of: action, context) },
    link: { link in
      link.path.isEmpty
        ? nil
        : ["api", "get", link.path.map(pathPart).joined(separator: "/")]
          + link.query.map { item($0.name) + "==" + $0.value }
    },
    events: APIEvents.events,
    cancelled: { state, job in state.pending.removeAll { $0.job == job } },
    volatile: [
      "answered.answer.timing", "answered.answer.attempts", "answered.answer.verdict",
      // Recordings before schema 5 do not have it.
      "answered.kept",
      "succeeded.result.tested.milliseconds", "succeeded.result.testedProgram.milliseconds",
      "succeeded.result.recent.searches[*].at",
      "succeeded.result.cache.responses[*].stored",
      "succeeded.result.cache.responses[*].expires",
    ] + volatileHeaders.map { "answered.answer.headers[name=\($0)]" },
    passesWordsOn: true, secretWords: SecretWords(literal: LiteralSecrets.first),
    candidates: { kind, _, dependencies in
      guard kind == .service else { return [] }
      return ((try? await dependencies.persistence.services()) ?? []).map(\.name)
    }, version: nil, migrations: APIMigrations.all)
}

/// Headers of an answer that describe the message and not the resource (RFC 9110 6.6.1, 7.6.1; RFC
/// 9111 5.1): when it was sent, its age in caches, and the connection, which answers from a cache
/// do not have.
private let volatileHeaders = [
  "date", "age", "connection", "keep-alive", "proxy-connection", "te", "trailer",
  "transfer-encoding", "upgrade",
]

/// The state of the board's requests; answers themselves are in the actions.
public struct APIState: Codable, Sendable, Equatable {
  /// Requests begun and answered since the start.
  public var requests = 0
  /// Requests that were answered, whatever the status.
  public var answers = 0
  /// The requests in flight, by job.
  public var pending: [PendingRequest] = []

  /// Nothing asked yet.
  public init() {}
}

/// A request in flight.
public struct PendingRequest: Codable, Sendable, Equatable {
  /// The job that sent it; its cancel id.
  public var job: Int
  /// The method as it is sent.
  public var method: String
  /// The address or service path as typed; secrets are names.
  public var target: String

  /// A request in flight, as the reducer notes it.
  public init(job: Int, method: String, target: String) {
    self.job = job
    self.method = method
    self.target = target
  }
}

/// The actions of the feature `api`.
public enum APIAction {
  /// A line asks for something.
  case run(context: CommandContext, command: APICommand)
  /// A request came back with a whole answer, of whatever status.
  ///
  /// `kept` is the request that `api run` found under its name, with the items of the line: no
  /// other action has it.
  case answered(job: Int, answer: APIAnswer, kept: APIRequestSpec? = nil)
  /// A command that is no request ended well; `masked` says in place of how many values there are
  /// marks.
  case succeeded(job: Int, result: APIResult, masked: MaskedValues? = nil)
  /// A command ended without an answer.
  case failed(job: Int, failure: Failure)
}

extension APIAction: FeatureAction {
  /// The command of `run`.
  public var started: CommandContext? {
    if case .run(let context, _) = self { context } else { nil }
  }
}

/// The commands of the feature `api`.
public enum APICommand: Codable, Sendable, Equatable {
  /// `api METHOD TARGET ITEM…`.
  case request(request: APIRequestSpec)
  /// `api run NAME ITEM…`: a request that was kept with `--save`, with further items.
  case runSaved(name: String, items: [APIItem])
  /// `api service add`.
  case serviceAdd(service: APIService)
  /// `api service list`.
  case serviceList
  /// `api service show NAME`.
  case serviceShow(name: String)
  /// `api service remove NAME`.
  case serviceRemove(name: String)
  /// `api service test NAME`: whether the service answers, and how fast.
  case serviceTest(name: String)
  /// `api recent`: the most recent addresses, optionally only the ones that contain `text`.
  case recent(text: String?)
  /// `api cache list` and `api cache stats`.
  case cacheList, cacheStats
  /// `api cache clear`; of all services where none is named.
  case cacheClear(service: String?)
  /// `api cancel`: the requests of a job; of all where none is named.
  case cancel(job: Int?)
}

/// A request as the line has it; secrets are names.
public struct APIRequestSpec: Codable, Sendable, Equatable {
  /// What of an answer a command shows.
  public enum Shown: String, Codable, Sendable {
    /// The body alone; status and headers alone; everything that was sent and came; how long each
    /// stage took.
    case body, headers, verbose, timing
  }

  /// The method, in capital letters.
  public var method: String
  /// Whether the line named the method. Without it an unknown service is a word that was not
  /// understood.
  public var isExplicit: Bool
  /// `SERVICE/PATH` or an address.
  public var target: SecretTemplate
  /// Query items, headers and parts of the body, in the order typed.
  public var items: [APIItem] = []
  /// The permitted sources of the answer.
  public var cache = CachePolicy.remoteFirst
  /// Milliseconds; `nil` is the program's setting.
  public var timeout: Int64?
  /// How often a request is sent again that failed for the time being: refused, out of reach, too
  /// late, cut off, or with status 429, 502, 503 or 504.
  public var retries = 0
  /// How many redirects are followed.
  public var follow = 0
  /// What of the answer is shown.
  public var shown = Shown.body
  /// Whether a body is shown indented or as its bytes; `nil`: indented at a terminal.
  public var isPretty: Bool?
  /// A path into the JSON of the body, of which alone is shown; `nil`: the whole.
  public var select: String?
  /// Secrets that are taken from the answer.
  public var captures: [APICapture]?
  /// How text, JSON and files become a body; `nil`: JSON, or multipart where there is a file.
  public var encoding: APIBodyEncoding?
  /// The whole body, as JSON.
  public var jsonBody: SecretTemplate?
  /// Instead of the service's own.
  public var authentication: APIService.Authentication?
  /// How the service is reached and trusted; `nil`: as the machine's settings say.
  public var connection: APIConnectionSpec?
  /// A file for the body.
  public var out: String?
  /// Whether what comes before a failure stays, and is continued the next time.
  public var resumes: Bool?
  /// The most bytes that a compressed body may have when it is unpacked.
  public var compressedLimit: Int64?
  /// A name under which the request is kept.
  public var save: String?

  /// A request without items, on the program's settings.
  public init(method: String, isExplicit: Bool, target: SecretTemplate) {
    self.method = method
    self.isExplicit = isExplicit
    self.target = target
  }
}

/// The form of a body that is made of items.
public enum APIBodyEncoding: String, Codable, Sendable {
  /// `application/x-www-form-urlencoded`; `multipart/form-data`.
  case form, multipart
}

/// How a service is reached and trusted, as the line has it.
public struct APIConnectionSpec: Codable, Sendable, Equatable {
  /// A PEM file with the authorities to trust.
  public var authorityFile: String?
  /// A PEM file with the certificate to show, and one with its key.
  public var certificateFile: String?
  /// A PEM file with the key of the certificate; `nil`: it is in the same file.
  public var keyFile: String?
  /// Whether any certificate is taken.
  public var isInsecure: Bool?
  /// The address of a proxy.
  public var proxy: String?
  /// The path of a socket.
  public var unixSocket: String?

  /// As the machine's settings say.
  public init() {}
}

/// A part of an answer that becomes a secret of the keychain.
public struct APICapture: Codable, Sendable, Equatable {
  /// The secret's name.
  public var name: String
  /// Where in the answer: a path into `body` or `headers`, like `body.token`.
  public var path: String

  /// A capture, as the line has it.
  public init(name: String, path: String) {
    self.name = name
    self.path = path
  }
}

/// One item of a request: a query item, a header, a part of the body.
public struct APIItem: Codable, Sendable, Equatable {
  /// Where an item belongs, by the sign in the line.
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
  /// The type that a file is sent with; `nil`: that of its name.
  public var type: String?

  /// An item, as the line's words were read.
  public init(kind: Kind, name: String, value: SecretTemplate, type: String? = nil) {
    self.kind = kind
    self.name = name
    self.value = value
    self.type = type
  }

  /// Whether it is read from standard input.
  var readsInput: Bool {
    [.file, .bodyFile, .textFile, .jsonFile].contains(kind) && value.text == "-"
  }
}

/// An answer as state and log may have it: without secrets.
public struct APIAnswer: Codable, Sendable, Equatable {
  /// The method that was sent.
  public var method: String
  /// The address that answered, without known secrets.
  public var url: String
  /// The status code.
  public var status: Int
  /// For example `1.1` or `2`.
  public var httpVersion: String
  /// The headers that were sent, without known secrets; `nil` in recordings that were made before
  /// they were kept.
  public var sent: [HTTPHeader]?
  /// In the order received, without secrets.
  public var headers: [HTTPHeader]
  /// The body as text, without known secrets; `nil` if it is none, or so full of control characters
  /// that a recording could not hold it.
  public var text: String?
  /// Base64 of a body that is not in `text`.
  public var base64: String?
  /// Bytes of the body as received.
  public var bytes: Int
  /// When its stages were reached.
  public var timing: APITiming
  /// Whether the cache had a part in it.
  public var verdict: CacheVerdict
  /// How many redirects were followed.
  public var redirects: Int
  /// Why a kept answer replaces the service's.
  public var stale: String?
  /// The file that the body was written to.
  public var file: String?
  /// `BodyChecksum` of the bytes that came and were written there.
  public var checksum: String?
  /// How many bytes of the file an earlier attempt had left.
  public var kept: Int64?
  /// How often it was sent, the first time included.
  public var attempts: Int
  /// The values in headers and body in whose place marks stand.
  public var masked: MaskedValues?
  /// The secrets that were stored, and why one was not.
  public var captured: [APICaptured]?
  /// The warning about the keychain that was opened for it.
  public var warning: String?
  /// What of it is shown, and how; `nil`: the body, as everywhere.
  public var view: APIAnswerView?
}

/// What of an answer the request wanted to see, so that the answer prints the same without the
/// request.
public struct APIAnswerView: Codable, Sendable, Equatable {
  /// `nil`: the body alone.
  public var shown: APIRequestSpec.Shown?
  /// As `APIRequestSpec.isPretty`.
  public var isPretty: Bool?
  /// As `APIRequestSpec.select`.
  public var select: String?

  /// The view that a request asks for; `nil` if it asks for none.
  init?(_ spec: APIRequestSpec) {
    shown = spec.shown == .body ? nil : spec.shown
    isPretty = spec.isPretty
    select = spec.select
    if shown == nil, isPretty == nil, select == nil { return nil }
  }
}

/// What became of a capture.
public struct APICaptured: Codable, Sendable, Equatable {
  /// The secret's name.
  public var name: String
  /// Why it was not stored.
  public var failure: Failure?
  /// Whether the value is so short that it is not looked for in what follows.
  public var isShort: Bool
}

/// How a command of `api` that is no request ended well.
public enum APIResult: Codable, Sendable, Equatable {
  /// The service that was asked for.
  case service(service: APIService)
  /// All services, by name.
  case services(services: [APIService])
  /// The service that was added.
  case added(service: APIService)
  /// The name of the service that was removed.
  case removed(name: String)
  /// The service answered, after so many milliseconds.
  case tested(name: String, status: Int, milliseconds: Int64, judgesAll: Bool? = nil)
  /// The program of the service's preset answered and took its key, after so many milliseconds.
  case testedProgram(name: String, program: String, version: String, milliseconds: Int64)
  /// What was asked for last, newest first.
  case recent(searches: [RecentSearch])
  /// What the cache keeps, by key.
  case cache(responses: [CachedResponseSummary])
  /// How much the cache keeps; bytes of bodies.
  case cacheStatistics(entries: Int, bytes: Int)
  /// How many answers were removed from the cache.
  case cleared(count: Int)
  /// The jobs that were cancelled.
  case cancelled(jobs: [Int])
}

/// A part of a path as an address has it: what would begin another part, a query or a fragment is
/// escaped again.
private func pathPart(_ text: String) -> String {
  text.map { character in
    character.isWhitespace || "%/?#".contains(character)
      ? PercentEncoding.encoded(String(character)) : String(character)
  }.joined()
}

/// A name as the words of a line have it: none of its characters says of what kind the item is.
private func item(_ name: String) -> String {
  name.map { "\\:=@".contains($0) ? "\\\($0)" : String($0) }.joined()
}
