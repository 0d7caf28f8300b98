import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardTestSupport
import Synchronization
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// A board with its session, and all that it has printed and done.
final class Lines: Sendable {
  let board: Board
  let session: LineExecutor
  let world: World
  private let printed: PrintedText
  private let steps: EventLog<String>

  final class PrintedText: Sendable {
    let text = Mutex("")
    func add(_ more: String) { text.withLock { $0 += more } }
  }

  /// - Parameters:
  ///   - dependencies: In place of the world's own.
  ///   - features: In place of the board's own.
  ///   - onOutput: Called with all output, before callers that wait for a command resume.
  init(
    _ world: World = World(), settings: BoardSettings = BoardSettings(),
    dependencies: Dependencies? = nil,
    features: FeatureList = BoardFeatures.all, onOutput: @escaping @Sendable () -> Void = {}
  ) {
    self.world = world
    let (printed, steps) = (PrintedText(), EventLog<String>())
    self.printed = printed
    self.steps = steps
    let redirects = RedirectFiles { printed.add($0) }
    board = Board(
      features: features, state: BoardState(features: features, settings: settings),
      dependencies: dependencies ?? world.dependencies,
      seed: 1,
      sink: {
        if $0.redirect == nil {
          printed.add($0.text)
        } else {
          redirects.write($0.bytes, job: $0.job)
        }
        onOutput()
      })
    board.store.observe { step, _ in
      steps.append(
        String(decoding: (try? CanonicalEncoder.encode(step.action)) ?? [], as: UTF8.self))
    }
    session = LineExecutor(board: board, redirects: redirects)
  }

  func run(_ text: String) async -> Int32 {
    let code = await session.run(
      ScriptLine(
        text: text, location: LineLocation("test.sb", line: 1), parsed: LineParser.parse(text))
    ).exitCode
    // The board's observer, which ends the line, comes before the one that notes the steps.
    await board.store.waitUntilDelivered()
    return code
  }

  var allPrinted: String { printed.text.withLock { $0 } }
  var allSteps: String { steps.events.joined() }

  /// Waits until the steps so far fulfil a condition.
  func waitForSteps(_ condition: (String) -> Bool) async {
    _ = await steps.first { condition($0.joined()) ? true : nil }
  }
}
