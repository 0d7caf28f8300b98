import SwiftBoardStore
import SwiftBoardTesting
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite("IdentifiedArray")
struct IdentifiedArrayTests {
  struct Item: Identifiable, Hashable, Codable, Sendable {
    var id: Int
    var text = ""
  }

  @Test(
    "any sequence of changes gives what a plain array gives", arguments: 0..<40 as Range<UInt64>)
  func model(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var array: IdentifiedArrayOf<Item> = []
    var model: [Item] = []
    func place(_ id: Int) -> Int? { model.firstIndex { $0.id == id } }
    for step in 0..<300 {
      let id = Int.random(in: 0..<24, using: &random)
      let position = Int.random(in: -2..<28, using: &random)
      let clamped = min(max(position, 0), model.count)
      let item = Item(id: id, text: "\(step)")
      switch Int.random(in: 0..<18, using: &random) {
      case 0, 1, 2:
        #expect(array.append(item) == (place(id) == nil))
        if place(id) == nil { model.append(item) }
      case 3:
        #expect(array.insert(item, at: position) == (place(id) == nil))
        if place(id) == nil { model.insert(item, at: clamped) }
      case 4:
        let old = place(id).map { model[$0] }
        #expect(array.updateOrAppend(item) == old)
        if let place = place(id) { model[place] = item } else { model.append(item) }
      case 5:
        let old = place(id).map { model.remove(at: $0) }
        #expect(array.remove(id: id) == old)
      case 6:
        let old = model.indices.contains(position) ? model.remove(at: position) : nil
        #expect(array.remove(at: position) == old)
      case 7:
        array[id: id]?.text += "!"
        if let place = place(id) { model[place].text += "!" }
      case 8:
        array[id: id] = item
        if let place = place(id) { model[place] = item } else { model.append(item) }
      case 9:
        array[id: id] = nil
        if let place = place(id) { model.remove(at: place) }
      case 10:
        func clear(_ element: inout Item?) { element = nil }
        clear(&array[id: id])
        if let place = place(id) { model.remove(at: place) }
      case 11:
        #expect(array.move(id: id, to: position) == (place(id) != nil))
        if let place = place(id) {
          let moved = model.remove(at: place)
          model.insert(moved, at: min(max(position, 0), model.count))
        }
      case 12:
        let other = Int.random(in: 0..<24, using: &random)
        array.swap(id: id, with: other)
        if let a = place(id), let b = place(other) { model.swapAt(a, b) }
      case 13:
        array.removeAll { $0.id % 5 == id % 5 && $0.id % 2 == 0 }
        model.removeAll { $0.id % 5 == id % 5 && $0.id % 2 == 0 }
      case 14:
        array.sort { $0.id % 7 < $1.id % 7 }
        model = model.enumerated()
          .sorted { ($0.element.id % 7, $0.offset) < ($1.element.id % 7, $1.offset) }
          .map(\.element)
      case 15:
        array.reverse()
        model.reverse()
      case 16:
        let popped = array.popLast()
        #expect(popped == model.popLast())
      default:
        for id in array.ids { array[id: id]?.text += "\(id)" }
        for index in model.indices { model[index].text += "\(model[index].id)" }
      }
      #expect(Array(array) == model)
      #expect(array.ids == model.map(\.id))
      for (offset, item) in model.enumerated() {
        #expect(array.position(of: item.id) == offset)
        #expect(array[id: item.id] == item)
      }
      #expect(!array.contains(id: 99) && array[id: 99] == nil)
      #expect(array == IdentifiedArray(model))
    }
  }

  @Test("changing one element copies neither elements nor ids, and leaves the ids the same storage")
  func inPlace() {
    var array = IdentifiedArray((0..<1000).map { Item(id: $0) })
    let kept = array.ids
    let storage = address(array.elements)
    array[id: 500]?.text = "a"
    array.update(id: 501) { $0.text = "b" }
    for id in array.ids { array[id: id]?.text += "." }
    array.updateOrAppend(Item(id: 7, text: "c"))
    #expect(address(array.elements) == storage)
    #expect(address(array.ids) == address(kept))
    #expect(array[id: 500]?.text == "a.")
    array.append(Item(id: 1000))
    #expect(address(array.ids) != address(kept))
  }

  @Test("what an element refers to is changed in place through the subscript")
  func nestedInPlace() {
    var array = IdentifiedArray<Int, [Int]>(
      [Array(0..<1000), Array(0..<1000)], id: { _ in 0 }, uniquingIDsWith: { first, _ in first })
    let storage = array[id: 0].flatMap { address($0) }
    array[id: 0]?[5] = 7
    array.update(id: 0) { $0[6] = 8 }
    #expect(array[id: 0].flatMap { address($0) } == storage)
    #expect(array[id: 0]?[5...6] == [7, 8])
  }

  @Test("of two elements with one id, the closure makes one, in the place of the first")
  func uniquing() {
    let items = [Item(id: 1, text: "a"), Item(id: 2, text: "b"), Item(id: 1, text: "c")]
    #expect(IdentifiedArray(items).map(\.text) == ["c", "b"])
    let joined = IdentifiedArray(items) { Item(id: $0.id, text: $0.text + $1.text) }
    #expect(joined.map(\.text) == ["ac", "b"])
    let literal: IdentifiedArrayOf<Item> = [Item(id: 1, text: "a"), Item(id: 1, text: "b")]
    #expect(literal.map(\.text) == ["b"])
  }

  @Test("an element that changes its own id stays where it was put, and is not encoded")
  func otherID() throws {
    var array: IdentifiedArrayOf<Item> = [Item(id: 1), Item(id: 2)]
    array[id: 1]?.id = 2
    #expect(array.ids == [1, 2])
    #expect(array[id: 1]?.id == 2)
    let error = try #require(throws: EncodingError.self) { try JSONEncoder().encode(array) }
    guard case .invalidValue(_, let context) = error else {
      Issue.record("another error: \(error)")
      return
    }
    #expect(context.debugDescription.contains("id 1"))
    #expect(context.debugDescription.contains("is 2"))
    array.remove(id: 1)
    #expect(throws: Never.self) { try JSONEncoder().encode(array) }
  }

  @Test("it is encoded as a plain array and decoded from one")
  func coding() throws {
    let array: IdentifiedArrayOf<Item> = [Item(id: 2, text: "b"), Item(id: 1, text: "a")]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(array)
    #expect(String(decoding: data, as: UTF8.self) == #"[{"id":2,"text":"b"},{"id":1,"text":"a"}]"#)
    #expect(try JSONDecoder().decode(IdentifiedArrayOf<Item>.self, from: data) == array)
  }

  @Test("an id that comes twice is a decoding error that names it")
  func duplicateWhenDecoding() throws {
    let data = Data(#"[{"id":7,"text":""},{"id":7,"text":""}]"#.utf8)
    let error = try #require(throws: DecodingError.self) {
      try JSONDecoder().decode(IdentifiedArrayOf<Item>.self, from: data)
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("another error: \(error)")
      return
    }
    #expect(context.debugDescription.contains("id 7"))
    #expect(context.debugDescription.contains("element 1"))
  }

  @Test("order counts for equality and hashing, and the difference is shown by id")
  func orderAndDifference() {
    let a: IdentifiedArrayOf<Item> = [Item(id: 1), Item(id: 2)]
    var b = a
    b.reverse()
    #expect(a != b)
    #expect(Set([a, b, a]).count == 2)
    b.reverse()
    #expect(a.hashValue == b.hashValue)
    b[id: 2]?.text = "x"
    b.append(Item(id: 3))
    #expect(
      differenceText(of: a, and: b) == """
          [
            … (1 unchanged)
            2: Item(
              … (1 unchanged)
        -     text: ""
        +     text: "x"
            ),
        +   3: Item(id: 3, text: "")
          ]
        """)
  }

  @Test("elements that know nothing of ids are found by the id they were put in with")
  func notIdentifiable() {
    var array = IdentifiedArray<String, Int>()
    let answers = [
      array.append(1, id: "one"), array.append(2, id: "one"), array.insert(0, id: "zero", at: -5),
    ]
    #expect(answers == [true, false, true])
    #expect(array.ids == ["zero", "one"])
    #expect(array.filter { $0 > 0 }.ids == ["one"])
    var random = SeededRandom(seed: 1)
    array.shuffle(using: &random)
    array.sort()
    #expect(Array(array) == [0, 1])
    array.removeAll()
    #expect(array.isEmpty)
    let none = array.popLast()
    #expect(none == nil)
  }

  struct Stop: Error {}

  @Test("a change that throws half-way leaves the array whole")
  func throwing() {
    var array: IdentifiedArrayOf<Item> = [Item(id: 1), Item(id: 2), Item(id: 3)]
    func change(_ item: inout Item?, to new: Item?) throws {
      item = new
      throw Stop()
    }
    #expect(throws: Stop.self) { try change(&array[id: 1], to: Item(id: 1, text: "x")) }
    #expect(array.map(\.text) == ["x", "", ""])
    #expect(throws: Stop.self) { try change(&array[id: 1], to: nil) }
    #expect(throws: Stop.self) { try change(&array[id: 9], to: Item(id: 9)) }
    #expect(throws: Stop.self) {
      try array.update(id: 2) {
        $0.text = "y"
        throw Stop()
      }
    }
    #expect(throws: Stop.self) { try array.removeAll { _ in throw Stop() } }
    #expect(array.ids == [2, 3, 9])
    #expect(array.map(\.text) == ["y", "", ""])
    #expect(array.ids.map { array.position(of: $0) } == [0, 1, 2])
  }
}
