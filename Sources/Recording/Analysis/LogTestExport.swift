import SwiftBoardJSON
import SwiftBoardStore

/// Writes a recording as a Swift Testing test: the first state, the actions with their draws, and
/// the paths that each action changes. If it changes more than 50 positions, the test has the whole
/// state.
///
/// The file imports this module and the imports of `Adapter`, and compiles in a test target of the
/// program.
public struct LogTestExport: Sendable {
  /// The program-specific parts of the test, as Swift text.
  public struct Adapter: Sendable {
    /// Lines such as `@testable import Counter`. `Testing` and the module of recordings are always
    /// imported.
    public var imports: [String]
    /// The reducer, for example `CounterReducer()`.
    public var reducer: String
    /// The dependencies of the reducer. Their generators must draw through `journal`, which is in
    /// scope.
    public var dependencies: String

    /// The `userInfo` for decoding states and actions, or `nil` for none.
    public var userInfo: String?

    /// Creates an adapter. The texts are copied unchanged.
    public init(
      imports: [String] = [], reducer: String, dependencies: String, userInfo: String? = nil
    ) {
      self.userInfo = userInfo
      self.imports = imports
      self.reducer = reducer
      self.dependencies = dependencies
    }
  }

  private let adapter: Adapter

  /// Creates an export with the texts of a program.
  public init(_ adapter: Adapter) { self.adapter = adapter }

  /// Returns the text of the file for the steps of a log, from its first one up to `last`.
  ///
  /// Visits each state and holds two states as JSON. The text is about as long as the log. A test
  /// of more than a few hundred steps is slow to compile, so pass the number of `steps` for a long
  /// recording.
  ///
  /// - Parameter transform: Returns the text of a comment, before it is shortened.
  public func text<R: Reducer>(
    of navigator: LogNavigator<R>, steps last: Int? = nil,
    mapValues transform: (JSON) -> JSON = { $0 }
  ) throws -> String where R.State: Codable, R.Action: Codable {
    let first = navigator.firstStep
    let last = min(last ?? navigator.stepCount, navigator.stepCount)
    var before = try navigator.json(at: first)
    var lines = imports
    lines += [
      "",
      "/// Exported from a recording of \(LogTestExport.comment(navigator.header.schema.description, transform)).",
      "struct RecordedTests {",
      "  @Test func theRecordingReplays() throws {",
      "    let journal = DrawJournal()",
      "    var run = try RecordedRun(",
      "      reducer: \(adapter.reducer), dependencies: \(adapter.dependencies), journal: journal,",
      "      state: \(LogTestExport.literal(canonicalText(before)))"
        + (adapter.userInfo.map { ",\n      userInfo: \($0))" } ?? ")"),
    ]
    for n in (first + 1)...max(first + 1, last) where n <= last {
      let after = try navigator.json(at: n)
      lines += step(try navigator.migratedStep(n), before, after, transform)
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
    _ migrated: (step: LogStep, action: [UInt8], effects: [LogEffect]), _ before: JSON,
    _ after: JSON, _ transform: (JSON) -> JSON
  ) -> [String] {
    let step = migrated.step
    var arguments = [LogTestExport.literal(String(decoding: migrated.action, as: UTF8.self))]
    if !step.draws.isEmpty {
      let draws = step.draws.map {
        "LoggedDraw(kind: .\($0.kind.rawValue), value: \(LogTestExport.literal($0.value)))"
      }
      arguments.append("draws: [\(draws.joined(separator: ", "))]")
    }
    if !migrated.effects.isEmpty {
      let effects = migrated.effects.map { LogTestExport.literal($0.description) }
      arguments.append("effects: [\(effects.joined(separator: ", "))]")
    }
    let changes = StateDiff.changes(before, after)
    if !changes.isTruncated {
      let pairs = changes.entries.map { change in
        "\(LogTestExport.literal(change.path)): "
          + (change.new.map { LogTestExport.literal($0.description) } ?? "nil")
      }
      arguments.append("changes: [\(pairs.isEmpty ? ":" : pairs.joined(separator: ", "))]")
    } else {
      arguments.append("state: \(LogTestExport.literal(canonicalText(after)))")
    }
    let origin = LogTestExport.comment(
      "\(LogTimeline.Source(step.origin).rawValue) \(LogTimeline.text(step.origin))", transform)
    return [
      "", "    // \(step.n): \(origin)", "    #expect(", "      try run.step(",
      "        \(arguments.joined(separator: ",\n        "))",
      "      ) == [])",
    ]
  }

  private func canonicalText(_ value: JSON) -> String {
    String(decoding: canonical(value), as: UTF8.self)
  }

  /// Returns a raw string literal with as many `#` as the text needs, or an escaped literal if the
  /// text has characters that cannot be in a line.
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
    // By scalars, since a mark that follows `#` is part of the same character.
    let scalars = Array(text.unicodeScalars)
    guard scalars.contains("\"") || scalars.contains("\\") else { return "\"\(text)\"" }
    var marks = "#"
    while ["\"", "\\"].contains(where: { scalars.contains(Array(($0 + marks).unicodeScalars)) }) {
      marks += "#"
    }
    return "\(marks)\"\(text)\"\(marks)"
  }

  /// Returns the text as one line of at most about 120 characters.
  private static func comment(_ text: String, _ transform: (JSON) -> JSON) -> String {
    shortened(transform(.string(text)).asciiText, to: 120)
  }
}
