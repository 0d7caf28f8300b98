import SwiftBoardJSON
import SwiftBoardRecording
import Testing

struct StateDiffTests {
  private func paths(_ old: JSON, _ new: JSON, limit: Int = 50) -> [String] {
    StateDiff.changedPaths(old, new, limit: limit).map(\.path)
  }

  @Test("the deepest paths are named") func theDeepestPathsAreNamed() {
    let old: JSON = ["a": ["b": [1, ["c": 2]]], "gone": 1]
    let new: JSON = ["new": 1, "a": ["b": [1, ["c": 3], 4]]]
    #expect(paths(old, new) == ["a.b[1].c", "a.b[2]", "gone", "new"])
    #expect(paths(old, old) == [])
    #expect(paths(1, 2) == ["$"])
    #expect(paths(["a": 1], ["a": [1]]) == ["a"])
  }

  @Test("another case of an enumeration is one change")
  func cases() {
    let changes = StateDiff.changedPaths(
      ["status": ["idle": [:]], "n": 1], ["status": ["shown": ["isStale": false]], "n": 1])
    #expect(
      changes.map(\.description) == [#"status: {"idle":{}} -> {"shown":{"isStale":false}}"#])
    // The whole value, and an object with other members, are compared member by member.
    #expect(paths(["a": 1], ["b": 1]) == ["a", "b"])
    #expect(paths(["o": ["a": 1, "c": 1]], ["o": ["b": 1, "c": 1]]) == ["o.a", "o.b"])
  }

  @Test("the order of members does not count") func theOrderOfMembersDoesNotCount() {
    #expect(paths(["a": 1, "b": 2], ["b": 2, "a": 1]) == [])
  }

  @Test("keys that would be misread are quoted") func keysThatWouldBeMisreadAreQuoted() {
    #expect(paths(["a.b": ["": 1]], ["a.b": ["": 2]]) == [#"["a.b"][""]"#])
  }

  @Test("the output is bounded") func theOutputIsBounded() {
    let old = JSON.array((0..<1000).map { JSON($0) })
    let new = JSON.array((0..<1000).map { JSON($0 + 1) })
    #expect(paths(old, new).count == 50)
    #expect(paths(old, new, limit: 3) == ["[0]", "[1]", "[2]"])
    let long = JSON.string(String(repeating: "x", count: 10_000))
    #expect(StateDiff.Change(path: "a", old: long, new: nil).description.count < 300)
  }
}

/// What is not compared, and what is shown of long values.
struct StateDiffPartsTests {
  private func changes(_ old: JSON, _ new: JSON, _ ignored: String...) throws -> [String] {
    StateDiff.changedPaths(
      old, new, ignoring: try ignored.map { try JSONPathPattern(parsing: $0) }
    ).map(\.description)
  }

  @Test("what a pattern leads to is not compared") func whatAPatternLeadsToIsNotCompared() throws {
    #expect(try changes(["a": 1, "b": 2], ["a": 2, "b": 3]) == ["a: 1 -> 2", "b: 2 -> 3"])
    #expect(try changes(["a": 1, "b": 2], ["a": 2, "b": 3], "a") == ["b: 2 -> 3"])
    #expect(try changes(["a": 1, "b": 2], ["a": 2, "b": 3], "*") == [])
    #expect(try changes(["a": ["x": 1]], ["a": ["x": 2]], "a.y", "b.x", "x", "a.x.y").count == 1)
    #expect(try changes(["a": ["x": 1]], ["a": ["x": 2]], "*.x") == [])
    #expect(try changes(["a": [1, 2]], ["a": [3, 4]], "a[1]") == ["a[0]: 1 -> 3"])
    #expect(try changes(["a": [1, 2]], ["a": [3, 4]], "a[*]") == [])
  }

  @Test("whether an ignored path is there makes no difference")
  func whetherItIsThereMakesNoDifference() throws {
    #expect(try changes(["a": 1], ["a": 1, "b": 2], "b") == [])
    #expect(try changes(["a": 1, "b": 2], ["a": 1], "b") == [])
    #expect(try changes(["a": [1]], ["a": [1, 2]], "a[*]") == [])
  }

  @Test("elements that are left out move no others") func elementsThatAreLeftOutMoveNoOthers()
    throws
  {
    func headers(_ names: String...) -> JSON {
      ["h": .array(names.map { ["name": .string($0), "value": .string($0 + "!")] })]
    }
    let old = headers("Age", "Kind", "Last")
    #expect(try changes(old, headers("Kind", "Last"), "h[name=age]") == [])
    #expect(try changes(old, headers("Kind", "AGE", "Last"), "h[name=age]") == [])
    #expect(
      try changes(old, headers("Kind", "Other"), "h[name=age]")
        == ["h[2].name: \"Last\" -> \"Other\"", "h[2].value: \"Last!\" -> \"Other!\""])
    #expect(try changes(old, headers("Kind", "Other"), "h[name=age]", "h[2]").count == 1)
  }

  @Test("long texts are cut around their difference") func longTextsAreCutAroundTheirDifference() {
    let long = String(repeating: "ü", count: 100)
    let (old, new) = StateDiff.excerpts(long + "1" + long, long + "2" + long, limit: 40)
    #expect(old == "...üüüüü1üüüüüüüüüüüüüüü... (401 bytes)")
    #expect(new == "...üüüüü2üüüüüüüüüüüüüüü... (401 bytes)")
  }

  @Test("whatever the length the difference is shown", arguments: [1, 2, 3, 5, 8, 13, 40, 400])
  func whateverTheLengthTheDifferenceIsShown(limit: Int) {
    for place in stride(from: 0, through: 60, by: 7) {
      let front = String(repeating: "é", count: place)
      let back = String(repeating: "z", count: 60 - place)
      let (old, new) = StateDiff.excerpts(front + "A" + back, front + "B" + back, limit: limit)
      #expect(old.contains("A") && new.contains("B"), "\(limit), \(place): \(old), \(new)")
      #expect(!old.contains("\u{FFFD}") && !new.contains("\u{FFFD}"))
    }
  }

  @Test("short texts and single ones are shown from their beginning")
  func shortTextsAndSingleOnesAreShownFromTheirBeginning() {
    #expect(StateDiff.excerpts("a", "b", limit: 10) == ("a", "b"))
    #expect(StateDiff.excerpts("a", nil, limit: 10) == ("a", "nothing"))
    #expect(
      StateDiff.excerpts(nil, "abcdefgh", limit: 4) == ("nothing", "abcd... (8 bytes)")
    )
    // One that only goes on is cut where the other ends.
    let (old, new) = StateDiff.excerpts("abcdefgh", "abcdefghijklmnop", limit: 8)
    #expect(old == "abcdefgh" && new == "...ghijklmn... (16 bytes)")
  }
}
