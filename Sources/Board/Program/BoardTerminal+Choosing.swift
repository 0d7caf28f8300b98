import SwiftBoardCommandLine
import SwiftBoardDependencies

extension BoardTerminal {
  /// Lists the names with their numbers, and asks until one of the numbers is typed.
  func choose(
    _ question: String, among names: [String]
  ) async throws(TerminalError) -> Int? {
    guard canAsk else { return nil }
    await beginPrompt()
    defer { endPrompt() }
    let list = names.enumerated().map { "  \($0.offset + 1)  \(escapeControls($0.element))\n" }
    var prompt = list.joined() + "\(question) 1-\(names.count): "
    while true {
      guard let typed = try await line(prompt) else { return nil }
      if let number = Int(typed), (1...max(names.count, 1)).contains(number) { return number - 1 }
      let shown = typed.isEmpty ? "nothing" : "'\(escapeControls(typed))'"
      prompt = "\(shown) is not a number from 1 to \(names.count); Ctrl-C ends the question: "
    }
  }

  private func line(_ prompt: String) async throws(TerminalError) -> String? {
    do throws(SecretPromptError) {
      return try await SecretPrompt.readOnOwnThread(prompt: prompt, showsInput: true) { bytes in
        String(decoding: bytes, as: UTF8.self)
      }
    } catch {
      switch error {
      case .noTerminal: return nil
      case .interrupted, .endOfInput: throw TerminalError(.interrupted, "\(error)")
      case .tooLong, .controlCharacter: return ""
      case .failed: throw TerminalError(.io, "\(error)")
      }
    }
  }
}
