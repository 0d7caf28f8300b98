import SwiftBoardJSON
import SwiftBoardStore
import Synchronization

/// Sends what people did in a recording to a real store, and compares the actions that follow: a regression run, not a replay.
///
/// Only actions of `by.user` and `by.link` are sent, each when the step before it in the recording has been reduced; all others are
/// expected to come from the store's own effects. What the store's services answer is up to them, so with live services two runs
/// may rightly differ, and where several effects run at once their order is compared as well.
public struct LiveReplay<R: Reducer>: Sendable where R.State: Codable, R.Action: Codable {
  /// The first place at which the sequences of actions part.
  public enum Difference: Sendable, Hashable, CustomStringConvertible {
    /// Another action was reduced.
    case other(step: Int, expected: JSON, found: JSON)
    /// The store came to rest, or took longer than the patience, without the action.
    case missing(step: Int, expected: JSON)

    /// The step of the recording.
    public var step: Int {
      switch self {
      case .other(let step, _, _), .missing(let step, _): step
      }
    }

    public var description: String {
      switch self {
      case .other(let step, let expected, let found):
        "step \(step): expected the action \(StateDiff.text(expected)), found \(StateDiff.text(found))"
      case .missing(let step, let expected):
        "step \(step): expected the action \(StateDiff.text(expected)), and nothing came"
      }
    }
  }

  /// How far a recording and a store agreed.
  public struct Report: Sendable, Hashable {
    /// Actions that were sent.
    public let sent: Int
    /// Steps that agreed.
    public let agreed: Int
    /// Nil where all did.
    public let difference: Difference?

    /// The exit status of a command that ends with this.
    public var exitCode: Int32 { difference == nil ? 0 : 1 }
  }

  private enum Event: Sendable {
    case reduced(JSON)
    /// All that an action that was sent set going has ended; what it led to is in front of this.
    case ended
    /// The patience of the wait for this step is over.
    case late(Int)
  }

  private let schema: LogSchema
  private let migrations: [LogMigration]

  /// The program's schema, and how older actions become its own.
  public init(schema: LogSchema, migrations: [LogMigration] = []) {
    self.schema = schema
    self.migrations = migrations
  }

  /// Runs a recording against a store in the state that the recording began with. Nobody else should send to it meanwhile.
  ///
  /// The log is read as it is needed: memory does not grow with it. Actions that come behind the recording's last step are no
  /// difference, since a recording may be stopped while effects run.
  ///
  /// - Parameters:
  ///   - patience: How long an effect's action may take.
  ///   - clock: Measures it.
  public func run(
    _ file: LogFile, on store: Store<R>, patience: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws(ReplayError) -> Report {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let observation = store.observe { step, _ in
      let bytes = try? CanonicalEncoder.encode(step.action)
      continuation.yield(.reduced((try? JSON(parsing: bytes ?? [])) ?? .null))
    }
    defer {
      observation.cancel()
      continuation.finish()
    }
    var iterator = events.makeAsyncIterator()
    var (sent, agreed, running) = (0, 0, 0)
    do {
      let reader = try file.reader()
      var grader = Replayer<R>.Grader(from: 0, to: 0, migrations: [])
      while let entry = try reader.next() {
        if case .header(let header) = entry.line {
          guard header.schema.isSameKind(as: schema) else {
            throw ReplayError.foreign(log: header.schema, program: schema)
          }
          grader = Replayer<R>.Grader(
            from: header.schema.version, to: schema.version, migrations: migrations)
        }
        guard case .step(let step) = entry.line else { continue }
        let action = try grader.action(step, entry)
        // As this program writes it, so that a migrated action can be compared.
        let expected = try JSON(parsing: try CanonicalEncoder.encode(action))
        switch step.origin {
        case .user, .link:
          let task = store.send(action, origin: step.origin)
          Task {
            await task.finish()
            continuation.yield(.ended)
          }
          sent += 1
          running += 1
        case .effect, .program: break
        }
        let found = await next(
          &iterator, continuation, step.n, &running, patience, clock)
        guard let found else {
          return Report(
            sent: sent, agreed: agreed, difference: .missing(step: step.n, expected: expected))
        }
        guard found == expected else {
          return Report(
            sent: sent, agreed: agreed,
            difference: .other(step: step.n, expected: expected, found: found))
        }
        agreed += 1
      }
    } catch let error as ReplayError {
      throw error
    } catch let error as LogReadError {
      throw .unreadable(error)
    } catch let error as LogObstacle {
      throw .impossible(error)
    } catch {
      throw .encoding(step: agreed + 1, "\(error)")
    }
    return Report(sent: sent, agreed: agreed, difference: nil)
  }

  /// The next action that is reduced; nil where none can come, or none does in time.
  private func next(
    _ events: inout AsyncStream<Event>.Iterator, _ continuation: AsyncStream<Event>.Continuation,
    _ number: Int, _ running: inout Int, _ patience: Duration, _ clock: any Clock<Duration>
  ) async -> JSON? {
    let watch = Task {
      guard (try? await clock.sleep(for: patience)) != nil else { return }
      continuation.yield(.late(number))
    }
    defer { watch.cancel() }
    while running > 0, let event = await events.next(isolation: nil) {
      switch event {
      case .reduced(let action): return action
      case .ended: running -= 1
      case .late(number): return nil
      case .late: continue
      }
    }
    return nil
  }
}
