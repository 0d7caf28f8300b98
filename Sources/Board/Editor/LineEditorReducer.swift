import SwiftBoardCommandLine
import SwiftBoardStore

/// The reducer of the line editor's own store, which no session records. Its actions are keys.
struct LineEditorReducer: Reducer {
  func reduce(
    _ state: inout LineEditorState, _ action: EditorAction,
    _ dependencies: LineEditorDependencies
  ) -> [Effect<EditorAction>] {
    guard let request = state.apply(action, dependencies.hints) else { return [] }
    return [
      .task(name: "editor.complete") {
        .completed(id: request.id, answer: await dependencies.complete(request))
      }
    ]
  }
}

/// What the line editor asks of the board.
struct LineEditorDependencies: Sendable {
  /// The hints about the arguments of commands.
  var hints = CommandHints()
  /// Returns the candidates for the word at the end of a text, or `nil` if finding them takes too
  /// long.
  var complete: @Sendable (CompletionRequest) async -> CompletionAnswer?
}
