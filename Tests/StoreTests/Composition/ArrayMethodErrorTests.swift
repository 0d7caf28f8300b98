import SwiftBoardTestSupport
import Testing

@Suite("Methods of arrays that an IdentifiedArray or a StackState does not have")
struct ArrayMethodErrorTests {
  @Test(
    "inside a Reduce, the error names the method to use",
    .enabled(if: SwiftCompiler.isThere, "there is no swiftc"),
    arguments: [
      ("IdentifiedArray<Int, String>", "removeFirst()", "Use remove(at: 0)"),
      ("IdentifiedArray<Int, String>", "removeLast()", "renamed to 'popLast()'"),
      ("IdentifiedArray<Int, String>", "move(fromOffsets: [1], toOffset: 0)", "Use move(id:to:)"),
      ("StackState<String>", "removeLast()", "Use popLast(), or pop(from:)"),
    ])
  func message(type: String, method: String, expected: String) async throws {
    let outcome = try await SwiftCompiler.typecheck(
      """
      import SwiftBoardStore

      struct Rows: ComposedReducer {
        var body: some Reducer<\(type), Bool, Void> {
          Reduce { rows, _ in
            rows.\(method)
            return []
          }
        }
      }
      """)
    #expect(outcome.status == .exited(1))
    #expect(outcome.errorText.contains(expected), "\(outcome.errorText)")
  }
}
