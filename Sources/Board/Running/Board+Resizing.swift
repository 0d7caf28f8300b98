import SwiftBoardDependencies
import SwiftBoardStore
import Synchronization

extension Board {
  /// The time between two widths that running commands are told of.
  static let resizePause = Duration.milliseconds(100)

  /// Lets the output of running commands fit a terminal of another width. Of several widths within
  /// `resizePause`, as when an edge is dragged, the first and the newest become steps. Without a
  /// running command, none does: the next line calls `resize(to:)`.
  func resizeRunning(to width: Int) {
    guard !closing.isSet, isRunning else { return }
    if widths.withLock({ $0.noteRunning(width) }) { sendWidthsAndPause() }
  }

  private func sendWidthsAndPause() {
    sendWidths()
    Task { [weak self, clock = dependencies.clock] in
      try? await clock.sleep(for: Self.resizePause)
      self?.endResizePause()
    }
  }

  /// Ends the pause, or begins another one with the newest width. Widths that come meanwhile wait.
  private func endResizePause() {
    let isRunning = isRunning
    if widths.withLock({ $0.endPause(isRunning: isRunning) }) { sendWidthsAndPause() }
  }

  /// Lets further output fit a terminal of another width. Does not wait where another thread sends
  /// an older width.
  func resize(to width: Int) {
    widths.withLock { $0.note(width) }
    sendWidths()
  }

  /// Lets the output of the next line fit a terminal of another width. Returns once the width is on
  /// its way to the store before all that is sent later, also if another thread sends it.
  func resizeBeforeLine(to width: Int) async {
    resize(to: width)
    await withCheckedContinuation { continuation in
      if widths.withLock({ $0.areSent { continuation.resume() } }) { continuation.resume() }
    }
  }

  /// Whether a command runs.
  private var isRunning: Bool { store.withState { !$0.shell.running.isEmpty } }

  private func sendWidths() {
    guard widths.withLock({ $0.beginSending() }) else { return }
    while true {
      switch widths.withLock({ $0.takeNext() }) {
      case .end(let resume):
        for resume in resume { resume() }
        return
      case .send(let width, let last):
        guard !closing.isSet else { continue }
        // The last one may not be in the state yet.
        let isShown = store.withState { $0.settings.width } == width && (last ?? width) == width
        if !isShown { store.send(.shell(.resized(width: width)), origin: .program("terminal")) }
      }
    }
  }
}
