import SwiftBoardJSON

/// A command that failed, with all that is known for showing it.
public struct Failure: Error, Sendable, Hashable {
  /// Where the line is; `nil` at a prompt and for a one-shot command.
  public var place: LinePlace?
  /// The line's number for JSON, from 1.
  public var line: Int
  /// Which physical line of a continued line the column is in.
  public var lineOffset: Int
  /// The first blamed character in its physical line, from 1; `nil` where no word is to blame.
  public var column: Int?
  /// How many characters are blamed.
  public var length: Int?
  /// The line as typed, all its physical lines.
  public var text: String?
  /// What went wrong, in one line without a full stop; controls in it are escaped when it is shown.
  public var message: String
  /// What to do about it, if that is known; without the word `help:`.
  public var help: String?
  /// The exit status, of sysexits where it fits: 64 usage, 65 malformed data, 69 service, 78 configuration and others.
  public var code: Int32
  /// The error's name for programs: `connectionRefused`.
  public var errorName: String

  /// A failure from its parts.
  public init(
    place: LinePlace? = nil, line: Int = 1, lineOffset: Int = 0, column: Int? = nil,
    length: Int? = nil, text: String? = nil, message: String, help: String? = nil, code: Int32,
    errorName: String
  ) {
    self.place = place
    self.line = line
    self.lineOffset = lineOffset
    self.column = column
    self.length = length
    self.text = text
    self.message = message
    self.help = help
    self.code = code
    self.errorName = errorName
  }

  /// A usage error in a line. Malformed data (65) and configuration (78) have names of their own.
  public init(_ error: UsageError, in line: ScriptLine?) {
    let name =
      switch error.code {
      case 65: "malformedData"
      case 78: "configuration"
      default: "usage"
      }
    self.init(
      place: line?.place, line: line?.place.line ?? 1, lineOffset: error.lineOffset,
      column: error.column, length: error.length, text: line?.text, message: error.message,
      help: error.help, code: error.code, errorName: name)
  }

  /// The text for standard error, with its last line end.
  ///
  /// ```
  /// demo.sb:7:5: error: unknown db command 'pot'
  ///   db pot characters 1
  ///      ^~~
  /// help: did you mean 'put'?
  /// ```
  ///
  /// - Parameters:
  ///   - json: one line `{"line":3,"ok":false,"code":69,"error":"connectionRefused","message":…,"hint":…}`.
  ///   - width: columns for the shown line; a longer one is cut around the caret.
  ///   - color: only without `json`.
  public func render(json: Bool = false, width: Int = 200, color: Bool = false) -> String {
    if json {
      return OutputFormatter.line([
        "line": JSON(line), "ok": false, "code": JSON(code), "error": .string(errorName),
        "message": .string(message), "hint": help.map(JSON.string) ?? .null,
      ]) + "\n"
    }
    var start = ""
    if let place {
      start = LinePlace(place.file, line: place.line + lineOffset).description + ":"
      if let column { start += "\(column):" }
      start = escapeControls(start) + " "
    }
    let label = color ? "\u{1B}[1;31merror:\u{1B}[0m" : "error:"
    var result = "\(start)\(label) \(escapeControls(message))\n"
    if let column, let excerpt = excerpt(column: column, width: width) { result += excerpt }
    if let help { result += "help: \(escapeControls(help))\n" }
    return result
  }

  /// The physical line and a caret under the blamed characters.
  private func excerpt(column: Int, width: Int) -> String? {
    let lines = (text ?? "").split(omittingEmptySubsequences: false) { $0.isNewline }
    guard lines.indices.contains(lineOffset), !lines[lineOffset].isEmpty else { return nil }
    let characters = Array(lines[lineOffset])
    let start = min(max(0, column - 1), characters.count)
    let end = min(start + max(1, length ?? 1), max(characters.count, start + 1))
    let room = max(20, width - 2)
    var first = 0
    var last = characters.count
    if last > room {
      first = max(0, min(start - room / 4, last - room + 6))
      last = min(last, first + room - 6)
    }
    func shown(_ range: Range<Int>) -> String {
      range.isEmpty
        ? ""
        : characters[range].map { $0 == "\t" ? " " : escapeControls(String($0)) }.joined()
    }
    let lead = first > 0 ? "..." : ""
    let trail = last < characters.count ? "..." : ""
    let padding = DisplayWidth.of(lead) + DisplayWidth.of(shown(first..<max(first, start)))
    let marked = max(
      1, DisplayWidth.of(shown(start..<max(start, min(end, last)))))
    return "  \(lead)\(shown(first..<last))\(trail)\n  "
      + String(repeating: " ", count: padding) + "^"
      + String(repeating: "~", count: marked - 1) + "\n"
  }
}

extension OutputFormatter {
  /// A failure in this format: JSON for JSON, else text; see `Failure.render(json:width:color:)`.
  public func render(_ failure: Failure) -> String {
    failure.render(json: format == .json, width: width ?? 200, color: color)
  }
}
