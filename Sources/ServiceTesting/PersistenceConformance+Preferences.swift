import SwiftBoardDependencies

extension PersistenceConformance {
  /// The checks of `PreferenceStore`: texts, their order, and what is refused.
  public static func preferences(_ make: @escaping Make<any PreferenceStore>) -> [ConformanceCheck]
  {
    let part = ConformancePart("PreferenceStore", make)
    return [
      part.check("an absent preference is nil and no error") { service in
        try await equal(service.preference("p"), nil)
        try await equal(service.preferences(), [])
      },
      part.check("removing a preference says whether there was one") { service in
        try await service.setPreference("p", to: "1")
        try await equal(service.unsetPreference("p"), true)
        try await equal(service.unsetPreference("p"), false)
        try await equal(service.preference("p"), nil)
      },
      part.check("invalid JSON is refused") { service in
        try await service.setPreference("p", to: "1")
        for text in ["", "hidden", "1 2", "{"] {
          let error = await failure(PersistenceError.self) {
            try await service.setPreference("p", to: text)
          }
          try equal(error?.kind, .invalid)
          try lacks(error?.message, "hidden")
        }
        try await equal(service.preference("p"), "1")
      },
      part.check("preferences are sorted and exact") { service in
        try await service.setPreference("b", to: " 1.0 ")
        try await service.setPreference("a", to: "\"x\"")
        try await service.setPreference("b", to: " 2 ")
        try await equal(service.preference("b"), " 2 ")
        try await equal(
          service.preferences(),
          [
            Preference(name: "a", json: "\"x\""), Preference(name: "b", json: " 2 "),
          ])
      },
    ]
  }
}
