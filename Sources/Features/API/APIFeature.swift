import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

extension BoardFeature {
  /// HTTP services, with keys from the keychain and answers from a cache.
  static let api = BoardFeature(
    name: "api", summary: "HTTP services, their keys and their answers",
    commands: APICommands.table,
    outcome: { action, state in
      guard case .api(let action) = action else { return nil }
      return APIOutcomes.outcome(of: action, in: state)
    },
    link: { link in
      link.path.isEmpty
        ? nil
        : ["api", "get", link.path.joined(separator: "/")]
          + link.query.map { $0.replacingFirst("=", "==") }
    })
}

public struct APIState: Codable, Sendable, Equatable {
  /// Requests begun and answered since the start.
  public var requests = 0
  public var answers = 0
  /// The requests in flight, by job.
  public var pending: [PendingRequest] = []

  public init() {}
}

public struct PendingRequest: Codable, Sendable, Equatable {
  public var job: Int
  public var method: String
  public var target: String

  public init(job: Int, method: String, target: String) {
    self.job = job
    self.method = method
    self.target = target
  }
}

public enum APIAction: Codable, Sendable, Equatable {
  case run(CommandContext, APICommand)
  case answered(job: Int, APIRequestSpec, APIAnswer)
  case succeeded(job: Int, APIResult)
  case failed(job: Int, Failure)
}

public enum APICommand: Codable, Sendable, Equatable {
  case request(APIRequestSpec)
  case runSaved(name: String, [APIItem])
  case serviceAdd(APIService)
  case serviceList
  case serviceShow(String)
  case serviceRemove(String)
  case serviceTest(String)
  case recent(String?)
  case cacheList, cacheStats
  case cacheClear(service: String?)
  case cancel(job: Int?)
}

/// A request as the line has it; secrets are names.
public struct APIRequestSpec: Codable, Sendable, Equatable {
  public enum Shown: String, Codable, Sendable {
    case body, headers, verbose, timing
  }

  public var method: String
  /// Whether the line named the method. Without it an unknown service is a word that was not understood.
  public var isExplicit: Bool
  /// `SERVICE/PATH` or an address.
  public var target: SecretTemplate
  public var items: [APIItem] = []
  public var cache = CachePolicy.remoteFirst
  /// Milliseconds; `nil` is the program's setting.
  public var timeout: Int64?
  public var retries = 0
  public var follow = 0
  public var shown = Shown.body
  public var select: String?
  /// A file for the body.
  public var out: String?
  /// A name under which the request is kept.
  public var save: String?

  public init(method: String, isExplicit: Bool, target: SecretTemplate) {
    self.method = method
    self.isExplicit = isExplicit
    self.target = target
  }
}

/// One item of a request: a query item, a header, a part of the body.
public struct APIItem: Codable, Sendable, Equatable {
  public enum Kind: String, Codable, Sendable {
    case query, header, text, json, file, bodyFile
  }

  public var kind: Kind
  public var name: String
  /// The value, or the file that has it.
  public var value: SecretTemplate

  public init(kind: Kind, name: String, value: SecretTemplate) {
    self.kind = kind
    self.name = name
    self.value = value
  }
}

/// An answer as state and log may have it: without secrets.
public struct APIAnswer: Codable, Sendable, Equatable {
  public var method: String
  public var url: String
  public var status: Int
  public var httpVersion: String
  public var headers: [HTTPHeader]
  /// The body as text; `nil` where it is none.
  public var text: String?
  /// Base64 of a body that is no text.
  public var base64: String?
  /// Bytes of the body as received.
  public var bytes: Int
  public var timing: APITiming
  public var verdict: CacheVerdict
  public var redirects: Int
  /// Why a kept answer stands in for the service's.
  public var stale: String?
  /// The file that the body was written to.
  public var file: String?
  public var attempts: Int
}

public enum APIResult: Codable, Sendable, Equatable {
  case service(APIService)
  case services([APIService])
  case added(APIService)
  case removed(String)
  case tested(name: String, status: Int, milliseconds: Int64)
  case recent([RecentSearch])
  case cache([CachedResponseSummary])
  case cacheStatistics(entries: Int, bytes: Int)
  case cleared(Int)
  case cancelled([Int])
}

extension String {
  /// With the first occurrence of one character replaced.
  func replacingFirst(_ character: Character, _ text: String) -> String {
    guard let index = firstIndex(of: character) else { return self }
    return self[..<index] + text + self[self.index(after: index)...]
  }
}
