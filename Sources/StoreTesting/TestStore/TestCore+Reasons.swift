import SwiftBoardStore

/// Why a line of a test did not receive the action that it expects.
extension TestCore {
  /// A text with the next action of the current turn, which must be reduced first, or `nil` outside
  /// a turn.
  var whyTurn: String? {
    guard turnCount > 0, let next else { return nil }
    return
      "The turn is not over, and `\(short(next))` is next: all that an action causes at once, by "
      + "`.send` effects, is reduced before any other action."
  }

  /// Returns the reason that no action was received.
  ///
  /// - Parameter hasWaited: Whether the test has waited for other threads.
  func whyNothing(hasWaited: Bool) -> String {
    let effects = unended
    guard !effects.isEmpty else {
      return "No effect is running: it never started, has ended, or was cancelled."
    }
    let running = [
      names("Still running", effects.filter { $0.phase != .pending }),
      names(
        "Waiting for a permit or for their turn in a sequence",
        effects.filter { $0.phase == .pending }),
    ].compactMap(\.self).joined(separator: " ")
    guard let next = clock.nextDeadline else {
      return running + " Nothing sleeps on the test store's clock, which shows \(clock.now). "
        + "Does an effect wait for a clock that this test does not advance, such as another "
        + "TestClock, ContinuousClock or Task.sleep? "
        + (R.Dependencies.self == Void.self
          ? "Let the reducer take a clock from its dependencies, and pass the test store's clock."
          : "Pass the test store's clock to the dependencies.")
        + (hasWaited ? "" : " If it waits for another thread, use `receive(_:within:)`.")
    }
    return running
      + " The clock shows \(clock.now), and the next sleeper wakes at \(next): advance the clock."
  }

  /// Returns a sentence with the names of effects, at most 20, or `nil` if there are none.
  private func names(_ heading: String, _ effects: [RunningEffect<Action>]) -> String? {
    guard !effects.isEmpty else { return nil }
    let names = effects.prefix(20).map { title($0.descriptor) }
    let rest = effects.count > 20 ? " and \(effects.count - 20) more" : ""
    return "\(heading): \(names.joined(separator: ", "))\(rest)."
  }
}
