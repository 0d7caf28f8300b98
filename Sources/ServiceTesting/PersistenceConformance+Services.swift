import SwiftBoardDependencies

extension PersistenceConformance {
  /// The checks of `APIServiceStore`: authentication, and what is replaced.
  public static func services(_ make: @escaping Make<any APIServiceStore>) -> [ConformanceCheck] {
    let part = ConformancePart("APIServiceStore", make)
    return [
      part.check("an absent service is nil and no error") { service in
        try await equal(service.service("s"), nil)
        try await equal(service.services(), [])
        try await equal(service.damagedServices(), [])
      },
      part.check("removing a service says whether there was one") { service in
        try await service.saveService(APIService(name: "s", baseURL: "http://a"), replacing: false)
        try await equal(service.removeService("s"), true)
        try await equal(service.removeService("s"), false)
        try await equal(service.services(), [])
      },
      part.check("services keep their authentication") { service in
        let all: [APIService.Authentication?] = [
          nil, .header(name: "X-Api-Key", secret: "k"), .query(name: "apikey", secret: "k"),
          .bearer(secret: "k"), .basic(user: "u", secret: "k"), .digest(user: "u", secret: "k"),
          .basic(user: "", secret: "k"), .digest(user: "a b=\u{e9}", secret: "k"),
        ]
        for (index, authentication) in all.enumerated() {
          try await service.saveService(
            APIService(name: "\(index)", baseURL: "http://h", authentication: authentication),
            replacing: false)
        }
        try await equal(service.services().map(\.authentication), all)
        try await equal(service.service("4")?.authentication, .basic(user: "u", secret: "k"))
        let radarr = APIService(name: "r", baseURL: "http://h", preset: "radarr")
        try await service.saveService(radarr, replacing: false)
        try await equal(service.service("r"), radarr)
      },
      part.check("services are sorted by name") { service in
        for name in ["b", "a", "c"] {
          try await service.saveService(
            APIService(name: name, baseURL: "http://h"), replacing: false)
        }
        try await equal(service.services().map(\.name), ["a", "b", "c"])
      },
      part.check("a service is replaced only on demand") { service in
        try await service.saveService(APIService(name: "s", baseURL: "http://a"), replacing: false)
        let error = await failure(PersistenceError.self) {
          try await service.saveService(
            APIService(name: "s", baseURL: "http://b"), replacing: false)
        }
        try equal(error?.kind, .exists)
        try contains(error?.message, "service s")
        try await equal(service.service("s")?.baseURL, "http://a")
        try await service.saveService(APIService(name: "s", baseURL: "http://b"), replacing: true)
        try await equal(service.service("s")?.baseURL, "http://b")
      },
    ]
  }

  /// The checks of `APIServiceStore` for a store that keeps services where they can be damaged.
  ///
  /// - Parameter make: Returns a new store for each call, whose only service is named `bad` and is
  ///   damaged.
  public static func damagedServices(
    _ make: @escaping Make<any APIServiceStore>
  ) -> [ConformanceCheck] {
    let part = ConformancePart("APIServiceStore", make)
    return [
      part.check("a damaged service is named, and cannot be read") { service in
        try await equal(service.damagedServices(), ["bad"])
        try await equal(service.services(), [])
        let error = await failure(PersistenceError.self) { try await service.service("bad") }
        try equal(error?.kind, .corrupted)
        try equal(error?.damaged, .service)
      },
      part.check("a damaged service can be removed") { service in
        try await equal(service.removeService("bad"), true)
        try await equal(service.service("bad"), nil)
        try await equal(service.damagedServices(), [])
      },
      part.check("a damaged service is whole once it is replaced, which is done only on demand") {
        service in
        let whole = APIService(name: "bad", baseURL: "http://a")
        let error = await failure(PersistenceError.self) {
          try await service.saveService(whole, replacing: false)
        }
        try equal(error?.kind, .exists)
        try await service.saveService(whole, replacing: true)
        try await equal(service.service("bad"), whole)
        try await equal(service.services(), [whole])
        try await equal(service.damagedServices(), [])
      },
    ]
  }
}
