import SwiftBoardCommandLine
import SwiftBoardJSON

/// A parsed line as one text, so that tables of cases stay readable.
func shape(_ parsed: ParsedLine) -> String {
  switch parsed {
  case .empty: return "empty"
  case .incomplete(let line):
    let reason =
      switch line.reason {
      case .quote(let mark): "quote \(mark)"
      case .bracket(let open, let inString): "bracket \(String(open))\(inString ? "\"" : "")"
      case .heredoc(let tag): "heredoc \(tag)"
      case .backslash: "backslash"
      }
    return "open \(reason) at \(line.lineOffset):\(line.column)"
  case .invalid(let error):
    return "error at \(error.lineOffset):\(error.column)+\(error.length): \(error.message)"
  case .commands(let list):
    let prefix = list.prefix.map { "\($0) " } ?? ""
    return prefix + list.commands.map(shape).joined(separator: " ; ")
  }
}

private func shape(_ command: ParsedCommand) -> String {
  var text = command.words.map(shape).joined(separator: " ")
  if command.isBackground { text += " &" }
  if let redirect = command.redirect {
    text += (redirect.appends ? " >> " : " > ") + shape(redirect.file)
  }
  return text
}

private func shape(_ word: Word) -> String {
  let inner = word.segments.map { segment in
    switch segment {
    case .text(let text): text
    case .variable(let name, let isEscaped): "<\(isEscaped ? "js " : "")$\(name)>"
    case .last(let path, let isEscaped): "<\(isEscaped ? "js " : "")last \(path)>"
    case .secret(let name): "<secret \(name)>"
    }
  }.joined()
  switch word.quoting {
  case .none: return "(\(inner))"
  case .single: return "'(\(inner))"
  case .double: return "\"(\(inner))"
  case .data: return "data(\(inner))"
  }
}

func shape(_ text: String) -> String { shape(LineParser.parse(text)) }

/// The words of the first command, expanded.
func arguments(
  _ text: String, variables: [String: String] = [:], last: JSON? = nil
) throws(UsageError) -> [Argument] {
  switch LineParser.parse(text) {
  case .commands(let list):
    return try list.commands[0].words.map { word throws(UsageError) in
      try word.expanded(variables: { variables[$0] }) { path in
        guard let last, let parsed = try? JSONPath(parsing: path) else { return nil }
        return last.value(at: parsed)
      }
    }
  case .invalid(let error): throw error.usageError
  case .empty, .incomplete: throw UsageError("no whole line: \(text)")
  }
}
