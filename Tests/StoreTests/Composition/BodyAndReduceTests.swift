import SwiftBoardStore
import SwiftBoardTestSupport
import Testing

@Suite("A reducer with a body")
struct BodyAndReduceTests {
  static func source(_ more: String) -> String {
    """
    import SwiftBoardStore

    struct Both: ComposedReducer {
      var body: some Reducer<Int, Bool, String> {
        Reduce { state, action, _ in
          state += 1
          return []
        }
      }
      \(more)
    }
    """
  }

  @Test(
    "one that has a reduce as well does not compile, and the error names it and says why",
    .enabled(if: SwiftCompiler.isThere, "there is no swiftc"))
  func both() async throws {
    let reduce =
      "func reduce(_ state: inout Int, _ action: Bool, _ text: String) -> [Effect<Bool>] { [] }"
    let wrong = try await SwiftCompiler.typecheck(Self.source(reduce))
    #expect(wrong.status == .exited(1), "\(wrong.errorText)")
    #expect(wrong.errorText.contains("type 'Both' does not conform"), "\(wrong.errorText)")
    #expect(
      wrong.errorText.contains("a type with a body has no reduce of its own"), "\(wrong.errorText)")
    // With a body alone, or beside another function of that name, all is well.
    let other = "func reduce(twice state: inout Int) {}"
    for source in ["", other].map(Self.source) {
      let right = try await SwiftCompiler.typecheck(source)
      #expect(right.status == .exited(0), "\(right.errorText)")
    }
  }

  @Test("a composed reducer is called as any other")
  func called() {
    struct Composed: ComposedReducer {
      var body: some Reducer<[Int], Int, Int> {
        Reduce { state, action, more in
          state.append(action + more)
          return []
        }
        Reduce { state, action, _ in action > 0 ? [.send(action - 1)] : [] }
      }
    }
    func generic<R: Reducer>(_ reducer: R, _ state: inout R.State, _ action: R.Action)
      -> [Effect<R.Action>] where R.Dependencies == Int
    { reducer.reduce(&state, action, 10) }
    var state: [Int] = []
    let effects = Composed().reduce(&state, 1, 20)
    #expect(effects.descriptors().map(\.kind) == [.send])
    #expect(generic(Composed(), &state, 0).isEmpty)
    #expect(state == [21, 10])
    #expect(Composed.hasBodyAlone)
    let store = Store(initialState: [], reducer: Composed(), dependencies: 0)
    store.send(2)
    #expect(store.state == [2, 1, 0])
  }
}
