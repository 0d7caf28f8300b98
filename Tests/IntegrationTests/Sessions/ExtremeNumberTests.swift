import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardTestSupport
import Testing

/// Recordings with numbers that no program has written.
@Suite("extreme numbers in a recording")
struct ExtremeNumberTests {
  private typealias Steps = [JSONPath.Step]

  /// Returns the steps to each whole number in a value.
  private static func numbers(in value: JSON) -> [Steps] {
    switch value {
    case .number(let text): Int(text) == nil ? [] : [[]]
    case .array(let elements):
      elements.enumerated().flatMap { index, element in
        numbers(in: element).map { [.index(index)] + $0 }
      }
    case .object(let members):
      members.flatMap { member in numbers(in: member.value).map { [.key(member.key)] + $0 } }
    case .null, .bool, .string: []
    }
  }

  private static func replacing(_ steps: Steps, in value: JSON, with number: Int) -> JSON {
    var value = value
    switch steps.first {
    case nil: return .number(String(number))
    case .key(let key):
      value[key] = value[key].map { replacing(Array(steps.dropFirst()), in: $0, with: number) }
    case .index(let index):
      value[index] = value[index].map { replacing(Array(steps.dropFirst()), in: $0, with: number) }
    }
    return value
  }

  /// Returns a line of a recording without the digest of a step, and with that of a header's state.
  private static func line(_ value: JSON) -> String {
    var value = value
    let state = value["state"]
    if value["digest"] != nil {
      value["digest"] = state.map { .string("\(Digest(of: $0.text.utf8))") }
    }
    return value.text
  }

  /// Replays a recording with each of its numbers changed, one number of each name.
  private static func expectEnds(
    _ program: Program, of recording: String, isTerminal: Bool = false, with number: Int
  ) async throws -> Int {
    var values = try recording.split(separator: "\n").map { try JSON(parsing: String($0)) }
      .filter { $0["k"] != .string("end") && $0["k"] != .string("state") }
    if isTerminal {
      values[0]["state"]?["settings"]?["isTerminal"] = .bool(true)
      values[0]["state"]?["settings"]?["width"] = .number("120")
    }
    let lines = values.map(line)
    var known: Set<String> = []
    var changes: [(title: String, lines: [String])] = []
    for (index, value) in values.enumerated() {
      for steps in numbers(in: value) {
        let keys = steps.map { if case .key(let key) = $0 { key } else { "*" } }
        let name = keys.joined(separator: ".")
        guard ["action", "state"].contains(keys[0]), known.insert(name).inserted else { continue }
        var changed = lines
        changed[index] = line(replacing(steps, in: value, with: number))
        let title = "\(name) of line \(index + 1)"
        changes.append((title, changed))
      }
    }
    // A recording of a pipe has no width.
    var header = values[0]
    header["state"]?["settings"]?["width"] = .number(String(number))
    let wide = [line(header)] + lines.dropFirst()
    changes.append(("width", wide))
    // Several for each process: its start takes longer than a replay.
    while !changes.isEmpty {
      try await expectEnd(program, of: Array(changes.prefix(16)), "replay", "--accept-risk")
      changes.removeFirst(min(16, changes.count))
    }
    try await expectEnd(program, of: [("width", wide)], "screenshot")
    return known.count
  }

  private static func expectEnd(
    _ program: Program, of changes: [(title: String, lines: [String])], _ command: String,
    _ options: String...
  ) async throws {
    var arguments = ["--json", "-k"]
    for (index, change) in changes.enumerated() {
      try program.folder.write(resealed(change.lines.joined(separator: "\n")), to: "\(index).jsonl")
      arguments += [
        "-c", (["session", command, "\(index).jsonl"] + options).joined(separator: " "),
      ]
    }
    let ended = try await program.run(arguments)
    let isEnd = [0, 1, 65].contains { ended.status == .exited($0) }
    #expect(
      isEnd, "\(changes.map(\.title)), \(command): \(ended.status), \(ended.errorText)")
    // The exit code is that of the first line that failed.
    for line in ended.errorText.split(separator: "\n") {
      let code = try JSON(parsing: String(line))["code"]?.text
      #expect(["1", "65", nil].contains(code), "\(line)")
    }
  }

  @Test("each one of an earlier recording is a value or an error", arguments: [Int.max, .min])
  func earlier(number: Int) async throws {
    let recording = try SourceTree.text("Tests/IntegrationTests/Recordings/places.actions.jsonl")
    #expect(try await Self.expectEnds(Program(), of: recording, with: number) > 100)
  }

  @Test(
    "each one of a recording of a terminal with other features too", arguments: [Int.max, .min])
  func present(number: Int) async throws {
    let program = try Program()
    let lines = [
      "media queue films", "media calendar films --days 3",
      "media add films tmdb:201 --pick 1 --profile hd-1080p",
      "downloads list sab", "downloads pause sab", "history", "frob \\\n nothing",
      "session timeline", "session bisect r.jsonl --assert 'db.writes < 0'",
      "characters show 1 --retry 1", "watch --count 2 1ms echo a", "log stats", "api stats",
    ]
    let recorded = try await program.run(
      ["--environment", "preview", "-k", "--record", "r.jsonl"] + lines.flatMap { ["-c", $0] })
    guard case .exited = recorded.status else {
      Issue.record("\(recorded.status)")
      return
    }
    let recording = try program.text("r.jsonl")
    #expect(try await Self.expectEnds(program, of: recording, isTerminal: true, with: number) > 50)
  }
}
