import SwiftBoardCommandLine
import SwiftBoardJSON

/// The configuration file: defaults for the program's options, aliases, and named environments.
///
/// ```json
/// {
///   "output": "plain",
///   "timeout": "5s",
///   "aliases": {"tail": "log tail -n 30"},
///   "environments": {"work": {"home": "/srv/board", "offline": true}}
/// }
/// ```
///
/// Each key besides `aliases` and `environments` is the name of an option. A flag is `true` or
/// `false`, any other value a string. An environment may also have `home`, and `environment` for
/// the services that it uses.
package struct ProgramConfiguration: Sendable, Hashable {
  /// The values of one object, by the options' names.
  package typealias Values = [String: JSON]

  /// The defaults of the options.
  package var defaults: Values = [:]
  /// The lines that aliases stand for, by their names.
  package var aliases: [String: String] = [:]
  /// The named environments.
  package var environments: [String: Values] = [:]

  /// Creates a configuration without content.
  package init() {}

  /// Parses the content of a configuration file.
  ///
  /// - Parameter path: The path of the file, for errors.
  /// - Throws: 78 with the line and the column of the first error.
  package init(parsing text: [UInt8], path: String) throws(UsageError) {
    let json: JSON
    do throws(JSONError) {
      json = try JSON(parsing: text, limits: .strict)
    } catch {
      throw Self.error(path, (error.line, error.column), error.message)
    }
    let file = File(path: path, text: text)
    for member in try file.members(of: json, at: []) {
      switch member.key {
      case "aliases":
        for alias in try file.members(of: member.value, at: [.key("aliases")]) {
          guard case .string(let line) = alias.value else {
            throw file.error(
              [.key("aliases"), .key(alias.key)], "the line of an alias is a string")
          }
          aliases[alias.key] = line
        }
      case "environments":
        for environment in try file.members(of: member.value, at: [.key("environments")]) {
          let path: [JSONPath.Step] = [.key("environments"), .key(environment.key)]
          guard BoardSettings.Environment(rawValue: environment.key) == nil else {
            throw file.error(path, "'\(environment.key)' is an environment of the program")
          }
          var values: Values = [:]
          for member in try file.members(of: environment.value, at: path) {
            try file.check(member, at: path, also: ["home", "environment"])
            values[member.key] = member.value
          }
          try file.checkEnvironment(of: values, at: path, among: Self.services)
          environments[environment.key] = values
        }
      default:
        try file.check(member, at: [], also: ["environment"])
        defaults[member.key] = member.value
      }
    }
    try file.checkEnvironment(
      of: defaults, at: [], among: Self.services + environments.keys.sorted())
  }

  /// The environments of the program.
  private static let services = BoardSettings.Environment.allCases.map(\.rawValue)

  /// Returns the error of an alias in the file with this text: `configuration`, with the alias's
  /// line and column.
  package static func error(
    ofAlias name: String, _ error: UsageError, in text: [UInt8], path: String
  ) -> UsageError {
    File(path: path, text: text).error(
      [.key("aliases"), .key(name)], "the alias '\(name)': \(error.message)", help: error.help)
  }

  /// Replaces `~` at the beginning of the homes of environments.
  package mutating func expandHomes(_ userHome: String) {
    for (name, values) in environments {
      guard case .string(let home) = values["home"], home.hasPrefix("~/") else { continue }
      environments[name]?["home"] = .string(userHome + home.dropFirst())
    }
  }

  /// Applies values to options. They were checked when the file was parsed.
  static func apply(_ values: Values, to options: inout ProgramOptions) throws(UsageError) {
    for option in ProgramOption.all {
      guard let value = values[option.spec.name] else { continue }
      switch value {
      case .bool(let flag): try option.apply(.flag(flag), &options)
      case .string(let text):
        try option.apply(.value(Argument(text), named: "'\(option.spec.name)'"), &options)
      default: break
      }
    }
  }

  private static func error(
    _ path: String, _ location: (line: Int, column: Int)?, _ message: String, help: String? = nil
  ) -> UsageError {
    let place = location.map { ":\($0.line):\($0.column)" } ?? ""
    return UsageError("\(path)\(place): \(message)", help: help, kind: .configuration)
  }

  /// The text of a file, for the locations of errors.
  private struct File {
    let path: String
    let text: [UInt8]

    func error(
      _ steps: [JSONPath.Step], _ message: String, help: String? = nil
    ) -> UsageError {
      ProgramConfiguration.error(
        path, JSON.location(of: JSONPath(steps), in: text), message, help: help)
    }

    func members(
      of json: JSON, at steps: [JSONPath.Step]
    ) throws(UsageError) -> [JSON.Member] {
      guard case .object(let members) = json else {
        let name = steps.last.map { step in
          if case .key(let key) = step { "'\(key)'" } else { "this" }
        }
        throw error(steps, "\(name ?? "the file") is an object, in braces")
      }
      return members
    }

    /// Checks the name of an environment, once all names are known.
    func checkEnvironment(
      of values: Values, at steps: [JSONPath.Step], among names: [String]
    ) throws(UsageError) {
      let key = "environment"
      guard case .string(let name) = values[key], !names.contains(name) else { return }
      let advice = Suggestion.advice(for: name, among: names)
      guard steps.isEmpty else {
        throw error(
          steps + [.key(key)],
          "an environment names live, mock or preview, not another environment, as '\(name)'",
          help: advice)
      }
      throw error(
        [.key(key)], "there is no environment '\(name)'",
        help: advice ?? "known are \(names.joined(separator: ", "))")
    }

    /// Checks one option.
    ///
    /// - Parameter others: Options that may stand here besides those that may stand anywhere.
    func check(
      _ member: JSON.Member, at steps: [JSONPath.Step], also others: [String]
    ) throws(UsageError) {
      let path = steps + [.key(member.key)]
      let known = ProgramOption.all.filter {
        $0.isConfigurable || others.contains($0.spec.name)
      }
      guard let option = known.first(where: { $0.spec.name == member.key }) else {
        let names = known.map(\.spec.name) + (steps.isEmpty ? ["aliases", "environments"] : [])
        throw error(
          path, "unknown option '\(member.key)'",
          help: Suggestion.advice(for: member.key, among: names)
            ?? "known are \(names.joined(separator: ", "))")
      }
      var options = ProgramOptions()
      switch (member.value, option.spec.isFlag) {
      case (.bool, true): return
      case (.string(let text), false):
        // Another folder for each folder in which the program runs would scatter the data.
        guard member.key != "home" || text.hasPrefix("/") || text.hasPrefix("~/") else {
          throw error(
            path, "'home' begins with / or ~/, not '\(text)'",
            help: "a file for all runs names one folder")
        }
        let (value, name) = (Argument(text), "'\(member.key)'")
        do throws(UsageError) {
          try option.spec.kind.check(value, named: name)
          try option.apply(.value(value, named: name), &options)
        } catch {
          throw self.error(path, error.message, help: error.help)
        }
      case (_, true): throw error(path, "'\(member.key)' is true or false")
      case (_, false): throw error(path, "'\(member.key)' is a string")
      }
    }
  }
}
