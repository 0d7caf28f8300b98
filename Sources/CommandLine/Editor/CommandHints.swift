/// The arguments of commands, shown while a line is typed.
package struct CommandHints: Sendable, Hashable {
  /// The synopses of the arguments, by the words of the command separated by spaces.
  private var arguments: [String: [String]] = [:]

  /// Creates hints for no command.
  package init() {}

  /// Creates hints for the commands of a table.
  package init<Output>(_ table: CommandTable<Output>) {
    for spec in table.specs where !spec.arguments.isEmpty {
      arguments[spec.path.joined(separator: " ")] = spec.arguments.map(\.synopsis)
    }
  }

  /// Returns the arguments that are missing behind `text`, or `nil` if there is no such command.
  package func hint(for text: String) -> String? {
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }),
      !text.contains(where: { "'\";{<>&\\".contains($0) })
    else { return nil }
    let words = text.split(separator: " ").map(String.init)
    let isAfterBlank = text.hasSuffix(" ")
    for count in stride(from: min(words.count, 4), to: 0, by: -1) {
      guard let synopses = arguments[words[..<count].joined(separator: " ")] else { continue }
      let given = words.count - count
      guard given == 0 || isAfterBlank, given < synopses.count else { return nil }
      let rest = synopses[given...].joined(separator: " ")
      return isAfterBlank ? rest : " " + rest
    }
    return nil
  }
}
