import SwiftBoardJSON
import Testing

@testable import SwiftBoardRecording

struct StateDiffTests {
  private func paths(_ old: JSON, _ new: JSON, limit: Int = 50) -> [String] {
    StateDiff.changedPaths(old, new, limit: limit).map(\.path)
  }

  @Test func theDeepestPathsAreNamed() {
    let old: JSON = ["a": ["b": [1, ["c": 2]]], "gone": 1]
    let new: JSON = ["new": 1, "a": ["b": [1, ["c": 3], 4]]]
    #expect(paths(old, new) == ["a.b[1].c", "a.b[2]", "gone", "new"])
    #expect(paths(old, old) == [])
    #expect(paths(1, 2) == ["$"])
    #expect(paths(["a": 1], ["a": [1]]) == ["a"])
  }

  @Test func theOrderOfMembersDoesNotCount() {
    #expect(paths(["a": 1, "b": 2], ["b": 2, "a": 1]) == [])
  }

  @Test func keysThatWouldBeMisreadAreQuoted() {
    #expect(paths(["a.b": ["": 1]], ["a.b": ["": 2]]) == [#"["a.b"][""]"#])
  }

  @Test func theOutputIsBounded() {
    let old = JSON.array((0..<1000).map { JSON($0) })
    let new = JSON.array((0..<1000).map { JSON($0 + 1) })
    #expect(paths(old, new).count == 50)
    #expect(paths(old, new, limit: 3) == ["[0]", "[1]", "[2]"])
    let long = JSON.string(String(repeating: "x", count: 10_000))
    #expect(StateDiff.Change(path: "a", old: long, new: nil).description.count < 300)
  }
}
