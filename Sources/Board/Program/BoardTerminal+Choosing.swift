import SwiftBoardCommandLine
import SwiftBoardDependencies

extension BoardTerminal {
  /// Lists the names with their numbers, and asks until one of them is typed.
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
      let problem: String
      do throws(SecretPromptError) {
        let name = try typed.get()
        if let index = Self.choice(name, among: names) { return index }
        let shown = name.isEmpty ? "nothing" : "'\(escapeControls(name))'"
        problem = "\(shown) is not one of them; Ctrl-C ends the question"
      } catch {
        problem = "\(error)"
      }
      prompt = rows(of: problem) + "\(question) 1-\(names.count): "
    }
  }

  /// Returns the index of the name that was typed, or whose number from 1 was. Case matters only
  /// where several names differ in nothing else.
  static func choice(_ typed: String, among names: [String]) -> Int? {
    if let number = Int(typed), names.indices.contains(number &- 1) { return number - 1 }
    let equal = names.indices.filter { names[$0].hasSameBytes(as: typed) }
    let similar = names.indices.filter { names[$0].lowercased() == typed.lowercased() }
    let found = equal.isEmpty ? similar : equal
    return found.count == 1 ? found[0] : nil
  }

  /// Asks once. An answer that is no text is a failure, after which the question is asked again.
  private func line(
    _ prompt: String
  ) async throws(TerminalError) -> Result<String, SecretPromptError>? {
    do throws(SecretPromptError) {
      return .success(
        try await SecretPrompt.readOnOwnThread(
          prompt: prompt, showsInput: true, isUTF8: isUTF8, requiresUTF8: isUTF8
        ) { String(decoding: $0, as: UTF8.self) })
    } catch {
      switch error {
      case .noTerminal: return nil
      case .interrupted, .endOfInput: throw TerminalError(.interrupted, "\(error)")
      case .tooLong, .controlCharacter, .invalidUTF8: return .failure(error)
      case .failed: throw TerminalError(.io, "\(error)")
      }
    }
  }
}
