import SwiftBoardDependencies
import SwiftBoardSystem
import Synchronization

/// A terminal with a user who answers each question as the test says, counted from 1.
final class ScriptedTerminal: TerminalService {
  private struct State {
    var prompts: [String] = []
    var choices = 0
    var hidden = 0
  }
  private let state = Mutex(State())
  private let passphrase: @Sendable (_ number: Int) -> String?
  private let choice: @Sendable (_ number: Int) -> Int?
  private let input: String?

  /// - Parameters:
  ///   - passphrase: The text typed at a question for a passphrase, or `nil` for none.
  ///   - choice: The index of the chosen name, or `nil` for none.
  ///   - input: Standard input, or `nil` if it is empty.
  init(
    passphrase: @escaping @Sendable (_ number: Int) -> String? = { _ in nil },
    choice: @escaping @Sendable (_ number: Int) -> Int? = { _ in nil }, input: String? = "typed\n"
  ) {
    self.input = input
    self.passphrase = passphrase
    self.choice = choice
  }

  /// Types these passphrases in order.
  convenience init(_ first: String, _ others: String...) {
    let passphrases = [first] + others
    self.init(passphrase: { passphrases.count < $0 ? nil : passphrases[$0 - 1] })
  }

  /// The questions for passphrases, with `(twice)` after one for a new one.
  var prompts: [String] { state.withLock { $0.prompts } }
  /// The calls of `hideInput` without a `showInput`.
  var hidden: Int { state.withLock { $0.hidden } }

  func askPassphrase(prompt: String, isNew: Bool) async throws(TerminalError) -> GuardedBytes? {
    let number = state.withLock { state in
      state.prompts.append(prompt + (isNew ? "(twice)" : ""))
      return state.prompts.count
    }
    guard let answer = passphrase(number) else { return nil }
    guard !answer.isEmpty else { throw TerminalError(.empty, "nothing was typed") }
    do throws(KeychainError) { return try GuardedBytes(copying: Array(answer.utf8)) } catch {
      throw TerminalError(.io, error.message)
    }
  }

  func choose(_ question: String, among names: [String]) async throws(TerminalError) -> Int? {
    choice(
      state.withLock { state in
        state.choices += 1
        return state.choices
      })
  }

  func reveal(_ value: Data) async {}
  func readInput(limit: Int) async throws(TerminalError) -> Data {
    guard let input else { throw TerminalError(.unavailable, "nothing is left of standard input") }
    return Data(input.utf8)
  }
  func hideInput() { state.withLock { $0.hidden += 1 } }
  func showInput() { state.withLock { $0.hidden -= 1 } }
}
