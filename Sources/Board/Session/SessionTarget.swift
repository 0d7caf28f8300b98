import SwiftBoardCommandLine
import SwiftBoardRecording

/// A reference to a step, as typed: `12`, `@before-login`, `-1`, `+1`, `end`.
public struct SessionTarget: RawRepresentable, Codable, Sendable, Equatable {
  enum Kind: Equatable {
    case step(Int)
    case relative(Int)
    case mark(String)
    case end
  }

  /// The text as typed.
  public let rawValue: String
  let kind: Kind

  /// Parses `12`, `+1`, `-1`, `@NAME` or `end`. Returns `nil` for anything else. Does not check
  /// whether the step exists.
  public init?(rawValue: String) {
    guard let kind = SessionTarget.kind(rawValue) else { return nil }
    self.rawValue = rawValue
    self.kind = kind
  }

  private static func kind(_ text: String) -> Kind? {
    if text == "end" { return .end }
    if text.hasPrefix("@") { return text.count > 1 ? .mark(String(text.dropFirst())) : nil }
    guard let number = Int(text) else { return nil }
    return text.hasPrefix("+") || text.hasPrefix("-") ? .relative(number) : .step(number)
  }

  /// Returns the number of the step. The caller checks whether the recording has that step.
  ///
  /// - Parameters:
  ///   - here: The step that a relative target counts from.
  ///   - end: The last step of the recording.
  ///   - mark: Returns the step of a mark.
  func step(
    from here: Int, end: Int, mark: (String) throws -> Int
  ) rethrows -> Int {
    switch kind {
    case .step(let step): step
    case .relative(let difference): here.addingReportingOverflow(difference).partialValue
    case .mark(let name): try mark(name)
    case .end: end
    }
  }
}

extension Invocation {
  /// Parses an argument or option that names a step.
  func target(_ name: String) throws(UsageError) -> SessionTarget? {
    guard let argument = option(name) ?? argument(name) else { return nil }
    let text = try plain(argument, "session")
    guard let target = SessionTarget(rawValue: text) else {
      throw UsageError(
        "'\(text)' names no step",
        help: adviceForRecording(text, home: argument.home)
          ?? "a step is a number, @MARK, -1, +1 or end", at: argument)
    }
    return target
  }

  func requiredTarget(_ name: String) throws(UsageError) -> SessionTarget {
    guard let target = try target(name) else { throw error("\(name) is missing") }
    return target
  }

  /// Returns the line that was meant if a recording, as `FILE` or `FILE@STEP`, is in the place of a
  /// step; `nil` if the text names none.
  ///
  /// - Parameter home: See `Argument.home`.
  private func adviceForRecording(_ text: String, home: String?) -> String? {
    var (file, step) = (text, "STEP")
    if let mark = text.lastIndex(of: "@"), mark > text.startIndex,
      mark < text.index(before: text.endIndex)
    {
      let rest = String(text[text.index(after: mark)...])
      file = String(text[..<mark])
      step = SessionTarget(rawValue: rest) == nil ? "@" + rest : rest
    } else if Double(text) != nil || !text.contains(where: { "./".contains($0) }) {
      return nil
    } else if let next = argument("to")?.text, SessionTarget(rawValue: next) != nil {
      step = next
    }
    let words: [String]
    switch path.last {
    case "fork": words = ["fork", step, "--file", file]
    case "action": words = ["action", file, step]
    case "state", "goto": words = ["state", "--at", step, "--file", file]
    default: return nil
    }
    let line = LineParser.line(
      of: (["session"] + words).map { word in
        var argument = Argument(word)
        argument.home = home
        return argument
      })
    return (path.last == "goto" ? "goto looks at the running recording; " : "")
      + "did you mean '\(line)'?"
  }

  /// Parses the option `--range`.
  func range() throws(UsageError) -> SessionRange? {
    guard let argument = option("range") else { return nil }
    let text = try plain(argument, "session")
    guard let range = SessionRange(parsing: text) else {
      throw UsageError(
        "'\(text)' is not a range of steps", help: "for example 3..9, 3.. or ..9", at: argument)
    }
    return range
  }
}
