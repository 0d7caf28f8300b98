import SwiftBoardJSON
import SwiftBoardStore

/// Writes a recording as a Swift file with a test for Swift Testing: the first state, the actions
/// and what they drew, and after each what had changed.
///
/// The file imports this module and what `Adapter` names, and compiles in a test target of the
/// program.
public struct LogTestExport: Sendable {
  /// What a program must say about itself, as Swift text.
  public struct Adapter: Sendable {
    /// Lines such as `@testable import Counter`; `Testing` and the module of recordings are
    /// imported anyway.
    public var imports: [String]
    /// The reducer, for example `CounterReducer()`.
    public var reducer: String
    /// Its dependencies. `journal` is in scope, and their generators must draw through it.
    public var dependencies: String

    /// What states and actions are decoded with besides; nil: nothing.
    public var userInfo: String?

    /// Swift text, taken over as it is.
    public init(
      imports: [String] = [], reducer: String, dependencies: String, userInfo: String? = nil
    ) {
      self.userInfo = userInfo
      self.imports = imports
      self.reducer = reducer
      self.dependencies = dependencies
    }
  }

  /// What is asserted after a step.
  public enum Assertion: Sendable, Hashable {
    /// The paths that the step changed. Short, and says what the step is for; a step that changes
    /// more than 50 positions asserts the whole state.
    case changes
    /// The whole state, each so-many-th step and after the last one.
    case states(every: Int)
  }

  private let adapter: Adapter
  private let assertion: Assertion
  private let suite: String
  private let test: String

  /// - Parameters:
  ///   - suite: The name of the type, an identifier; other characters are left out.
  ///   - test: The name of the test function, likewise.
  public init(
    _ adapter: Adapter, suite: String = "RecordedTests", test: String = "theRecordingReplays",
    asserting assertion: Assertion = .changes
  ) {
    self.adapter = adapter
    self.assertion = assertion
    self.suite = LogTestExport.identifier(suite, or: "RecordedTests")
    self.test = LogTestExport.identifier(test, or: "theRecordingReplays")
  }

  /// The file's text for the steps of a log up to `last`, from the first that is there.
  ///
  /// Cost: a visit of each state and two states as JSON. The text is as long as the log, more or
  /// less; a test of more than a few hundred steps takes the compiler long, so fork or cut a long
  /// recording first.
  public func text<R: Reducer>(
    of navigator: LogNavigator<R>, steps last: Int? = nil
  ) throws -> String where R.State: Codable, R.Action: Codable {
    let last = min(last ?? navigator.stepCount, navigator.stepCount)
    var lines = imports
    lines += [
      "",
      "/// Exported from a recording of \(LogTestExport.comment(navigator.header.schema.description)).",
      "struct \(suite) {",
      "  @Test func \(test)() throws {",
      "    let journal = DrawJournal()",
      "    var run = try RecordedRun(",
      "      reducer: \(adapter.reducer), dependencies: \(adapter.dependencies), journal: journal,",
      "      state: \(LogTestExport.literal(canonicalText(navigator.header.state)))"
        + (adapter.userInfo.map { ",\n      userInfo: \($0))" } ?? ")"),
    ]
    let first = navigator.firstStep
    var before = try navigator.json(at: first)
    for n in (first + 1)...max(first + 1, last) where n <= last {
      let after = try navigator.json(at: n)
      lines += step(try navigator.step(n), before, after, isLast: n == last)
      before = after
    }
    if last <= first { lines.append("    _ = run") }
    return (lines + ["  }", "}"]).map { $0 + "\n" }.joined()
  }

  private var imports: [String] {
    let own = ["import SwiftBoardRecording", "import Testing"]
    func module(_ line: String) -> Substring { line.split(separator: " ").last ?? "" }
    let plain = Set(own + adapter.imports.filter { $0.hasPrefix("import ") })
    let others = adapter.imports.filter { !$0.hasPrefix("import ") }
    return plain.sorted { module($0) < module($1) } + (others.isEmpty ? [] : [""] + others)
  }

  private func step(
    _ step: LogStep, _ before: JSON, _ after: JSON, isLast: Bool
  ) -> [String] {
    var arguments = [LogTestExport.literal(String(decoding: step.actionBytes, as: UTF8.self))]
    if !step.draws.isEmpty {
      let draws = step.draws.map {
        "LoggedDraw(kind: .\($0.kind.rawValue), value: \(LogTestExport.literal($0.value)))"
      }
      arguments.append("draws: [\(draws.joined(separator: ", "))]")
    }
    if !step.effects.isEmpty {
      let effects = step.effects.map { LogTestExport.literal($0.description) }
      arguments.append("effects: [\(effects.joined(separator: ", "))]")
    }
    let changes = StateDiff.changes(before, after)
    switch assertion {
    case .changes where !changes.isTruncated:
      let pairs = changes.entries.map { change in
        "\(LogTestExport.literal(change.path)): "
          + (change.new.map { LogTestExport.literal(compactText($0)) } ?? "nil")
      }
      arguments.append("changes: [\(pairs.isEmpty ? ":" : pairs.joined(separator: ", "))]")
    case .states(let every) where !isLast && !step.n.isMultiple(of: max(1, every)): break
    case .changes, .states:
      arguments.append("state: \(LogTestExport.literal(canonicalText(after)))")
    }
    let origin = LogTestExport.comment(
      "\(LogTimeline.Source(step.origin).rawValue) \(LogTimeline.text(step.origin))")
    return [
      "", "    // \(step.n): \(origin)", "    #expect(", "      try run.step(",
      "        \(arguments.joined(separator: ",\n        "))",
      "      ) == [])",
    ]
  }

  private func canonicalText(_ value: JSON) -> String {
    String(decoding: canonical(value), as: UTF8.self)
  }

  /// A raw string literal with as many `#` as the text needs; an escaped one where the text has
  /// what a line cannot.
  static func literal(_ text: String) -> String {
    if text.unicodeScalars.contains(where: {
      $0.value < 0x20 || $0.value == 0x7F || (0x80...0x9F).contains($0.value)
        || (0x2028...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value)
    }) {
      var escaped = "\""
      for scalar in text.unicodeScalars {
        escaped +=
          scalar == "\"" || scalar == "\\"
          ? "\\\(scalar)"
          : scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F
            ? "\(scalar)" : "\\u{\(String(scalar.value, radix: 16))}"
      }
      return escaped + "\""
    }
    guard text.contains("\"") || text.contains("\\") else { return "\"\(text)\"" }
    var marks = "#"
    while text.contains("\"" + marks) || text.contains("\\" + marks) { marks += "#" }
    return "\(marks)\"\(text)\"\(marks)"
  }

  /// One line that ends where it should.
  private static func comment(_ text: String) -> String {
    shortened(JSON.string(text).asciiText, to: 120)
  }

  private static func identifier(_ text: String, or fallback: String) -> String {
    let kept = String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { scalar in
          scalar.isASCII
            && (scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        }))
    guard let first = kept.unicodeScalars.first, !("0"..."9").contains(first) else {
      return fallback
    }
    return kept
  }
}
