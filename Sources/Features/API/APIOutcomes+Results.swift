import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// The outcomes of commands whose result is not the answer to a request.
extension APIOutcomes {
  static func outcome(
    of result: APIResult, _ job: Int, _ context: OutcomeContext
  ) -> Outcome {
    switch result {
    case .statistics(let statistics):
      return statistics.outcome(
        job, draws: context.draws(job), isASCII: context.settings.isASCII)
    case .added(let service): return added(service, job)
    case .service(let service):
      return Outcome(job: job, value: json(service), presentation: .fields(record(service)))
    case .services(let services, let damaged): return list(services, damaged ?? [], job)
    case .removed(let name), .removedSaved(let name):
      return Outcome(
        job: job, value: ["removed": .string(name)], notes: ["removed \(name)"])
    case .saved(let requests): return list(requests, job)
    case .savedRequest(let name, let request, let isLine):
      return saved(request, as: name, isLine: isLine == true, job)
    case .tested(let name, let status, let milliseconds, let judgesAll, let proxy):
      return tested(name, status, milliseconds, judgesAll == true, proxy, job)
    case .testedProgram(let name, let program, let version, let milliseconds):
      return ServiceTest.outcome(job, name, program, version, milliseconds)
    case .recent(let searches): return list(searches, job)
    case .cache(let entries): return cache(entries, job, context)
    case .cacheStatistics(let entries, let bytes):
      return Outcome(
        job: job,
        value: ["entries": JSON(entries), "bytes": JSON(bytes)],
        presentation: .fields([("entries", String(entries)), ("bytes", String(bytes))]))
    case .cleared(let count, let warning): return cleared(count, warning, job)
    case .cancelled(let jobs):
      return Outcome(
        job: job, value: .array(jobs.map { JSON($0) }),
        notes: [
          jobs.isEmpty
            ? "no request is in flight" : "cancelled \(Counted.text(jobs.count, "request"))"
        ])
    }
  }

  private static func added(_ service: APIService, _ job: Int) -> Outcome {
    let preset = service.preset.flatMap(ServicePreset.init(rawValue:))
    let command = preset?.firstCommand(service: service.name)
    var notes: [Outcome.Note] = ["added; try '\(command ?? "api get \(service.name)/PATH")'"]
    if case .media(let program)? = preset?.program, !service.base.hasSuffix(program.path) {
      notes.append("the address of \(program.title)'s API usually ends with \(program.path)")
    }
    return Outcome(job: job, value: json(service), notes: notes)
  }

  private static func list(_ services: [APIService], _ damaged: [String], _ job: Int) -> Outcome {
    Outcome(
      job: job, value: .array(services.map(json)),
      presentation: .table(
        columns: [
          Column("name", isIdentifier: true), Column("url", priority: 2), Column("auth"),
        ],
        rows: services.map { [$0.name, $0.baseURL, text(of: $0.authentication) ?? ""] }),
      notes: damaged.map {
        .warning(
          "the service \($0) is damaged; 'api service remove \($0)' removes it, then add it again")
      })
  }

  private static func list(_ requests: [SavedRequestSummary], _ job: Int) -> Outcome {
    Outcome(
      job: job,
      value: .array(
        requests.map {
          ["name": .string($0.name), "method": JSON($0.method), "target": JSON($0.target)]
        }),
      presentation: .table(
        columns: [Column("name", isIdentifier: true), Column("method"), Column("target")],
        rows: requests.map { [$0.name, $0.method ?? "", $0.target ?? ""] }))
  }

  private static func list(_ searches: [RecentSearch], _ job: Int) -> Outcome {
    Outcome(
      job: job,
      value: .array(
        searches.map {
          ["at": .string(Timestamp.format($0.at)), "request": .string($0.text)]
        }),
      presentation: .table(
        columns: [Column("at"), Column("request", priority: 2, isFolded: true)],
        rows: searches.map { [Timestamp.format($0.at), $0.text] }))
  }

  private static func cleared(_ count: Int, _ warning: String?, _ job: Int) -> Outcome {
    let warnings: [Outcome.Note] =
      warning.map { [.warning("\($0); 'api cache clear' erases it when that has ended")] } ?? []
    return Outcome(
      job: job, value: ["cleared": JSON(count)],
      notes: ["removed \(Counted.text(count, "kept answer"))"] + warnings)
  }

  /// - Parameter judgesAll: Whether every status decides; in recordings made before, only a refused
  ///   key did.
  private static func tested(
    _ name: String, _ status: Int, _ milliseconds: Int64, _ judgesAll: Bool, _ proxy: String?,
    _ job: Int
  ) -> Outcome {
    let value: JSON = ["service": .string(name), "status": JSON(status), "ms": JSON(milliseconds)]
    let way = proxy.map { " through the proxy \($0)" } ?? ""
    func failure(_ code: Int32, _ what: String, _ help: String) -> Outcome {
      let failure = Failure(
        code: code, error: "httpStatus",
        message: "\(name) answers\(way), \(what): HTTP \(status)", help: help)
      return Outcome(job: job, failure: failure.advisingOnProxy(proxy), value: value)
    }
    switch status {
    case 401, 403:
      return failure(4, "and refuses the key", "set the secret again with 'keychain set'")
    case 300..<400 where judgesAll:
      return failure(
        3, "and sends elsewhere", "'api get \(name)/ --headers --follow 0' shows where to")
    case 400..<500 where judgesAll:
      return failure(
        4, "but has nothing at its address",
        "'api service show \(name)' says which address that is")
    case 500... where judgesAll:
      return failure(5, "and fails", "'api get \(name)/' shows what it says")
    default:
      return Outcome(
        job: job, value: value,
        presentation: .text("\(name) answers: HTTP \(status) in \(milliseconds) ms\n"))
    }
  }

  private static func cache(
    _ entries: [CachedResponseSummary], _ job: Int, _ context: OutcomeContext
  ) -> Outcome {
    let keys = entries.map { Redactor.redactPositions($0.key) }
    let isEarlier = context.settings.followsEarlierRules
    // Below the request, a key has the headers that the answer depends on.
    let requests = keys.map { key -> [String] in
      guard !isEarlier else { return [key] }
      let lines = key.split(separator: "\n").map(String.init)
      return [lines.first ?? "", lines.dropFirst().joined(separator: "; ")]
    }
    return Outcome(
      job: job,
      value: .array(
        zip(entries, keys).map { entry, key in
          [
            "key": .string(key), "service": .string(entry.service), "status": JSON(entry.status),
            "bytes": JSON(entry.bytes), "stored": .string(Timestamp.format(entry.stored)),
          ]
        }),
      presentation: .table(
        columns: [
          Column("service", isIdentifier: true), Column("request", priority: 2, isFolded: true),
        ]
          + (isEarlier ? [] : [Column("varies by", priority: 0)])
          + [Column("bytes", alignment: .right), Column("stored")],
        rows: zip(entries, requests).map { entry, request in
          [entry.service] + request + [String(entry.bytes), Timestamp.format(entry.stored)]
        }))
  }

  /// Returns how a line writes an authentication.
  static func template(of authentication: APIService.Authentication) -> SecretTemplate {
    let (text, secret) =
      switch authentication {
      case .header(let name, let secret): ("header:\(name)=", secret)
      case .query(let name, let secret): ("query:\(name)=", secret)
      case .bearer(let secret): ("bearer:", secret)
      case .basic(let user, let secret): ("basic:\(user):", secret)
      case .digest(let user, let secret): ("digest:\(user):", secret)
      }
    return SecretTemplate(parts: [.text(text), .secret(secret)])
  }

  private static func text(of authentication: APIService.Authentication?) -> String? {
    authentication.map { template(of: $0).description }
  }

  private static func record(_ service: APIService) -> [(String, String)] {
    [("name", service.name), ("url", service.baseURL)]
      + (text(of: service.authentication).map { [("auth", $0)] } ?? [])
      + (service.preset.map { [("preset", $0)] } ?? [])
  }

  private static func json(_ service: APIService) -> JSON {
    .object(
      [
        .init("name", .string(service.name)), .init("url", .string(service.baseURL)),
        .init("auth", text(of: service.authentication).map(JSON.string) ?? .null),
      ] + (service.preset.map { [.init("preset", .string($0))] } ?? []))
  }
}
