import SwiftBoardJSON
import Testing

struct EditingTests {
  private static let sample: JSON = [
    "a": ["b": 1, "c": [10, ["d": 20], 30]], "t": "text", "n": nil,
  ]

  @Test("members are replaced, added and removed") func membersAreReplacedAddedAndRemoved() {
    var json = Self.sample
    json["a"]["b"] = 2
    json["a"]["e"] = ["f": true]
    json["a"]["e"]["g"] = .null
    json["t"] = nil
    #expect(
      json == [
        "a": ["b": 2, "c": [10, ["d": 20], 30], "e": ["f": true, "g": nil]], "n": nil,
      ])
    json["n"] = "new"
    #expect(json.members?.map(\.key) == ["a", "n"])
    #expect(json["n"] == "new")
  }

  @Test("elements are replaced and removed") func elementsAreReplacedAndRemoved() {
    var json = Self.sample
    json["a"]["c"][1]["d"] = 21
    json["a"]["c"][0] = "ten"
    json["a"]["c"][2] = nil
    #expect(json["a"]["c"] == ["ten", ["d": 21]])
  }

  @Test("changing in place reaches the value") func changingInPlaceReachesTheValue() {
    var json = Self.sample
    if let count = json["a"]["b"]?.intValue { json["a"]["b"] = JSON(count + 1) }
    json["a"]?["b"]?.rename("x", to: "y")
    #expect(json["a"]["b"] == 2)
    #expect(json["a"]["b"]["c"] == nil)
  }

  @Test("what does not fit changes nothing") func whatDoesNotFitChangesNothing() {
    var json = Self.sample
    json["missing"]["b"] = 1
    json["missing"]?["b"] = 1
    json["missing"] = nil
    json["missing"]["b"]["c"] = nil
    json["t"]["b"] = 1
    json["n"]["b"] = 1
    json["a"]["b"]["c"] = 1
    json["a"][0] = 1
    json["a"]["c"]["key"] = 1
    for index in [-1, 3, .max, .min] {
      json["a"]["c"][index] = 1
      json["a"]["c"][index] = nil
      json["a"]["c"][index]["d"] = 1
    }
    json[0] = 1
    #expect(json == Self.sample)

    for value in [.null, true, 1, "text"] as [JSON] {
      var copy = value
      copy["a"] = 1
      copy["a"]["b"] = 1
      copy[0] = 1
      copy.rename("a", to: "b")
      #expect(copy == value)
    }
  }

  @Test("of equal keys the last is changed and all are removed")
  func ofEqualKeysTheLastIsChangedAndAllAreRemoved() {
    var json = JSON.object([.init("k", 1), .init("x", 0), .init("k", 2)])
    json["k"] = 3
    #expect(json == .object([.init("k", 1), .init("x", 0), .init("k", 3)]))
    json["k"] = nil
    #expect(json == ["x": 0])
  }

  @Test("keys are their bytes") func keysAreTheirBytes() {
    // One letter in two spellings, which are equal as `String`.
    var json: JSON = ["\u{E9}": 1]
    json["e\u{301}"] = 2
    #expect(json.members?.count == 2)
    #expect(json.rename("e\u{301}", to: "e") == 1)
    #expect(json == ["\u{E9}": 1, "e": 2])
  }

  @Test("the original stays as it is") func theOriginalStaysAsItIs() {
    let before = Self.sample
    var json = before
    json["a"]["c"][1]["d"] = 21
    #expect(before["a"]["c"][1]["d"] == 20)
    #expect(json["a"]["c"][1]["d"] == 21)
  }

  @Test("members are renamed in their place") func membersAreRenamedInTheirPlace() throws {
    var json = Self.sample
    #expect(json.rename("t", to: "u") == 1)
    #expect(json.members?.map(\.key) == ["a", "u", "n"])
    #expect(try json.rename("c", to: "list", at: "a") == 1)
    #expect(try json.rename("d", to: "e", at: "a.list[1]") == 1)
    #expect(json["a"] == ["b": 1, "list": [10, ["e": 20], 30]])
  }

  @Test("wildcards rename everywhere") func wildcardsRenameEverywhere() throws {
    var json: JSON = [
      "rows": [["id": 1, "cents": 2], ["id": 2], "odd", ["id": 3, "cents": 4]],
      "more": ["x": ["cents": 5]],
    ]
    #expect(try json.rename("cents", to: "amount", at: "rows[*]") == 2)
    #expect(try json.rename("cents", to: "amount", at: "more.*") == 1)
    #expect(
      json == [
        "rows": [["id": 1, "amount": 2], ["id": 2], "odd", ["id": 3, "amount": 4]],
        "more": ["x": ["amount": 5]],
      ])
    var headers: JSON = [["name": "Date", "value": 1], ["name": "Age", "value": 2]]
    #expect(try headers.rename("value", to: "text", at: "[name=date]") == 1)
    #expect(headers == [["name": "Date", "text": 1], ["name": "Age", "value": 2]])
  }

  @Test("a renaming that does not fit changes nothing") func aRenamingThatDoesNotFitChangesNothing()
    throws
  {
    var json = Self.sample
    #expect(json.rename("missing", to: "x") == 0)
    // A member of the new key is there: one of the two would be lost.
    #expect(json.rename("a", to: "t") == 0)
    #expect(json.rename("a", to: "a") == 0)
    for path in ["missing", "t", "n", "a.b", "a.c", "a.c[9]", "a.c[0]", "missing[*].x", "*.*.*.*"] {
      #expect(try json.rename("b", to: "x", at: path) == 0)
    }
    #expect(json == Self.sample)
    #expect(throws: JSONPathError.self) { try json.rename("a", to: "x", at: "a..b") }
    #expect(json == Self.sample)
  }
}
