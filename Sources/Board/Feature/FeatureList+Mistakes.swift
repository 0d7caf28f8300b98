import SwiftBoardCommandLine
import SwiftBoardJSON

/// What a program may get wrong in the features that it gives a board.
extension FeatureList {
  /// Returns what is wrong with the first name, command, version or path that is not valid, or
  /// `nil` if all are.
  static func mistake(
    in features: [AnyFeature], of program: ProgramName, _ shell: CommandTable<BoardCommand>
  ) -> String? {
    guard isName(program.name, also: "-_.", first: { $0.isLetter || $0.isNumber }) else {
      return "'\(program.title)' cannot name a program: before a space and its version, the name "
        + "has letters, digits, -, _ and ., and begins with a letter or a digit"
    }
    let reserved = Set(shell.specs.map { $0.path[0] })
      .union(["session", "shell", "settings", "resumed", "time", "line", "keys"])
    var names: Set<String> = []
    var paths: Set<[String]> = []
    for feature in features {
      let name = feature.name
      guard isName(name, also: "-_", first: \.isLetter) else {
        return "'\(name)' cannot name a feature: a name has letters, digits, - and _, and begins "
          + "with a letter"
      }
      guard !reserved.contains(name) else {
        return "a feature has the name '\(name)', which is reserved for the board itself"
      }
      guard names.insert(name).inserted else { return "two features have the name '\(name)'" }
      for path in feature.commands.specs.map(\.path) {
        guard path.first == name, path.allSatisfy(isCommandWord) else {
          return
            "the feature '\(name)' has the command '\(path.joined(separator: " "))': a command "
            + "begins with the name of its feature, and no word is empty, has a space or begins with -"
        }
        guard paths.insert(path).inserted else {
          return "the feature '\(name)' has the command '\(path.joined(separator: " "))' twice"
        }
      }
      if let version = feature.coding.version, version < 1 {
        return "the feature '\(name)' has the version \(version): versions begin with 1"
      }
      for path in feature.volatile {
        do throws(JSONPathError) {
          _ = try JSONPathPattern(parsing: path)
        } catch {
          return "the feature '\(name)' has the volatile path '\(path.dropFirst(name.count + 1))': "
            + "with the name in front, \(error)"
        }
      }
    }
    return nil
  }

  private static func isName(
    _ name: String, also others: String, first isFirst: (Character) -> Bool
  ) -> Bool {
    name.first.map(isFirst) == true
      && name.allSatisfy { $0.isLetter || $0.isNumber || others.contains($0) }
  }

  private static func isCommandWord(_ word: String) -> Bool {
    !word.isEmpty && !word.hasPrefix("-") && word.utf8.allSatisfy { $0 > 0x20 }
  }
}
