import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore

/// Sends a recording's lines to the services there are, from the state it began with, and compares the actions that follow: a
/// regression run, not a replay.
///
/// A line is sent when the step before it has been reduced. That nothing more comes is known from the commands themselves: each
/// ends in one action, and where all have ended there is nothing left to wait for.
struct SessionLiveReplay {
  private enum Event: Sendable {
    /// An action was reduced; the job that it ended.
    case reduced([UInt8], ended: Int?)
    /// The patience of the wait for this step is over.
    case late(Int)
  }

  let path: String
  let dependencies: Dependencies
  /// How long an effect's action may take.
  var patience = Duration.seconds(60)

  func run() async throws -> SessionCheck {
    do {
      let reader = try LogFile(path: path).reader()
      let header = try reader.header()
      guard header.schema == SessionReplay.schema else {
        return SessionCheck(path, .foreign(log: header.schema, program: SessionReplay.schema))
      }
      let state = try CanonicalDecoder.decode(
        BoardState.self, from: try CanonicalEncoder.encode(header.state))
      let board = Board(state: state, dependencies: dependencies, seed: 0, sink: { _ in })
      let check = try await compare(reader, board.store, Set(state.shell.running.map(\.job)))
      await board.store.shutdown(deadline: .zero)
      return check
    } catch let error as LogReadError {
      return SessionCheck(path, .unreadable(error))
    } catch let error as DecodingError {
      return SessionCheck(
        path: path, steps: 0, code: ExitCode.data, message: "a line does not decode: \(error)",
        warnings: [])
    }
  }

  private func compare(
    _ reader: LogReader, _ store: Store<BoardReducer>, _ running: Set<Int>
  ) async throws -> SessionCheck {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let observation = store.observe { step, state in
      continuation.yield(
        .reduced(
          (try? CanonicalEncoder.encode(step.action)) ?? [],
          ended: state.shell.finished?.context.job))
    }
    defer {
      observation.cancel()
      continuation.finish()
    }
    var iterator = events.makeAsyncIterator()
    var running = running
    var (sent, agreed) = (0, 0)
    while let entry = try reader.next() {
      guard case .step(let step) = entry.line else { continue }
      try Task.checkCancellation()
      let action = try CanonicalDecoder.decode(BoardAction.self, from: step.actionBytes)
      switch step.origin {
      case .user, .link:
        if let job = action.started?.job { running.insert(job) }
        store.send(action, origin: step.origin)
        sent += 1
      case .effect, .program:
        guard !running.isEmpty else { return differs(step, agreed, found: nil) }
      }
      let watch = Task { [clock = dependencies.clock, patience] in
        guard (try? await clock.sleep(for: patience)) != nil else { return }
        continuation.yield(.late(step.n))
      }
      defer { watch.cancel() }
      var found: [UInt8]?
      waiting: while let event = await iterator.next(isolation: nil) {
        switch event {
        case .reduced(let bytes, let ended):
          if let ended { running.remove(ended) }
          found = bytes
          break waiting
        case .late(step.n): break waiting
        case .late: continue
        }
      }
      guard found == (try CanonicalEncoder.encode(action)) else {
        return differs(step, agreed, found: found)
      }
      agreed += 1
    }
    return SessionCheck(
      path: path, steps: agreed, code: 0,
      message: "\(sent) lines were sent, \(agreed) steps agree", warnings: [])
  }

  private func differs(_ step: LogStep, _ agreed: Int, found: [UInt8]?) -> SessionCheck {
    func text(_ bytes: [UInt8]) -> String {
      SessionText.value(String(decoding: bytes, as: UTF8.self), limit: 200)
    }
    let what = found.map { "found \(text($0))" } ?? "nothing came"
    return SessionCheck(
      path: path, steps: agreed, code: ExitCode.no,
      message: "step \(step.n): expected the action \(text(step.actionBytes)), \(what)",
      warnings: [])
  }
}
