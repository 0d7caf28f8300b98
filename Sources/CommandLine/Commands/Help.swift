/// Help, rendered from the table. The text is ASCII except for texts of the specs, and ends in a
/// newline.
extension CommandTable {
  /// Returns the list of commands with one topic per line: `db  documents and preferences`.
  public func overview(width: Int = 80) -> String {
    let rows = words(after: []).map { word in
      let commands = specs.filter { $0.path.first == word }
      let topic = topics.first { $0.name == word }?.summary
      if let topic { return (word, topic) }
      if commands.count == 1, let only = commands.first, only.path.count == 1 {
        return (word, only.summary)
      }
      return (word, words(after: [word]).joined(separator: ", "))
    }
    return HelpText.rows(rows, width: width)
      + "\n"
      + HelpText.wrapped(
        "help COMMAND shows its sub-commands, options and examples.", width: width)
  }

  /// Returns help for the words after `help`: one command in full, or the commands of a group.
  ///
  /// Words after a command's own (`help db get x`) are ignored.
  /// - Parameter pages: The words for which the caller has help of its own.
  /// - Throws: a `UsageError` with the nearest known word if the first words are unknown.
  public func help(
    for words: [String], besides pages: [String] = [], width: Int = 80
  ) throws(UsageError) -> String {
    var path: [String] = []
    for word in words {
      let known = self.words(after: path)
      if known.isEmpty { break }
      guard known.contains(word) else {
        let isArgument = specs.contains { $0.path == path && !$0.arguments.isEmpty }
        if isArgument, Suggestion.nearest(to: word, among: known) == nil { break }
        let all = path.isEmpty ? known + pages : known
        throw UsageError(
          "no help for '\((path + [word]).joined(separator: " "))'",
          help: Suggestion.advice(for: word, among: all, after: path)
            ?? "there is help for \(all.joined(separator: ", "))")
      }
      path.append(word)
    }
    if path.isEmpty { return overview(width: width) }
    let group = specs.filter { $0.path.count > path.count && $0.path.starts(with: path) }
    guard let spec = specs.first(where: { $0.path == path }) else {
      return help(group: path, group, width)
    }
    let text = help(spec: spec, width)
    return group.isEmpty ? text : text + "\nSee also\n" + list(group, width)
  }

  private func help(group path: [String], _ specs: [CommandSpec<Output>], _ width: Int) -> String {
    var text = ""
    if path.count == 1, let topic = topics.first(where: { $0.name == path.first }) {
      text = HelpText.wrapped("\(topic.name): \(topic.summary)", width: width) + "\n"
      if !topic.details.isEmpty { text += HelpText.wrapped(topic.details, width: width) + "\n" }
    }
    let examples = specs.compactMap(\.examples.first).prefix(3)
    if !examples.isEmpty { text += "Examples\n" + shown(examples, width) + "\n" }
    return text + "Commands\n" + list(specs, width) + "\n"
      + HelpText.wrapped(
        "help \(path.joined(separator: " ")) COMMAND shows one in full, with its options.",
        width: width)
  }

  private func list(_ specs: [CommandSpec<Output>], _ width: Int) -> String {
    HelpText.rows(
      specs.map { spec in
        ((spec.path + spec.arguments.map(\.synopsis)).joined(separator: " "), spec.summary)
      }, width: width, indent: 2)
  }

  private func help(spec: CommandSpec<Output>, _ width: Int) -> String {
    var text = HelpText.wrapped(
      "\(spec.path.joined(separator: " ")): \(spec.summary)", width: width)
    if !spec.examples.isEmpty { text += "\nExamples\n" + shown(spec.examples, width) }
    text += "\nUsage\n" + HelpText.wrapped(spec.synopsis, width: width, indent: 2, hanging: 6)
    if !spec.details.isEmpty {
      text += "\n" + HelpText.wrapped(spec.details, width: width)
    }
    if !spec.arguments.isEmpty {
      text +=
        "\nArguments\n"
        + HelpText.rows(spec.arguments.map { ($0.name, $0.help) }, width: width, indent: 2)
    }
    if !spec.options.isEmpty {
      text += "\nOptions\n" + HelpText.options(spec.options, width: width)
    }
    return text
  }
}

extension CommandTable {
  /// Returns examples that run as they are shown: a line that goes on in the next row ends in `\`.
  private func shown(_ examples: some Sequence<String>, _ width: Int) -> String {
    examples.map { HelpText.example($0, width: width) }.joined()
  }
}

/// The layout of help texts.
package enum HelpText {
  /// Returns the text with ASCII in place of its punctuation.
  package static func ascii(_ text: String) -> String {
    text.replacing("\u{2026}", with: "...").replacing("\u{2013}", with: "-")
      .replacing("\u{2014}", with: "-").replacing("\u{201C}", with: "\"")
      .replacing("\u{201D}", with: "\"").replacing("\u{00D7}", with: "x")
  }

  /// Returns a help text with styles for its headings: single lines above indented ones.
  package static func styled(_ text: String) -> StyledText {
    var result = StyledText()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if index > 0 { result.append("\n") }
      let isFirst = index == 0 || lines[index - 1].isEmpty
      let isAboveIndented = index + 1 < lines.count && lines[index + 1].hasPrefix("  ")
      let isHeading = isFirst && isAboveIndented && !line.hasPrefix(" ") && !line.contains("  ")
      if isHeading { result.append(String(line), .heading) } else { result.append(String(line)) }
    }
    return result
  }

  /// Formats two columns and wraps the second one. A first column that is too long gets its own
  /// lines. So does each where the second one would have no room beside it.
  package static func rows(_ rows: [(String, String)], width: Int, indent: Int = 0) -> String {
    let available = max(12, width / 2 - indent - 2)
    let widest = rows.map(\.0.count).filter { $0 <= available }.max() ?? 0
    let left = width - (indent + widest + 2) < 12 ? 0 : widest
    var text = ""
    for (name, summary) in rows {
      let start = String(repeating: " ", count: indent) + name
      let column = indent + left + 2
      let lines = wrap(summary, width: max(12, width - column))
      if name.count > left {
        let blanks = name.prefix { $0 == " " }.count
        text += wrapped(name, width: width, indent: indent + blanks, hanging: indent + blanks + 4)
      } else {
        let first = lines.first ?? ""
        text += (first.isEmpty ? start : pad(start, to: column) + first) + "\n"
      }
      for line in name.count > left ? lines[...] : lines.dropFirst() where !line.isEmpty {
        text += String(repeating: " ", count: column) + line + "\n"
      }
    }
    return text
  }

  package static func options(_ options: [OptionSpec], width: Int) -> String {
    rows(
      options.map { option in
        ((option.short.map { "-\($0), " } ?? "    ") + option.synopsis, option.help)
      }, width: width, indent: 2)
  }

  /// Returns the paragraphs of a text with their lines filled up to `width`.
  package static func wrapped(
    _ text: String, width: Int, indent: Int = 0, hanging: Int = 0
  ) -> String {
    var result = ""
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let lines = wrap(String(paragraph), width: max(8, width - hanging))
      for (index, line) in lines.enumerated() {
        result += String(repeating: " ", count: index == 0 ? indent : hanging) + line + "\n"
      }
    }
    return result
  }

  /// Returns an example that runs as it is shown: a row that the next one continues ends in `\`.
  /// Words stay whole, with the blanks in their quotes and brackets, where `\` would be text.
  static func example(_ line: String, width: Int) -> String {
    let width = max(12, width - 8)
    var rows: [String] = []
    for word in words(of: line) {
      if let last = rows.last, last.count + 1 + word.count <= width {
        rows[rows.count - 1] += " " + word
      } else {
        rows.append(String(word))
      }
    }
    return "  " + rows.joined(separator: " \\\n      ") + "\n"
  }

  /// Returns the words of a line as typed.
  package static func words(of line: String) -> [Substring] {
    var (quote, depth, isEscaped): (Character?, Int, Bool) = (nil, 0, false)
    return line.split { character in
      if isEscaped {
        isEscaped = false
      } else if let open = quote {
        isEscaped = open == "\"" && character == "\\"
        if character == open { quote = nil }
      } else {
        switch character {
        case "\\": isEscaped = true
        case "'" where depth == 0, "\"": quote = character
        case "{", "[": depth += 1
        case "}", "]": depth -= 1
        case " ": return depth <= 0
        default: break
        }
      }
      return false
    }
  }

  private static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = [""]
    for word in text.split(separator: " ") {
      for piece in pieces(of: word, width) {
        let last = lines[lines.count - 1]
        if last.isEmpty {
          lines[lines.count - 1] = String(piece)
        } else if last.count + 1 + piece.count <= width {
          lines[lines.count - 1] += " " + piece
        } else {
          lines.append(String(piece))
        }
      }
    }
    return lines
  }

  /// Returns the word in pieces that fit.
  private static func pieces(of word: Substring, _ width: Int) -> [Substring] {
    var (pieces, rest) = ([Substring](), word)
    while rest.count > width {
      pieces.append(rest.prefix(width))
      rest = rest.dropFirst(width)
    }
    return pieces + [rest]
  }

  private static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
