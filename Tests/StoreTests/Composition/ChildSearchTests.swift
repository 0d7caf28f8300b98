import SwiftBoardTesting
import Synchronization
import Testing

@testable import SwiftBoardStore

/// Which children are gone, asked directly: a path is the ids of its places.
@Suite("R7 Places of children that are gone")
struct ChildSearchTests {
  struct Leaf: Reducer {
    func reduce(_ state: inout Int, _ action: Void, _ dependencies: Void) -> [Effect<Void>] { [] }
  }

  /// A child with a child of its own.
  struct Branch: ComposedReducer {
    struct State: Sendable, Identifiable {
      var id = 0
      var leaf: Int? = 1
    }

    var body: some Reducer<State, Void, Void> {
      EmptyReducer().ifLet(\.leaf, action: nowhere(), id: "leaf") { Leaf() }
    }
  }

  enum Mode: Sendable {
    case off, on(Branch.State)
  }

  struct State: Sendable {
    var tab = Branch.State()
    var plain: Branch.State? = Branch.State()
    var told: Branch.State? = Branch.State(id: 7)
    var mode = Mode.on(Branch.State(id: 7))
    var rows: IdentifiedArrayOf<Branch.State> = [Branch.State(id: 1), Branch.State(id: 2)]
    var path = StackState([Branch.State(), Branch.State()])
    var shared: (Int?, Int?) = (1, nil)
  }

  struct Root: ComposedReducer {
    var body: some Reducer<State, Void, Void> {
      Scope(state: \.tab, action: nowhere(), id: "tab") { Branch() }
      EmptyReducer()
        .ifLet(\.plain, action: nowhere(), identity: nil, id: "plain") { Branch() }
        .ifLet(\.told, action: nowhere(), id: "told") { Branch() }
        .ifCaseLet(
          \.mode, is: CasePath(embed: Mode.on) { if case .on(let s) = $0 { s } else { nil } },
          action: nowhere(), id: "mode"
        ) { Branch() }
        .forEach(\.rows, action: rows(), id: "rows") { Branch() }
        .forEach(\.path, action: nowhere(), id: "path") { Branch() }
        .ifLet(\.shared.0, action: nowhere(), id: "shared") { Leaf() }
        .ifLet(\.shared.1, action: nowhere(), id: "shared") { Leaf() }
    }

    func rows() -> CasePath<Void, ElementAction<Int, Void>> { nowhere() }
  }

  static func nowhere<Action>() -> CasePath<Void, Action> {
    CasePath(embed: { _ in }, extract: { _ in nil })
  }

  typealias Path = [CancelID]

  func path(_ parts: any Hashable & Sendable...) -> Path { parts.map { CancelID($0) } }

  /// An effect at each place, in a graph of them.
  func places(_ live: [Path]) -> EffectIndex {
    var index = EffectIndex()
    for (number, path) in live.enumerated() {
      let id = EffectID(slot: Int32(number), serial: UInt32(number) + 1)
      index.insert(id, keys: [CancelKey(place: path.map { ChildKey($0) }, id: nil)])
    }
    return index
  }

  func absent<R: Reducer>(_ state: R.State, _ reducer: R, _ live: Path...) -> Set<Path> {
    absent(state, reducer, live)
  }

  func absent<R: Reducer>(_ state: R.State, _ reducer: R, _ live: [Path]) -> Set<Path> {
    func found(forPresent: Bool) -> Set<Path> {
      var search = ChildSearch(places(live).root, forPresent: forPresent)
      reducer.findAbsentChildren(in: state, &search)
      return Set(search.found.map { $0.reversed().map(\.identity) })
    }
    return found(forPresent: false).subtracting(found(forPresent: true))
  }

  let zero = StackElementID(generation: 0)

  /// A place of each kind, and of a child in it.
  func all() -> [Path] {
    [
      path("tab", "leaf"), path("plain", "leaf"), path("told", 7, "leaf"), path("mode", 7, "leaf"),
      path("rows", 1, "leaf"), path("rows", 2, "leaf"), path("path", zero, "leaf"), path("shared"),
    ]
  }

  func absent(_ change: (inout State) -> Void) -> Set<Path> {
    var state = State()
    change(&state)
    return absent(state, Root(), all())
  }

  @Test("none while all children are there")
  func present() {
    #expect(absent { _ in } == [])
    #expect(absent(State(), Root()) == [])
  }

  @Test("a child of ifLet or ifCaseLet that is gone, with all that is in it")
  func gone() {
    #expect(absent { $0.plain = nil } == [path("plain")])
    #expect(absent { $0.told = nil } == [path("told")])
    #expect(absent { $0.mode = .off } == [path("mode")])
  }

  @Test("a child that another one replaced, where they are told apart")
  func replaced() {
    #expect(absent { $0.plain?.id = 8 } == [])
    #expect(absent { $0.told = Branch.State(id: 8) } == [path("told", 7)])
    #expect(absent { $0.mode = .on(Branch.State(id: 8)) } == [path("mode", 7)])
  }

  @Test("elements of lists and stacks")
  func elements() {
    #expect(absent { $0.rows.remove(id: 1) } == [path("rows", 1)])
    #expect(absent { $0.rows.removeAll() } == [path("rows")])
    #expect(absent { $0.path.pop(from: 0) } == [path("path")])
    #expect(absent { $0.path[id: 0] = nil } == [path("path", zero)])
  }

  @Test("a child of a child, wherever that is")
  func inside() {
    #expect(absent { $0.tab.leaf = nil } == [path("tab", "leaf")])
    #expect(absent { $0.plain?.leaf = nil } == [path("plain", "leaf")])
    #expect(absent { $0.told?.leaf = nil } == [path("told", 7, "leaf")])
    #expect(
      absent { $0.mode = .on(Branch.State(id: 7, leaf: nil)) } == [path("mode", 7, "leaf")])
    #expect(absent { $0.rows[id: 2]?.leaf = nil } == [path("rows", 2, "leaf")])
    #expect(absent { $0.path[id: 0]?.leaf = nil } == [path("path", zero, "leaf")])
  }

  @Test("only what is asked for is looked at")
  func askedFor() {
    var state = State()
    state.plain = nil
    state.rows.remove(id: 2)
    #expect(absent(state, Root(), path("rows", 1)) == [])
    #expect(absent(state, Root(), path("rows", 2)) == [path("rows", 2)])
  }

  /// Counts how often a search looks into a child.
  struct Visited: Reducer {
    let count: Counter

    final class Counter: Sendable {
      private let value = Mutex(0)

      var current: Int { value.withLock { $0 } }

      func add() { value.withLock { $0 += 1 } }
    }

    func reduce(
      _ state: inout Branch.State, _ action: Void, _ dependencies: Void
    ) -> [Effect<Void>] { [] }

    func findAbsentChildren(in state: Branch.State, _ search: inout ChildSearch) { count.add() }
  }

  @Test(
    "elements are looked into only for children that may be absent",
    arguments: [(false, 0), (true, 2)])
  func elementsLookedInto(mayBeAbsent: Bool, visits: Int) {
    var index = EffectIndex()
    for id in 1...2 {
      let place = [
        ChildKey(CancelID("rows")), ChildKey(CancelID(id)),
        ChildKey(CancelID("tab"), mayBeAbsent: false),
        ChildKey(CancelID("leaf"), mayBeAbsent: mayBeAbsent),
      ]
      index.insert(
        EffectID(slot: Int32(id), serial: UInt32(id)), keys: [CancelKey(place: place, id: nil)])
    }
    let counter = Visited.Counter()
    let reducer = EmptyReducer<State, Void, Void>()
      .forEach(\.rows, action: Root().rows(), id: "rows") { Visited(count: counter) }
    var search = ChildSearch(index.root)
    reducer.findAbsentChildren(in: State(), &search)
    #expect(counter.current == visits)
    #expect(search.lists.map(\.absent) == [[]])
  }

  @Test("a key with which one operator composes a child that may be absent")
  func sharedKeys() {
    func key(_ mayBeAbsent: Bool, _ id: Int) -> CancelKey {
      CancelKey(place: [ChildKey(CancelID("a"), mayBeAbsent: mayBeAbsent)], id: CancelID(id))
    }
    var index = EffectIndex()
    let effects = (1...2).map { EffectID(slot: $0, serial: UInt32($0)) }
    index.insert(effects[0], keys: [key(false, 1)])
    #expect(!index.root.searchesInside)
    index.insert(effects[1], keys: [key(true, 2)])
    #expect(index.root.searchesInside)
    index.remove(effects[1], keys: [key(true, 2)])
    #expect(index.root.searchesInside)
    index.remove(effects[0], keys: [key(false, 1)])
    #expect(!index.root.searchesInside)
    #expect(index.root.isEmpty)
  }

  @Test("a place of several operators is gone when none of them has a child there")
  func shared() {
    #expect(absent { $0.shared = (nil, 1) } == [])
    #expect(absent { $0.shared = (nil, nil) } == [path("shared")])
  }

  @Test("places that no operator knows are left alone")
  func unknown() {
    var state = State()
    state.plain = nil
    #expect(absent(state, Root(), path("by hand", 1), path("rows", "1")) == [])
    #expect(absent(1, Leaf(), path("any")) == [])
    #expect(
      absent(state, Reduce<State, Void, Void> { _, _ in [] }, path("plain")) == [])
  }

  @Test("through every form of a body, and every operator that has no child")
  func forms() {
    var state = State()
    state.plain = nil
    let flag = true
    func child() -> IfLetReducer<EmptyReducer<State, Void, Void>, Branch> {
      EmptyReducer()
        .ifLet(\.plain, action: Self.nowhere(), id: "plain") { Branch() }
    }
    func expectFound(_ reducer: some Reducer<State, Void, Void>, line: Int = #line) {
      #expect(absent(state, reducer, path("plain", "leaf")) == [path("plain")], "line \(line)")
    }
    expectFound(CombineReducers { child() })
    expectFound(
      CombineReducers {
        EmptyReducer()
        if flag { child() }
      })
    expectFound(CombineReducers { if flag { child() } else { EmptyReducer() } })
    expectFound(CombineReducers { if !flag { EmptyReducer() } else { child() } })
    expectFound(CombineReducers { for _ in 1...2 { child() } })
    expectFound(AnyReducer(child()))
    expectFound(child().onChange(of: { $0.rows.count }) { _, _, _, _ in [] })
    expectFound(child().printing(to: { _ in }))
    expectFound(child().subscribing { _, _ in [] })
    expectFound(child().dependencies { (_: Void) in () })
    expectFound(child().forEach(\.rows, action: Root().rows(), id: "rows") { Branch() })
  }

  @Test("ids of any type are found in the list they are of")
  func ids() {
    struct Key: Hashable, Sendable {
      let name: String
    }
    func check<ID: Hashable & Sendable>(_ there: ID, _ gone: ID) {
      let reducer = EmptyReducer<IdentifiedArray<ID, Int>, Void, Void>()
        .forEach(
          \.self, action: Self.nowhere() as CasePath<Void, ElementAction<ID, Void>>, id: "list"
        ) { Leaf() }
      var list = IdentifiedArray<ID, Int>()
      list.append(0, id: there)
      #expect(
        absent(list, reducer, path("list", there), path("list", gone)) == [path("list", gone)])
    }
    check(1, 2)
    check("a", "b")
    check(Key(name: "a"), Key(name: "b"))
    check(UInt8(1), UInt8(2))
    check(CancelID(1), CancelID("1"))
    check(Optional(1), nil)
  }
}
