import Foundation
import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Differences of values")
struct DifferenceTests {
  struct Place: Sendable, Equatable { var street: String; var number: Int }
  struct Person: Sendable, Equatable {
    var name: String
    var home: Place?
    var tags: Set<String> = []
    var scores: [String: Int] = [:]
    var friends: [Place] = []
    var mood = Mood.calm
  }
  enum Mood: Sendable, Equatable { case calm, angry(at: String, degree: Int), odd(Int) }
  struct Temperature: Sendable, Equatable, CustomStringConvertible {
    var degrees: Double
    var description: String { "\(degrees)°" }
  }

  let rick = Person(name: "Rick", home: Place(street: "Lane", number: 3))

  func diff(_ change: (inout Person) -> Void) -> String? {
    var other = rick
    change(&other)
    return differenceText(of: rick, and: other)
  }

  @Test("equal values have none")
  func equal() {
    #expect(diff { _ in } == nil)
    #expect(differenceText(of: 1, and: 1) == nil)
  }

  @Test("leaves")
  func leaves() {
    #expect(differenceText(of: 1, and: 2) == "- 1\n+ 2")
    #expect(differenceText(of: "a\nb", and: "a") == "- \"a\\nb\"\n+ \"a\"")
    #expect(differenceText(of: Optional(1), and: nil) == "- 1\n+ nil")
  }

  @Test("bytes are compared and shown as such, not by their addresses")
  func bytes() {
    struct Stored { var data: Data; let change: () -> Void = {} }
    let bytes = Data(repeating: 7, count: 100)
    let copy = Data([UInt8](bytes))
    #expect(differenceText(of: Stored(data: bytes), and: Stored(data: copy)) == nil)
    var other = copy
    other[99] = 255
    #expect(
      differenceText(of: bytes, and: other)?.contains("-   07 07 07 07\n+   07 07 07 ff") == true,
      "\(differenceText(of: bytes, and: other) ?? "none")")
  }

  @Test("a field deep inside")
  func deep() {
    #expect(
      diff { $0.home?.number = 4 } == """
          Person(
            … (1 unchanged)
            home: Place(
              … (1 unchanged)
        -     number: 3
        +     number: 4
            ),
            … (4 unchanged)
          )
        """)
    #expect(
      diff { $0.home = nil }?.contains(
        "-   home: Place(street: \"Lane\", number: 3),\n+   home: nil,")
        == true)
  }

  @Test("sets and dictionaries, in an order of their own")
  func unordered() {
    let a: [String: Int] = ["b": 1, "a": 1, "c": 3]
    #expect(
      differenceText(of: a, and: ["a": 1, "b": 2, "d": 4]) == """
          [
            … (1 unchanged)
        -   "b": 1,
        +   "b": 2,
        -   "c": 3,
        +   "d": 4
          ]
        """)
    #expect(
      differenceText(of: Set([1, 2]), and: Set([2, 3])) == """
          [
        -   1,
            … (1 unchanged)
        +   3
          ]
        """)
  }

  /// A key whose description omits a member.
  struct Key: Hashable, Sendable, CustomStringConvertible {
    var name: String
    var version: Int
    var description: String { name }
  }

  @Test("keys and elements with equal descriptions are different ones", arguments: 0..<20)
  func equalDescriptions(capacity: Int) {
    let (first, second) = (Key(name: "k", version: 1), Key(name: "k", version: 2))
    // The capacity changes the order of the hashes.
    var entries: [Key: Int] = [:]
    entries.reserveCapacity(1 << capacity)
    (entries[second], entries[first]) = (2, 1)
    #expect(differenceText(of: [first: 1, second: 2], and: entries) == nil)
    #expect(
      differenceText(of: [first: 2, second: 1], and: entries)
        == "  [\n-   k: 2,\n+   k: 1,\n-   k: 1\n+   k: 2\n  ]")
    var elements: Set<Key> = []
    elements.reserveCapacity(1 << capacity)
    elements.formUnion([second, first])
    #expect(differenceText(of: Set([first, second]), and: elements) == nil)
    #expect(
      differenceText(of: Set([first]), and: elements)
        == "  [\n    … (1 unchanged)\n+   k\n  ]")
    let third = Key(name: "k", version: 3)
    #expect(
      differenceText(of: Set([first, third]), and: elements)
        == "  [\n    … (1 unchanged)\n    Key(\n      … (1 unchanged)\n-     version: 3\n"
        + "+     version: 2\n    )\n  ]")
    #expect(
      differenceText(of: [first: 1], and: [second: 1]) == "  [\n-   k: 1,\n+   k: 1\n  ]")
  }

  @Test("a test store tells such keys apart", arguments: 0..<10)
  func equalDescriptionsInStore(_: Int) {
    struct State: Sendable {
      var entries = [Key(name: "k", version: 1): 1, Key(name: "k", version: 2): 2]
    }
    let failures = Failures()
    let store = TestStore(
      initialState: State(),
      reducer: Reduce<State, Bool, Void> { state, swaps in
        if swaps {
          state.entries = [Key(name: "k", version: 1): 2, Key(name: "k", version: 2): 1]
        } else {
          state.entries.reserveCapacity(state.entries.capacity * 8)
        }
        return []
      }, report: failures.report)
    for _ in 0..<5 { store.send(false) }
    #expect(failures.messages == [])
    store.send(true)
    #expect(failures.kinds == [.unexpectedChange])
  }

  @Test("lists: by place where equally long, else what was put in and taken out")
  func lists() {
    #expect(
      differenceText(of: [1, 2, 3], and: [1, 5, 3])
        == "  [\n    … (1 unchanged)\n-   2,\n+   5,\n    … (1 unchanged)\n  ]")
    #expect(
      differenceText(of: [1, 2, 3], and: [0, 1, 2, 3]) == "  [\n+   0,\n    … (3 unchanged)\n  ]")
  }

  @Test("cases, with names of what they hold")
  func cases() {
    #expect(differenceText(of: Mood.calm, and: .odd(1)) == "- calm\n+ odd(1)")
    #expect(
      differenceText(of: Mood.angry(at: "Rick", degree: 1), and: .angry(at: "Rick", degree: 2))
        == "  angry(\n    … (1 unchanged)\n-   degree: 1\n+   degree: 2\n  )")
  }

  @Test("what a value says of itself is taken where it tells the two apart")
  func described() {
    #expect(
      differenceText(of: Temperature(degrees: 1), and: Temperature(degrees: 2)) == "- 1.0°\n+ 2.0°")
  }

  @Test("long values take a line for each part")
  func long() {
    let street = String(repeating: "x", count: 80)
    #expect(
      differenceText(of: Place?.none, and: Place(street: street, number: 1)) == """
        - nil
        + Place(
        +   street: "\(street)",
        +   number: 1
        + )
        """)
  }

  struct Row: Sendable, Equatable { var id: Int; var title = "row" }

  @Test("8000 reversed rows: the first difference, and the number of lines left out")
  func reversedRows() throws {
    let rows = (0..<8_000).map { Row(id: $0) }
    let list = try #require(differenceText(of: rows, and: rows.reversed(), limit: 100))
    let lines = list.split(separator: "\n")
    #expect(
      lines.prefix(6) == [
        "  [", "    Row(", "-     id: 0,", "+     id: 7999,", "      … (1 unchanged)", "    ),",
      ])
    #expect(lines.count == 100)
    #expect(lines.last == "… and 39903 more lines")

    let named = try #require(
      differenceText(
        of: IdentifiedArray(rows, id: \.id), and: IdentifiedArray(rows.reversed(), id: \.id),
        limit: 3))
    #expect(
      named == """
          [
        -   0: Row(id: 0, title: "row"),
        … and 15999 more lines
        """)
  }

  @Test("a limit of one line, and one that is not reached")
  func limits() {
    #expect(differenceText(of: 1, and: 2, limit: 1) == "… and 2 more lines")
    #expect(differenceText(of: 1, and: 2, limit: 0) == "… and 2 more lines")
    #expect(differenceText(of: 1, and: 2, limit: 2) == "- 1\n+ 2")
  }
}
