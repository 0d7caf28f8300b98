import SwiftBoardCommandLine

/// The texts of the board itself that are about features which another board may not have.
extension FeatureList {
  /// The features that examples of the board and of the program name.
  static let namedInExamples: Set = ["api", "characters", "db", "downloads", "keychain", "log"]

  /// Returns whether a line names one of these features.
  static func names(_ features: Set<String>, in line: String) -> Bool {
    guard !features.isEmpty else { return false }
    return line.split { !$0.isLetter }.contains { features.contains(String($0)) }
  }

  /// Returns whether the board has the features that an example names.
  func hasFeatures(in example: String) -> Bool { !Self.names(missing, in: example) }

  /// What the program says of itself at its first start.
  var greeting: String {
    hasFeatures(in: "api keychain db log")
      ? "services, secrets, documents and logs, line by line" : summary
  }
}

extension CommandTable {
  /// Returns the commands without one.
  func without(_ path: [String]) -> Self {
    CommandTable(specs.filter { $0.path != path }, globals: globals, topics: topics)
  }

  /// Returns the commands without the examples that fulfil a condition.
  func withoutExamples(where isLeftOut: (String) -> Bool) -> Self {
    let specs = specs.map { spec in
      var spec = spec
      spec.examples.removeAll(where: isLeftOut)
      return spec
    }
    return CommandTable(specs, globals: globals, topics: topics)
  }
}
