import SwiftBoardJSON
import Testing

/// A value that encodes itself by a closure: what people write by hand, order and detours included.
private struct ByHand: Encodable {
  let body: (any Encoder) throws -> Void
  func encode(to encoder: any Encoder) throws { try body(encoder) }
}

private struct Key: CodingKey, ExpressibleByStringLiteral {
  var stringValue: String
  var intValue: Int? { nil }
  init(stringLiteral value: String) { stringValue = value }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// The date has no text.
private struct Failing: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(1, forKey: "started")
    throw Failure()
  }
}

private struct Failure: Error {}

@Suite struct ContainerTests {
  private func encoded(_ body: @escaping (any Encoder) throws -> Void) throws -> String {
    let alone = try canonical(ByHand(body: body))
    let inside = try canonical(["x": [ByHand(body: body), ByHand(body: body)]])
    #expect(inside == "{\"x\":[\(alone),\(alone)]}")
    return alone
  }

  @Test("containers may be filled in turns") func containersInTurns() throws {
    let text = try encoded { encoder in
      var outer = encoder.container(keyedBy: Key.self)
      var left = outer.nestedContainer(keyedBy: Key.self, forKey: "left")
      var right = outer.nestedUnkeyedContainer(forKey: "right")
      try left.encode(1, forKey: "b")
      try right.encode(Set([3, 2]))
      try outer.encode("middle", forKey: "middle")
      try left.encode(["k": 2], forKey: "a")
      try right.encodeNil()
      var deep = right.nestedContainer(keyedBy: Key.self)
      try left.encodeNil(forKey: "c")
      try deep.encode(1.5, forKey: "d")
    }
    #expect(
      text
        == #"{"left":{"a":{"k":2},"b":1,"c":null},"middle":"middle","right":[[2,3],null,{"d":1.5}]}"#
    )
  }

  @Test("a super encoder may be used late") func superEncoderUsedLate() throws {
    let text = try encoded { encoder in
      var container = encoder.container(keyedBy: Key.self)
      let parent = container.superEncoder()
      let other = container.superEncoder(forKey: "other")
      try container.encode(1, forKey: "own")
      var single = other.singleValueContainer()
      try single.encode("late")
      try [2, 1].encode(to: parent)
    }
    #expect(text == #"{"other":"late","own":1,"super":[2,1]}"#)
  }

  @Test("the same container may be asked for twice") func sameContainerTwice() throws {
    let text = try encoded { encoder in
      var first = encoder.container(keyedBy: Key.self)
      try first.encode(2, forKey: "b")
      var second = encoder.container(keyedBy: Key.self)
      try second.encode(1, forKey: "a")
      try first.encode(3, forKey: "c")
    }
    #expect(text == #"{"a":1,"b":2,"c":3}"#)
  }

  @Test("the same nested key may be asked for twice") func sameNestedKeyTwice() throws {
    let text = try encoded { encoder in
      var container = encoder.container(keyedBy: Key.self)
      var first = container.nestedContainer(keyedBy: Key.self, forKey: "n")
      try first.encode(1, forKey: "a")
      var second = container.nestedContainer(keyedBy: Key.self, forKey: "n")
      try second.encode(2, forKey: "b")
    }
    #expect(text == #"{"n":{"a":1,"b":2}}"#)
  }

  @Test("last of equal keys counts") func lastOfEqualKeysCounts() throws {
    let text = try encoded { encoder in
      var container = encoder.container(keyedBy: Key.self)
      for (key, value) in [("b", 1), ("a", 2), ("b", 3), ("c", 4), ("b", 5), ("a", 6)] {
        try container.encode(value, forKey: Key(stringValue: key))
      }
    }
    #expect(text == #"{"a":6,"b":5,"c":4}"#)
  }

  @Test("nothing is an empty object inside") func nothingIsAnEmptyObjectInside() throws {
    #expect(try canonical([ByHand { _ in }]) == "[{}]")
    #expect(throws: EncodingError.self) { try canonical(ByHand { _ in }) }
    #expect(try encoded { _ = $0.container(keyedBy: Key.self) } == "{}")
    #expect(try encoded { _ = $0.unkeyedContainer() } == "[]")
  }

  @Test("value that fails leaves nothing") func valueThatFailsLeavesNothing() throws {
    let text = try encoded { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(1, forKey: "b")
      #expect(throws: Failure.self) { try container.encode(Failing(), forKey: "a") }
      var list = container.nestedUnkeyedContainer(forKey: "l")
      #expect(throws: Failure.self) { try list.encode(Failing()) }
      try list.encode(2)
      #expect(throws: Failure.self) { try list.encode([["k": Failing()]]) }
      try list.encode(3)
      #expect(list.count == 2)
    }
    #expect(text == #"{"b":1,"l":[2,3]}"#)
    // The same while containers are used in turns.
    let turns = try encoded { encoder in
      var container = encoder.container(keyedBy: Key.self)
      var list = container.nestedUnkeyedContainer(forKey: "l")
      try container.encode(1, forKey: "b")
      // A first run that turns out to need links ends at once, by an error of its own.
      #expect(throws: (any Error).self) { try list.encode(Failing()) }
      try list.encode(2)
      #expect(throws: (any Error).self) { try container.encode(["k": Failing()], forKey: "a") }
    }
    #expect(turns == #"{"b":1,"l":[2]}"#)
  }

  @Test("two forms are an error") func twoFormsAreAnError() throws {
    #expect(throws: EncodingError.self) {
      try canonical(
        ByHand { encoder in
          _ = encoder.container(keyedBy: Key.self)
          _ = encoder.unkeyedContainer()
        })
    }
    #expect(throws: EncodingError.self) {
      try canonical(
        ByHand { encoder in
          var single = encoder.singleValueContainer()
          try single.encode(1)
          try single.encode(2)
        })
    }
  }

  @Test("paths are told while encoding") func pathsWhileEncoding() throws {
    var paths: [[String]] = []
    let spy = ByHand { encoder in
      paths.append(encoder.codingPath.map(\.stringValue))
      var container = encoder.container(keyedBy: Key.self)
      let nested = container.nestedContainer(keyedBy: Key.self, forKey: "n\n")
      paths.append(nested.codingPath.map(\.stringValue))
    }
    _ = try canonical(["a": [1: [spy, spy]]])
    #expect(
      paths == [
        ["a", "1", "Index 0"], ["a", "1", "Index 0", "n\n"], ["a", "1", "Index 1"],
        ["a", "1", "Index 1", "n\n"],
      ])
  }

  @Test("a container that outlives its encoding writes nothing into another")
  func containerThatOutlivesItsEncoding() throws {
    final class Thief: Encodable {
      nonisolated(unsafe) var stolen: KeyedEncodingContainer<Key>?  // used on one thread only
      func encode(to encoder: any Encoder) throws {
        stolen = encoder.container(keyedBy: Key.self)
        try stolen?.encode(1, forKey: "a")
      }
    }
    let thief = Thief()
    #expect(try canonical(thief) == #"{"a":1}"#)
    #expect(throws: EncodingError.self) { try thief.stolen?.encode(["x": 2], forKey: "b") }
    try thief.stolen?.encode(2, forKey: "b")
    _ = thief.stolen?.nestedUnkeyedContainer(forKey: "c")
    _ = thief.stolen?.superEncoder()
    #expect(try canonical([thief, thief]) == #"[{"a":1},{"a":1}]"#)
  }
}
