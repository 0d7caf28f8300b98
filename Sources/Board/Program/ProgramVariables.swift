import SwiftBoardCommandLine
import SwiftBoardDependencies

/// The environment variables of the program, which begin with `SWIFTBOARD_`.
enum ProgramVariables {
  /// The names of all variables that the program and its services read.
  static let names = ProgramOption.all.compactMap(\.variable) + UnlockSources.programVariables

  /// Returns the findings with a problem for set variables that nothing reads.
  ///
  /// - Parameter variables: The environment variables.
  static func findings(
    _ findings: [InstallationFinding], for variables: [String: String]
  ) -> [InstallationFinding] {
    let unknown = variables.keys.sorted().filter {
      $0.hasPrefix("SWIFTBOARD_") && !names.contains($0)
    }
    guard let first = unknown.first,
      let index = findings.firstIndex(where: { $0.subject == "variables" })
    else { return findings }
    var result = findings
    result[index] = InstallationFinding(
      "variables", .problem,
      "nothing reads \(unknown.joined(separator: ", "))",
      remedy: .other(
        Suggestion.advice(for: first, among: names)
          ?? "docs/configuration.md and 'manual' name the variables; none takes a secret"))
    return result
  }
}
