import SwiftBoardJSON

extension CommandTable {
  /// Returns what `help(for:width:)` says as a value: the commands below the words, each with its
  /// summary, usage, arguments, options and examples.
  ///
  /// - Throws: The error of `help(for:width:)`.
  package func helpValue(for words: [String]) throws(UsageError) -> JSON {
    _ = try help(for: words)
    var path: [String] = []
    for word in words {
      guard self.words(after: path).contains(word) else { break }
      path.append(word)
    }
    return .array(specs.filter { $0.path.starts(with: path) }.map(\.helpValue))
  }
}

extension OptionSpec {
  /// The option in the value of a command's help.
  package var helpValue: JSON {
    ["option": .string(synopsis), "help": .string(help)]
  }
}

extension CommandSpec {
  fileprivate var helpValue: JSON {
    [
      "command": .string(path.joined(separator: " ")), "summary": .string(summary),
      "usage": .string(synopsis), "details": .string(details),
      "arguments": .array(
        arguments.map { ["name": .string($0.name), "help": .string($0.help)] }),
      "options": .array(options.map(\.helpValue)), "examples": .array(examples.map(JSON.string)),
    ]
  }
}
