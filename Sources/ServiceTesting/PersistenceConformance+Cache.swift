import SwiftBoardDependencies

extension PersistenceConformance {
  /// The checks of `ResponseCache`: answers, their limits, and their removal.
  public static func cache(_ make: @escaping Make<any ResponseCache>) -> [ConformanceCheck] {
    let part = ConformancePart("ResponseCache", make)
    return [
      part.check("an absent answer is nil and no error") { service in
        try await equal(service.cachedResponse("k"), nil)
        try await equal(service.cachedResponses(), [])
      },
      part.check("answers come back whole") { service in
        var response = response("k")
        try await service.storeResponse(response)
        try await equal(service.cachedResponse("k"), response)
        response.body = Data()
        response.expires = 0
        response.headers = []
        response.status = 404
        try await service.storeResponse(response)
        try await equal(service.cachedResponse("k"), response)
        try await equal(
          service.cachedResponses(),
          [
            CachedResponseSummary(
              key: "k", service: "s", status: 404, bytes: 0, stored: 5, expires: 0)
          ])
      },
      part.check("the least recently used leaves first", PersistenceLimits(cacheEntries: 3)) {
        service in
        for key in ["a", "b", "c"] { try await service.storeResponse(response(key)) }
        _ = try await service.cachedResponse("a")
        try await service.storeResponse(response("d"))
        try await service.storeResponse(response("c"))
        try await service.storeResponse(response("e"))
        try await equal(service.cachedResponses().map(\.key), ["c", "d", "e"])
      },
      part.check("bytes are bounded", PersistenceLimits(cacheBytes: 10_000)) { service in
        for index in 0..<100 {
          try await service.storeResponse(response("\(index)", bytes: 900))
        }
        try await equal(service.cachedResponses().map(\.key).sorted(), (90...99).map { "\($0)" })
        // An answer that is too large is not kept, and the one that it replaces is removed.
        try await service.storeResponse(response("95", bytes: 20_000))
        try await equal(service.cachedResponse("95"), nil)
        try await equal(service.cachedResponses().count, 9)
        // An answer that grows evicts as many others as necessary.
        try await service.storeResponse(response("99", bytes: 8_000))
        try await equal(service.cachedResponses().map(\.key), ["97", "98", "99"])
      },
      part.check("answers are cleared by service") { service in
        for key in ["a", "b"] { try await service.storeResponse(response(key)) }
        try await service.storeResponse(response("c", service: "t"))
        try await equal(service.clearResponses(service: "s"), 2)
        try await equal(service.cachedResponses().map(\.key), ["c"])
        try await equal(service.clearResponses(service: nil), 1)
      },
      part.check("answers are removed by condition") { service in
        try await equal(service.removeResponses { _ in true }, 0)
        for key in ["a", "b", "c"] { try await service.storeResponse(response(key)) }
        try await equal(service.removeResponses { $0.key == "b" }, 1)
        try await equal(service.cachedResponses().map(\.key), ["a", "c"])
        try await equal(service.cachedResponse("b"), nil)
        try await equal(service.cachedResponse("c"), response("c"))
        try await equal(service.removeResponses { _ in false }, 0)
      },
      part.check("answers are removed by target") { service in
        try await equal(service.removeResponses(target: "http://h/a"), 0)
        let others = ["GET http://h/a?b", "GET http://h/a/b", "GET http://h/aé", "HEAD http://h/"]
        let removed = [
          "GET http://h/a", "GET http://h/a\naccept: */*\nx: http://h/", "HEAD http://h/a\nx: 1",
        ]
        for key in others + removed { try await service.storeResponse(response(key)) }
        try await equal(service.removeResponses(target: "http://h/a"), 3)
        try await equal(service.cachedResponses().map(\.key), others.sorted())
        try await equal(service.removeResponses(target: "http://h/a"), 0)
      },
    ]
  }

  static func response(_ key: String, bytes: Int = 10, service: String = "s")
    -> CachedResponse
  {
    CachedResponse(
      key: key, service: service, status: 200,
      headers: [
        HTTPHeader("ETag", "\"\(key)\""), HTTPHeader("X-Two", "a"), HTTPHeader("X-Two", "b"),
      ],
      body: Data(repeating: 0xff, count: bytes), stored: 5, expires: nil)
  }
}
