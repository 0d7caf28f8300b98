import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Stacks")
struct StackTests {
  struct Path: ComposedReducer {
    struct State: Sendable, Equatable {
      var path = StackState<Ticker.State>()
      var log: [String] = []
      var saved: StackState<Ticker.State>?
    }

    enum Action: Sendable, Equatable {
      case path(StackAction<Ticker.State, Ticker.Action>)
      case pushFromParent
      case popToRoot
      case drop(StackElementID)
      case replace([Ticker.State])
      case save, restore

      static let path = CasePath(embed: Action.path) {
        if case .path(let a) = $0 { a } else { nil }
      }
    }

    var body: some Reducer<State, Action, Ticker.Dependencies> {
      Reduce { state, action, _ in
        switch action {
        case .path(.element(let id, .add(99))):
          // The child asks to be dismissed.
          state.path.pop(from: id)
        case .path(.popFrom(let id)):
          state.log.append("popping \(id) at \(state.path[id: id]?.count ?? -1)")
        case .path: break
        case .pushFromParent: state.path.append(Ticker.State())
        case .popToRoot: state.path.removeAll()
        case .drop(let id): state.path[id: id] = nil
        case .replace(let states): state.path = StackState(states)
        case .save: state.saved = state.path
        case .restore: state.path = state.saved ?? state.path
        }
        return []
      }
      .forEach(\.path, action: Action.path, id: "path", fileID: "Board/Path.swift", line: 5) {
        Ticker()
      }
    }
  }

  func child(_ id: StackElementID, _ action: Ticker.Action) -> Path.Action {
    .path(.element(id: id, action: action))
  }

  @Test("elements get ids that never come twice, from the stack or from who pushes")
  func ids() {
    let scene = Scene(Path.State(), Path())
    scene.send(
      .path(.push(id: 0, state: Ticker.State())), .pushFromParent, .path(.push(Ticker.State())))
    #expect(scene.state.path.ids == [0, 1, 2])
    scene.send(.path(.popFrom(id: 1)), .pushFromParent)
    #expect(scene.state.path.ids == [0, 3])
    #expect(scene.state.path.nextID == 4)
    #expect(scene.issues.entries == [])
    #expect("\(scene.state.path.ids)" == "[#0, #3]")
    scene.send(.path(.push(id: 9, state: Ticker.State())), .pushFromParent)
    #expect(scene.state.path.ids == [0, 3, 9, 10])
    #expect(scene.issues.entries == [])
  }

  @Test("two stores that reduce the same actions have the same ids")
  func deterministic() {
    let scenes = [Scene(Path.State(), Path()), Scene(Path.State(), Path())]
    for scene in scenes {
      scene.send(.pushFromParent, .popToRoot, .pushFromParent, .path(.push(Ticker.State())))
    }
    #expect(scenes[0].state == scenes[1].state)
    #expect(scenes[0].state.path.ids == [1, 2])
  }

  @Test(
    "R8 a child sees its action, then the parent; the parent sees popFrom while the element is there"
  )
  func order() {
    let scene = Scene(Path.State(path: StackState([Ticker.State()])), Path())
    scene.send(child(0, .add(4)), .path(.popFrom(id: 0)))
    #expect(scene.state.log == ["popping #0 at 4"])
    #expect(scene.state.path.isEmpty)
  }

  @Test("R7 the effects of popped elements end in the same step, whoever popped them")
  func effects() {
    let pops: [Path.Action] = [.path(.popFrom(id: 1)), child(1, .add(99))]
    for pop in pops {
      let scene = Scene(
        Path.State(path: StackState([Ticker.State(), Ticker.State(), Ticker.State()])), Path())
      scene.send(child(0, .start), child(1, .start), child(2, .start))
      #expect(scene.running == ["path/#0/tick", "path/#1/tick", "path/#2/tick"])
      scene.store.send(pop)
      #expect(scene.running == ["path/#0/tick"])
      scene.openGate()
      #expect(scene.state.path.map(\.count) == [1])
      #expect(scene.issues.entries == [])
    }
  }

  @Test("R7 popping to the root ends everything; dropping one from the middle ends that one")
  func parentPops() {
    let scene = Scene(
      Path.State(path: StackState([Ticker.State(), Ticker.State(), Ticker.State()])), Path())
    scene.send(child(0, .start), child(1, .start), child(2, .start), .drop(1))
    #expect(scene.state.path.ids == [0, 2])
    #expect(scene.running == ["path/#0/tick", "path/#2/tick"])
    scene.send(.popToRoot)
    #expect(scene.running == [])
  }

  @Test("R6 equal cancel ids in two elements never meet")
  func siblings() {
    let scene = Scene(Path.State(path: StackState([Ticker.State(), Ticker.State()])), Path())
    scene.send(child(0, .start), child(1, .start), child(0, .stop))
    scene.openGate()
    #expect(scene.state.path.map(\.count) == [0, 1])
  }

  @Test(
    "R8 what goes to an element that is not there is an issue at the composing line, and dropped")
  func missing() throws {
    let start = Path.State(path: StackState([Ticker.State()]))
    let wrong: [(Path.Action, String)] = [
      (child(999, .add(1)), "Its id is #999; there are 1: #0."),
      (.path(.popFrom(id: 999)), "popFrom was sent for an element that is not on the stack"),
      (.path(.push(id: 0, state: Ticker.State())), "The id is #0, the next one is #1"),
    ]
    for (action, text) in wrong {
      let scene = Scene(start, Path())
      scene.send(action)
      #expect(scene.state == start)
      let issue = try #require(scene.issues.entries.first)
      #expect(scene.issues.entries.count == 1)
      #expect(issue.location.description == "Board/Path.swift:5")
      #expect(issue.message.contains(text), "\(issue.message)")
      #expect(issue.message.contains("Likely cause"))
    }
  }

  @Test("an id that was popped does not come back, so a late action reaches nobody")
  func neverReused() {
    let scene = Scene(Path.State(), Path())
    scene.send(.pushFromParent, .path(.popFrom(id: 0)), .path(.push(id: 0, state: Ticker.State())))
    #expect(scene.state.path.isEmpty)
    scene.send(.pushFromParent, child(0, .add(1)))
    #expect(scene.state.path.map(\.count) == [0])
    #expect(scene.issues.entries.count == 2)
  }

  @Test("R7 a new stack in the place of another has other elements: the old ones' effects end")
  func replacement() {
    let scene = Scene(Path.State(path: StackState([Ticker.State()])), Path())
    scene.send(child(0, .start))
    #expect(scene.running == ["path/#0/tick"])
    scene.send(.replace([Ticker.State(), Ticker.State()]))
    #expect(scene.running == [])
    #expect(scene.state.path.ids == [1, 2])
    scene.send(child(0, .add(1)), child(2, .start))
    #expect(scene.state.path.map(\.count) == [0, 0])
    #expect(scene.issues.entries.map { $0.message.contains("Its id is #0") } == [true])
    #expect(scene.running == ["path/#2/tick"])
    scene.send(.replace([]), .pushFromParent)
    #expect(scene.running == [])
    #expect(scene.state.path.ids == [3])
  }

  @Test("the first stack, and one in the place of a stack that gave no ids, keep theirs")
  func firstStack() {
    let scene = Scene(Path.State(), Path())
    scene.send(.replace([Ticker.State()]))
    #expect(scene.state.path.ids == [0])
    let other = Scene(Path.State(path: StackState([Ticker.State()])), Path())
    other.send(.replace([Ticker.State(count: 5)]))
    #expect(other.state.path.ids == [1])
  }

  @Test("a copy that is put back keeps its elements, and gives no id a second time")
  func putBack() {
    let scene = Scene(Path.State(path: StackState([Ticker.State()])), Path())
    scene.send(child(0, .start), .save, .pushFromParent, .restore)
    #expect(scene.state.path.ids == [0])
    #expect(scene.running == ["path/#0/tick"])
    scene.send(.pushFromParent)
    #expect(scene.state.path.ids == [0, 2])
  }

  @Test("popFrom does not reach a stack that the parent puts in the place of the one it is of")
  func popOfReplaced() {
    struct Resetting: ComposedReducer {
      var body: some Reducer<Path.State, Path.Action, Ticker.Dependencies> {
        Reduce { state, action, _ in
          if case .path(.popFrom) = action { state.path = StackState([Ticker.State(id: 5)]) }
          return []
        }
        .forEach(\.path, action: Path.Action.path, id: "path") { Ticker() }
      }
    }
    let scene = Scene(Path.State(path: StackState([Ticker.State()])), Resetting())
    scene.send(.path(.popFrom(id: 0)))
    #expect(scene.state.path.map(\.id) == [5])
  }

  @Test("the state begun with and the same one decoded go the same way")
  func decodedStart() throws {
    let start = StackState([Ticker.State()])
    let scenes = [start, try decoded(encoded(start))].map {
      Scene(Path.State(path: $0, saved: $0), Path())
    }
    for scene in scenes { scene.send(.restore, .pushFromParent, .replace([Ticker.State()])) }
    #expect(scenes[0].state == scenes[1].state)
  }

  @Test("R15 a copy in a decoded state keeps its ids, as in the state that was encoded")
  func decodedCopy() throws {
    let scene = Scene(Path.State(), Path())
    scene.send(.pushFromParent, .pushFromParent, .save, .popToRoot)
    let state = scene.state
    for saved in [state.saved, try decoded(encoded(state.saved))] {
      let scene = Scene(Path.State(path: state.path, saved: saved), Path())
      scene.send(.restore, .pushFromParent)
      #expect(scene.state.path.ids == [0, 1, 2])
    }
  }

  @Test("popping everything by a new stack keeps nextID; a test that expects a new one is told so")
  func popAll() {
    let failures = Journal<String>()
    let store = TestStore(
      initialState: Path.State(path: StackState([Ticker.State()])), reducer: Path(),
      dependencies: Ticker.Dependencies(), report: { failures.note($0.message) })
    store.send(.replace([])) { $0.path.removeAll() }
    #expect(failures.entries == [])
    store.send(.replace([])) { $0.path = StackState() }
    #expect(failures.entries.count == 1)
    #expect(failures.entries.first?.contains("nextID") == true)
  }

  @Test("pop(from:), pop(to:) and popLast take what they say")
  func popping() {
    var stack = StackState(["a", "b", "c", "d"])
    let answers = [stack.pop(to: 2), stack.pop(to: 3), stack.pop(from: 3)]
    #expect(answers == [true, false, false])
    #expect(Array(stack) == ["a", "b", "c"])
    let popped = stack.popLast()
    #expect(popped == "c")
    let fromB = stack.pop(from: 1)
    #expect(fromB && Array(stack) == ["a"])
    #expect(stack.append("e") == 4)
    stack[id: 0]? += "!"
    stack.update(id: 4) { $0 += "?" }
    stack[id: 1] = "gone"
    stack[id: 7] = "f"
    #expect(stack.ids == [0, 4, 7])
    #expect(Array(stack) == ["a!", "e?", "f"])
    #expect(stack.contains(id: 7) && !stack.contains(id: 1))
  }

  @Test("stacks that will give different ids are not equal")
  func equality() {
    var a = StackState([1])
    let b = a
    #expect(a == b)
    a.append(2)
    a.popLast()
    #expect(a != b)
  }

  @Test("a stack and its actions are encoded and decoded, ids and all")
  func coding() throws {
    var stack = StackState(["a", "b"])
    stack.pop(from: 1)
    stack.append("c")
    #expect(
      try encoded(stack)
        == #"{"elements":[{"element":"a","id":0},{"element":"c","id":2}],"new":true,"next":3}"#)
    #expect(try decoded(encoded(stack)) == stack)
    let actions: [StackAction<String, Int>] = [
      .element(id: 2, action: 5), .popFrom(id: 1), .push("x"), .push(id: 3, state: "y"),
    ]
    for action in actions { #expect(try decoded(encoded(action)) == action) }
    #expect(try encoded(actions[0]) == #"{"element":5,"id":2}"#)
  }

  @Test(
    "a damaged stack is refused",
    arguments: [
      #"{"elements":[{"element":"a","id":0},{"element":"c","id":0}],"next":3}"#,
      #"{"elements":[{"element":"a","id":3}],"next":3}"#,
      #"{"elements":[],"next":-1}"#,
      #"{"elements":[],"next":9223372036854775807}"#,
    ])
  func damaged(text: String) {
    #expect(throws: DecodingError.self) { try decoded(text) as StackState<String> }
  }

  struct Screens: ComposedReducer {
    struct State: Sendable, Equatable {
      var path = StackState<IfCaseLetTests.Mode.State>()
    }

    enum Action: Sendable {
      case path(StackAction<IfCaseLetTests.Mode.State, IfCaseLetTests.Mode.Action>)

      static let path = CasePath(embed: Action.path) {
        if case .path(let a) = $0 { a } else { nil }
      }
    }

    var body: some Reducer<State, Action, Ticker.Dependencies> {
      EmptyReducer().forEach(\.path, action: Action.path, id: "path") { IfCaseLetTests.Mode() }
    }
  }

  @Test(
    "R6 R7 a stack of features that are cases of an enum: ids never meet, all end with the stack")
  func enumFeatures() {
    let scene = Scene(Screens.State(), Screens())
    scene.send(.path(.push(.first(Ticker.State()))), .path(.push(.second(Ticker.State()))))
    scene.send(
      .path(.element(id: 0, action: .first(.start))),
      .path(.element(id: 1, action: .second(.start))))
    #expect(scene.running == ["path/#0/first/0/tick", "path/#1/second/tick"])
    scene.send(.path(.element(id: 0, action: .first(.stop))))
    #expect(scene.running == ["path/#1/second/tick"])
    scene.send(.path(.element(id: 1, action: .go(.off))))
    #expect(scene.running == [])
    scene.send(.path(.element(id: 0, action: .first(.start))), .path(.popFrom(id: 0)))
    #expect(scene.running == [])
    #expect(scene.state.path.isEmpty)
  }

  @Test("R3 one element of a stack is changed in place")
  func inPlace() {
    var stack = StackState([Array(0..<1000), [], []])
    let storage = address(stack[0])
    stack[id: 0]?[1] = -1
    stack.update(id: 0) { $0[2] = -1 }
    #expect(address(stack[0]) == storage)
  }
}
