import SwiftBoardCommandLine
import SwiftBoardJSON

/// A failure with the line that caused it.
package struct FailureReport: Sendable, Equatable {
  /// The failure.
  package var failure: Failure
  /// The location of the line, or `nil` at a prompt and for a one-shot command.
  package var location: LineLocation?
  /// The line's number for JSON, from 1, or 0 if no line is at fault.
  package var line: Int
  /// The file that `source` took the line from. Only JSON output contains it: text has it in
  /// `location`.
  package var sourcedFile: String?
  /// The line as typed, with all its physical lines.
  package var text: String?
  /// The value that the command returned despite the failure, such as the body of an error
  /// response. Only JSON output contains it.
  package var value: JSON?

  /// Creates a report.
  package init(
    _ failure: Failure, location: LineLocation? = nil, line: Int = 1, text: String? = nil,
    value: JSON? = nil
  ) {
    self.failure = failure
    self.location = location
    self.line = line
    self.text = text
    self.value = value
  }

  /// Creates a report for a line of a source.
  package init(_ failure: Failure, in line: ScriptLine?) {
    self.init(failure, location: line?.location, line: line?.location.line ?? 1, text: line?.text)
  }

  /// Shows another text in place of the line, as a whole, if it is another.
  mutating func show(_ shown: String) {
    guard shown != text else { return }
    text = shown
    (failure.column, failure.length, failure.lineOffset) = (1, shown.count, nil)
  }

  /// Returns the text for standard error, including its last newline.
  ///
  /// ```
  /// demo.sb:7:5: error: unknown db command 'pot'
  ///   db pot characters 1
  ///      ^~~
  /// help: did you mean 'put'?
  /// ```
  ///
  /// - Parameters:
  ///   - json: one line
  ///     `{"line":3,"ok":false,"code":69,"error":"connectionRefused","message":…,"hint":…}`, with
  ///     `"value":…` at its end if there is one, and `"file":…` behind the line's number if
  ///     `source` runs it.
  ///   - width: columns for the shown line. A longer line is cut around the caret.
  package func render(json: Bool = false, width: Int = 200) -> StyledText {
    if json {
      var members: [JSON.Member] = [.init("line", JSON(line &+ lineOffset))]
      if let sourcedFile { members.append(.init("file", .string(sourcedFile))) }
      members.append(.init("ok", false))
      members += failure.members
      members.append(.init("hint", failure.help.map(JSON.string) ?? .null))
      if let value { members.append(.init("value", value)) }
      return StyledText(
        escapeReplacements(JSON.object(members).description, isJSON: true) + "\n")
    }
    var start = ""
    if let location {
      start = LineLocation(location.file, line: location.line &+ lineOffset).description + ":"
      if let column = failure.column { start += "\(column):" }
      start = escapeControls(start) + " "
    }
    var result = StyledText(start)
    result.append("error:", .error)
    result.append(" \(escapeInvisible(failure.message))\n")
    if let column = failure.column, let excerpt = excerpt(column: column, width: width) {
      result += excerpt
    }
    if let help = failure.help {
      result.append("help:", .notice)
      result.append(" \(escapeInvisible(help))\n")
    }
    return result
  }

  private var lineOffset: Int { failure.lineOffset ?? 0 }

  /// Returns the physical line and a caret under the offending characters.
  private func excerpt(column: Int, width: Int) -> StyledText? {
    let lines = (text ?? "").physicalLines
    guard lines.indices.contains(lineOffset), !lines[lineOffset].isEmpty else { return nil }
    let line = lines[lineOffset]
    let available = max(20, width) - 2
    // The rest of a long line is not shown and needs not be divided into characters.
    let caret =
      line.index(line.startIndex, offsetBy: max(1, column) - 1, limitedBy: line.endIndex)
      ?? line.endIndex
    let leading = line[..<caret].suffix(available)
    let characters = Array(leading) + Array(line[caret...].prefix(available + 1))
    let shown = characters.map { $0 == "\t" ? " " : escapeInvisible(String($0)) }
    let widths = shown.map { DisplayWidth.of($0) }
    let start = leading.count
    let length = min(max(1, failure.length ?? 1), characters.count + 1)
    let end = min(start + length, max(characters.count, start + 1))
    var first = 0
    var last = characters.count
    if widths.reduce(0, +) > available || leading.startIndex > line.startIndex {
      // The rest is for the dots at both ends.
      let room = available - 6
      first = min(
        start - Self.count(of: widths[..<start].reversed(), fitting: available / 4),
        last - Self.count(of: widths.reversed(), fitting: room))
      last = first + Self.count(of: widths[first...], fitting: room)
    }
    func columns(_ range: Range<Int>) -> Int { widths[range].reduce(0, +) }
    let lead = first > 0 ? "..." : ""
    let trail = last < characters.count ? "..." : ""
    let padding = DisplayWidth.of(lead) + columns(first..<max(first, start))
    let marked = max(1, columns(start..<max(start, min(end, last))))
    var result = StyledText("  \(lead)\(shown[first..<last].joined())\(trail)\n  ")
    result.append(String(repeating: " ", count: padding))
    result.append("^" + String(repeating: "~", count: marked - 1), .error)
    result.append("\n")
    return result
  }

  /// Returns the number of leading characters that fit in `room` columns.
  private static func count(of widths: some Sequence<Int>, fitting room: Int) -> Int {
    var used = 0
    return widths.prefix { width in
      used += width
      return used <= room
    }.count
  }
}

extension OutputFormatter {
  /// Formats a failure as JSON for the JSON format, or as text. See
  /// `FailureReport.render(json:width:)`.
  package func render(_ report: FailureReport) -> StyledText {
    report.render(json: format == .json, width: width ?? 200)
  }
}
