import SwiftBoardTestSupport
import Testing

@Suite("Methods of arrays that an IdentifiedArray does not have")
struct ArrayMethodErrorTests {
  @Test(
    "inside a Reduce, the error names the method to use",
    .enabled(if: SwiftCompiler.isThere, "there is no swiftc"),
    arguments: [
      ("removeFirst()", "Use remove(at: 0)"), ("removeLast()", "renamed to 'popLast()'"),
      ("move(fromOffsets: [1], toOffset: 0)", "Use move(id:to:)"),
    ])
  func message(method: String, expected: String) async throws {
    let outcome = try await SwiftCompiler.typecheck(
      """
      import SwiftBoardStore

      struct Rows: ComposedReducer {
        var body: some Reducer<IdentifiedArray<Int, String>, Bool, Void> {
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
