import SwiftBoardDependencies

/// The rules of `APIClient`, as checks of an implementation.
///
/// A check passes the exchanges that it needs to a closure, which creates a client that receives
/// these answers: from a server for a network client, or from prepared answers for a mock.
///
/// ```swift
/// let checks = APIClientConformance { exchanges in
///   let mock = MockAPIClient()
///   for exchange in exchanges { … }
///   return APIClientConformance.Subject(mock, baseURL: "http://host.example")
/// }.checks
/// ```
public struct APIClientConformance: Sendable {
  /// A request that a check will make, and its answer.
  public struct Exchange: Sendable {
    /// The answer to a request.
    public enum Answer: Sendable {
      /// A response with these values, and without other fields than those that the protocol
      /// requires.
      case response(status: Int, headers: [HTTPHeader], body: Data)
      /// No answer until the client gives up.
      case hang
    }

    /// The method of the request.
    public var method: String
    /// The path with its query, beginning with the slash.
    public var target: String
    /// The answer to every such request.
    public var answer: Answer
  }

  /// A client and its base address.
  public struct Subject: Sendable {
    /// The client.
    public var service: any APIClient
    /// The URL to which the targets of exchanges are appended, without a slash at the end.
    public var baseURL: String
    let kept: (any Sendable)?

    /// Creates a subject for one check.
    ///
    /// - Parameter kept: A value to keep as long as the client is used, for example a server.
    public init(
      _ service: any APIClient, baseURL: String, keeping kept: (any Sendable)? = nil
    ) {
      self.service = service
      self.baseURL = baseURL
      self.kept = kept
    }
  }

  private let make: @Sendable (_ exchanges: [Exchange]) async throws -> Subject

  private static let bytes = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
  private static let repeated = [
    HTTPHeader("X-Two", "a"), HTTPHeader("X-One", "1"), HTTPHeader("X-Two", "b"),
  ]

  /// Creates a suite. `make` returns a new client for each call.
  public init(_ make: @escaping @Sendable (_ exchanges: [Exchange]) async throws -> Subject) {
    self.make = make
  }

  /// The checks of all rules: answers, streams, limits, refusals and cancelling.
  public var checks: [ConformanceCheck] {
    answerChecks + bodyChecks + endChecks
  }

  /// Statuses, fields, methods and redirects.
  private var answerChecks: [ConformanceCheck] {
    let location = [HTTPHeader("Location", "/other")]
    return [
      check("every status is an answer", [200, 404, 500, 503].map { .status($0) }) {
        client, base in
        for status in [200, 404, 500, 503] {
          try await equal(
            client.send(APIRequest(url: "\(base)/\(status)", timeout: .seconds(3600))).status,
            status)
        }
      },
      check("an answer without a body has an empty one", [.status(204)]) { client, base in
        try await equal(
          client.send(APIRequest(url: base + "/204", timeout: .seconds(3600))).body, Data())
      },
      check("fields come in their order, also repeated ones", [.get("/h", Self.repeated)]) {
        client, base in
        let headers = try await client.send(APIRequest(url: base + "/h", timeout: .seconds(3600)))
          .headers
        try equal(
          headers.filter { $0.name.lowercased().hasPrefix("x-") }.map(\.value), ["a", "1", "b"])
      },
      check("a method is sent as it is", [.get("/m", method: "REPORT", body: Data("x".utf8))]) {
        client, base in
        let request = APIRequest(method: "REPORT", url: base + "/m", timeout: .seconds(3600))
        try await equal(client.send(request).body, Data("x".utf8))
      },
      check("a redirect is an answer where none is followed", [.get("/r", location, status: 302)]) {
        client, base in
        let answer = try await client.send(APIRequest(url: base + "/r", timeout: .seconds(3600)))
        try equal(answer.status, 302)
        try equal(answer.redirects, 0)
        try equal(answer.headers.value(of: "location"), "/other")
      },
    ]
  }

  /// Bodies, whole and as streams.
  private var bodyChecks: [ConformanceCheck] {
    [
      check("a body comes back byte for byte", [.get("/b", body: Self.bytes)]) { client, base in
        try await equal(
          client.send(APIRequest(url: base + "/b", timeout: .seconds(3600))).body, Self.bytes)
      },
      check("a stream gives the head, then the body", [.get("/b", Self.repeated, body: Self.bytes)])
      {
        client, base in
        let stream = try await client.open(APIRequest(url: base + "/b", timeout: .seconds(3600)))
        try equal(stream.response.status, 200)
        try equal(stream.response.headers.value(of: "x-one"), "1")
        try equal(stream.response.body, Data())
        var body = Data()
        while let piece = try await stream.next() { body += piece }
        try equal(body, Self.bytes)
        try await equal(stream.next(), nil)
      },
      check(
        "more bytes than the limit are refused", [.get("/b?token=hidden-value", body: Self.bytes)]
      ) {
        client, base in
        var request = APIRequest(
          url: base + "/b?token=hidden-value", timeout: .seconds(3600), bodyLimit: 1000)
        try await equal(client.send(request).body, Self.bytes)
        request.bodyLimit = 999
        let error = await failure(APIError.self) { try await client.send(request) }
        try equal(error?.kind, .tooLarge)
        try lacks(error?.message, "hidden-value")
      },
    ]
  }

  /// Refusals, cancelling, and requests at the same time.
  private var endChecks: [ConformanceCheck] {
    [
      check("an address that cannot be used is refused", []) { client, _ in
        for (url, kind) in [
          ("nowhere", .invalidURL), ("ftp://host.example/a", .unsupportedScheme),
        ] as [(String, APIError.Kind)] {
          let request = APIRequest(url: url, timeout: .seconds(3600))
          let error = await failure(APIError.self) { try await client.send(request) }
          try equal(error?.kind, kind)
        }
      },
      check("a cancelled request ends", [Exchange(method: "GET", target: "/hang", answer: .hang)]) {
        client, base in
        let request = APIRequest(url: base + "/hang", timeout: nil)
        let task = Task { await failure(APIError.self) { try await client.send(request) } }
        task.cancel()
        try await equal(task.value?.kind, .cancelled)
      },
      check(
        "requests at the same time have their own answers",
        (0..<20).map { .get("/\($0)", body: Data("\($0)".utf8)) }
      ) { client, base in
        try await withThrowingTaskGroup { group in
          for index in 0..<20 {
            group.addTask {
              let answer = try await client.send(
                APIRequest(url: "\(base)/\(index)", timeout: .seconds(3600)))
              try equal(answer.body, Data("\(index)".utf8))
            }
          }
          try await group.waitForAll()
        }
      },
    ]
  }

  private func check(
    _ rule: String, _ exchanges: [Exchange],
    _ body: @escaping @Sendable (_ client: any APIClient, _ base: String) async throws -> Void
  ) -> ConformanceCheck {
    ConformanceCheck("APIClient", rule) {
      let subject = try await make(exchanges)
      try await body(subject.service, subject.baseURL)
      withExtendedLifetime(subject) {}
    }
  }
}

extension APIClientConformance.Exchange {
  fileprivate static func get(
    _ target: String, _ headers: [HTTPHeader] = [], method: String = "GET", status: Int = 200,
    body: Data = Data()
  ) -> Self {
    Self(
      method: method, target: target,
      answer: .response(status: status, headers: headers, body: body))
  }

  fileprivate static func status(_ status: Int) -> Self { .get("/\(status)", status: status) }
}
