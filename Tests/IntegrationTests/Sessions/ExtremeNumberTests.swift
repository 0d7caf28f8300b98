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

  @Test("each one is a value or an error", arguments: [Int.max, .min])
  func extremes(number: Int) async throws {
    let program = try Program()
    let values = try SourceTree.text("Tests/IntegrationTests/Recordings/places.actions.jsonl")
      .split(separator: "\n").map { try JSON(parsing: String($0)) }
      .filter { $0["k"] != .string("end") && $0["k"] != .string("state") }
    let lines = values.map(Self.line)
    var known: Set<String> = []
    for (index, value) in values.enumerated() {
      for steps in Self.numbers(in: value) {
        let keys = steps.map { if case .key(let key) = $0 { key } else { "*" } }
        let name = keys.joined(separator: ".")
        guard ["action", "state"].contains(keys[0]), known.insert(name).inserted else { continue }
        var changed = lines
        changed[index] = Self.line(Self.replacing(steps, in: value, with: number))
        try program.folder.write(resealed(changed.joined(separator: "\n")), to: "n.jsonl")
        let replayed = try await program.run("session", "replay", "--accept-risk", "n.jsonl")
        let isEnd = [0, 1, 65].contains { replayed.status == .exited($0) }
        #expect(isEnd, "\(name) of line \(index + 1): \(replayed.status), \(replayed.errorText)")
      }
    }
    #expect(known.count > 100)
  }
}
