import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardStore

/// The state of the feature `api`: the known services, the requests in flight, and the last
/// responses.
public struct APIState: Codable, Sendable, Equatable {
  /// The number of requests since the start, without tests of services.
  public var requests = 0
  /// The number of requests with a response, regardless of its status.
  public var answered = 0
  /// The services by name, or `nil` before the first request needs them and after an import. At
  /// most `keptServices`, with at most `keptBytes` as JSON. A missing service is looked up once
  /// more, because another process may have added it.
  public var services: [APIService]?
  /// The names of kept requests, in order; `nil` until the first request. As many as of services.
  public var saved: [String]?
  /// Whether each request reads the services again. A terminal session is long, and must not send a
  /// key to an address that another process has changed in the meantime.
  public var rereadsServices = false
  /// The requests in flight, by job.
  public var pending: IdentifiedArray<Int, PendingRequest> = []
  /// The last answers, the newest first; at most `kept`.
  public var answers: [RecentAnswer] = []
  /// The running commands that change the database or the cache without a request, or `nil` in
  /// recordings in which they ended when they were cancelled.
  public var changes: RunningChanges? = []
  /// Whether this is the state of a recording of schema 4 or earlier, which counted answers and did
  /// not keep them. It stays as it was, so that such recordings verify with their digests.
  private(set) var isEarlier = false

  /// The number of answers that are kept.
  static let kept = 20
  /// The number of services and of kept requests that are kept, and their bytes as JSON.
  static let (keptServices, keptBytes) = (1000, 256 << 10)

  /// Nothing asked yet.
  public init() {}

  /// Keeps an answer, and forgets the oldest one.
  mutating func keep(_ answer: APIAnswer, _ job: Int) {
    answered &+= 1
    guard !isEarlier else { return }
    answers = [RecentAnswer(answer, job: job)] + answers.prefix(Self.kept - 1)
  }

  /// Adds a name in its place.
  mutating func noteSaved(_ name: String) {
    guard let names = saved, !names.contains(where: { $0.hasSameBytes(as: name) }) else { return }
    note(saved: (names + [name]).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }

  /// Lets the next request read services and names of kept requests again.
  mutating func forgetServices() { (services, saved) = (nil, nil) }

  /// Puts a service in its place, if services are known at all.
  mutating func noteService(_ service: APIService) {
    guard let known = services else { return }
    note(
      services: (known.filter { !$0.name.hasSameBytes(as: service.name) } + [service])
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
  }

  /// Keeps what the database knows.
  mutating func note(_ known: APIKnown) {
    note(services: known.services)
    note(saved: known.saved)
  }

  mutating func note(services: [APIService]) {
    self.services = services.prefix(Self.keptServices, bytes: Self.keptBytes)
  }

  mutating func note(saved: [String]) {
    self.saved = saved.prefix(Self.keptServices, bytes: Self.keptBytes)
  }
}

extension APIState {
  private enum Key: String, CodingKey {
    case requests, answered, services, saved, rereadsServices, pending, answers, changes
  }

  /// A request in flight up to schema 4.
  private struct EarlierRequest: Codable {
    var job: Int
    var method: String
    var target: String
  }

  /// Decodes both forms. In the earlier one `answers` is a number.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    requests = try container.decode(Int.self, forKey: .requests)
    if let count = try? container.decode(Int.self, forKey: .answers) {
      isEarlier = true
      changes = nil
      answered = count
      let requests = try container.decode([EarlierRequest].self, forKey: .pending)
      pending = IdentifiedArray(
        requests.map { PendingRequest(job: $0.job, method: $0.method, target: $0.target) })
      return
    }
    answered = try container.decode(Int.self, forKey: .answered)
    services = try container.decodeIfPresent([APIService].self, forKey: .services)
    saved = try container.decodeIfPresent([String].self, forKey: .saved)
    rereadsServices = try container.decodeIfPresent(Bool.self, forKey: .rereadsServices) ?? false
    pending = try container.decode(IdentifiedArray<Int, PendingRequest>.self, forKey: .pending)
    answers = try container.decode([RecentAnswer].self, forKey: .answers)
    changes = try container.decodeIfPresent(RunningChanges.self, forKey: .changes)
  }

  /// Encodes the form that was decoded.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(requests, forKey: .requests)
    guard !isEarlier else {
      try container.encode(answered, forKey: .answers)
      let requests = pending.filter { !$0.isTest }.map {
        EarlierRequest(job: $0.job, method: $0.method, target: $0.target)
      }
      return try container.encode(requests, forKey: .pending)
    }
    try container.encode(answered, forKey: .answered)
    try container.encodeIfPresent(services, forKey: .services)
    try container.encodeIfPresent(saved, forKey: .saved)
    if rereadsServices { try container.encode(true, forKey: .rereadsServices) }
    try container.encode(pending, forKey: .pending)
    try container.encode(answers, forKey: .answers)
    try container.encodeIfPresent(changes, forKey: .changes)
  }
}
