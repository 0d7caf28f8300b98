import Testing

@testable import SwiftBoardStore

@Suite("The index of effects")
struct EffectIndexTests {
  private func place(_ names: [String]) -> [ChildKey] {
    names.map { ChildKey(identity: CancelID($0), label: nil) }
  }

  private func key(_ path: [String], _ id: Int?) -> CancelKey {
    CancelKey(place: place(path), id: id.map { CancelID($0) })
  }

  private func effect(_ serial: UInt32) -> EffectID {
    EffectID(slot: Int32(serial), serial: serial)
  }

  /// Three effects with the id 1: at the root, in a, and in b inside a. The last one has the id 2
  /// besides.
  private var index: EffectIndex {
    var index = EffectIndex()
    index.insert(effect(3), keys: [key(["a", "b"], 1), key(["a"], 2), key(["a", "b"], nil)])
    index.insert(effect(1), keys: [key([], 1)])
    index.insert(effect(2), keys: [key(["a"], 1), key(["a"], nil)])
    return index
  }

  @Test(
    "R6 an id is found at its place and inside it, in the order returned",
    arguments: [
      ([], 1, [1, 2, 3]), (["a"], 1, [2, 3]), (["a", "b"], 1, [3]), (["b"], 1, []),
      (["a"], 2, [3]), (["a", "b"], 2, []), ([], 9, []),
    ] as [([String], Int, [UInt32])])
  func ids(path: [String], id: Int, found: [UInt32]) {
    #expect(index.effects(key(path, id)) == found.map(effect))
  }

  @Test(
    "R7 without an id all of a place are found, and those inside it",
    arguments: [(["a"], [2, 3]), (["a", "b"], [3]), (["b"], [])] as [([String], [UInt32])])
  func places(path: [String], found: [UInt32]) {
    #expect(index.effects(key(path, nil)) == found.map(effect))
  }

  @Test("what is removed is not found, and leaves no place behind")
  func removed() {
    var index = index
    index.remove(
      effect(3), keys: [key(["a", "b"], 1), key(["a"], 2), key(["a", "b"], nil)])
    #expect(index.effects(key([], 1)) == [effect(1), effect(2)])
    #expect(index.effects(key(["a"], nil)) == [effect(2)])
    index.remove(effect(1), keys: [key([], 1)])
    index.remove(effect(2), keys: [key(["a"], 1), key(["a"], nil)])
    #expect(index.root.isEmpty)
  }

  @Test("removing what is not there changes nothing")
  func removedTwice() {
    var index = EffectIndex()
    index.remove(effect(1), keys: [key(["a"], 1), key(["a"], nil)])
    #expect(index.root.isEmpty)
  }

  @Test("later effects have later numbers, also when the count has begun anew")
  func serials() {
    #expect(effect(2).isAfter(effect(1)))
    #expect(!effect(1).isAfter(effect(1)))
    #expect(EffectID(slot: 0, serial: 1).isAfter(EffectID(slot: 1, serial: .max)))
  }
}
