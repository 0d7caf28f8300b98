import SwiftBoardDependencies

extension PersistenceConformance {
  /// The checks of `RecentSearchStore`: order, limit and removal.
  public static func searches(_ make: @escaping Make<any RecentSearchStore>) -> [ConformanceCheck] {
    let part = ConformancePart("RecentSearchStore", make)
    return [
      part.check("without searches there are none") { service in
        try await equal(service.searches(scope: "s", containing: nil), [])
      },
      part.check("a negative limit keeps no search", PersistenceLimits(searches: -1)) { service in
        try await service.addSearch("one", scope: "s", at: 1)
        try await equal(service.searches(scope: "s", containing: nil), [])
      },
      part.check("newest searches come first and once", PersistenceLimits(searches: 3)) { service in
        for (time, text) in ["one", "two", "one", "Three", "four"].enumerated() {
          try await service.addSearch(text, scope: "s", at: Int64(time))
        }
        try await service.addSearch("one", scope: "other", at: 9)
        let all = try await service.searches(scope: "s", containing: nil)
        try equal(all.map(\.text), ["four", "Three", "one"])
        try equal(all.map(\.at), [4, 3, 2])
        try await equal(service.searches(scope: "s", containing: "thr").map(\.text), ["Three"])
        try await equal(service.searches(scope: "s", containing: "").count, 3)
        // The newest search stays first even if the clock was set back.
        try await service.addSearch("five", scope: "s", at: -5)
        try await equal(
          service.searches(scope: "s", containing: nil).map(\.text),
          [
            "five", "four", "Three",
          ])
      },
      part.check("searches are removed by text or scope") { service in
        for text in ["a", "b", "c"] { try await service.addSearch(text, scope: "s", at: 1) }
        try await service.addSearch("a", scope: "t", at: 1)
        try await equal(service.removeSearches("x", scope: "s"), 0)
        try await equal(service.removeSearches("a", scope: "s"), 1)
        try await equal(service.removeSearches(nil, scope: "s"), 2)
        try await equal(service.searches(scope: "t", containing: nil).count, 1)
      },
    ]
  }
}
