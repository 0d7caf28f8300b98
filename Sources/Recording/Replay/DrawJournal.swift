import SwiftBoardSystem
import Synchronization

/// The values that the reductions of one store draw from clock, date, uuid and random generators.
///
/// The composition root puts `draw` between the generators and the reducer. The recorder and the
/// replayer call `beginReduction` and `endReduction` around each reduction. Only draws by the
/// reducing thread during a reduction are recorded or served. Effects that use the same generators
/// on other threads get live values, which are not recorded.
///
/// One journal serves one store. A draw outside a reduction costs one atomic load.
public final class DrawJournal: Sendable {
  /// The first difference between the draws of a replayed reduction and those in the log.
  public enum Mismatch: Sendable, Hashable, CustomStringConvertible {
    /// The draw at `index` requested another kind than the log has there.
    case kind(index: Int, asked: LoggedDraw.Kind, logged: LoggedDraw)
    /// The reducer drew more values than the log has.
    case exhausted(index: Int, asked: LoggedDraw.Kind)
    /// The reducer drew fewer values than the log has.
    case unused(drawn: Int, logged: Int)

    /// The requested and the logged draw.
    public var description: String {
      switch self {
      case .kind(let index, let asked, let logged):
        "draw \(index + 1) asked for \(asked.rawValue), the log has \(logged)"
      case .exhausted(let index, let asked):
        "draw \(index + 1) asked for \(asked.rawValue), the log has only \(index)"
      case .unused(let drawn, let logged):
        "\(drawn) of the \(logged) logged values were drawn"
      }
    }
  }

  private struct Core {
    /// The logged values to serve, or `nil` if there are none.
    var serving: [LoggedDraw]?
    var drawn: [LoggedDraw] = []
    var mismatch: Mismatch?
  }

  /// The reducing thread, or 0 if there is none. Only that thread stores its own value here. A
  /// thread that reads its own value must have stored it, so relaxed ordering suffices.
  private let reducingThread = Atomic<UInt>(0)
  /// Whether the reduction serves logged values, and whether `core` is unchanged, which saves most
  /// reductions two locks. Only the reducing thread uses them, and the store's lock orders the
  /// reducing threads.
  private let isServing = Atomic<Bool>(false)
  private let isQuiet = Atomic<Bool>(true)
  private let core = Mutex(Core())

  /// Creates a journal. Outside reductions, draws are live and are not recorded.
  public init() {}

  /// Whether the caller runs inside a reduction, so that `draw` would record or serve the value.
  /// Otherwise an interceptor can skip the text form of the value.
  public var isReducingHere: Bool {
    @inline(never) get { reducingThread.load(ordering: .relaxed) == DrawJournal.currentThread }
  }

  /// Begins serving `draws` to this thread, in order, or recording its draws if `draws` is `nil`.
  /// The recorder and the replayer call this before a reduction.
  @inline(never)
  public func beginReduction(serving draws: [LoggedDraw]? = nil) {
    if !isQuiet.load(ordering: .relaxed) || draws?.isEmpty == false {
      core.withLock { core in
        core.serving = draws
        core.drawn.removeAll(keepingCapacity: true)
        core.mismatch = nil
      }
      isQuiet.store(false, ordering: .relaxed)
    }
    isServing.store(draws != nil, ordering: .relaxed)
    reducingThread.store(DrawJournal.currentThread, ordering: .relaxed)
  }

  /// Ends the reduction and returns the drawn values, in order.
  @discardableResult
  public func endReduction() -> [LoggedDraw] {
    reducingThread.store(0, ordering: .relaxed)
    if isQuiet.load(ordering: .relaxed) { return [] }
    isQuiet.store(true, ordering: .relaxed)
    return core.withLock { core in
      let drawn = core.drawn
      core = Core()
      return drawn
    }
  }

  /// Ends the reduction if nothing was drawn. Otherwise returns `false`, and the reduction
  /// continues.
  func endedQuietly() -> Bool {
    guard isQuiet.load(ordering: .relaxed) else { return false }
    reducingThread.store(0, ordering: .relaxed)
    return true
  }

  /// Ends a reduction that was served from a log. Returns `nil` if it drew exactly the logged
  /// values.
  public func endReplayedReduction() -> Mismatch? {
    reducingThread.store(0, ordering: .relaxed)
    if isQuiet.load(ordering: .relaxed) { return nil }
    isQuiet.store(true, ordering: .relaxed)
    return core.withLock { core in
      let (drawn, logged) = (core.drawn.count, core.serving?.count ?? 0)
      let mismatch = core.mismatch ?? (drawn < logged ? .unused(drawn: drawn, logged: logged) : nil)
      core = Core()
      return mismatch
    }
  }

  /// Draws a value. The interceptor of the generators calls this.
  ///
  /// Inside a recorded reduction, returns the live value and records it. Inside a replayed one,
  /// returns the next logged value. If the log has another kind or no value, returns a fixed value
  /// of the requested kind, and `endReplayedReduction` returns the mismatch. Outside reductions,
  /// returns the live value.
  public func draw(_ kind: LoggedDraw.Kind, live: () -> LoggedDraw) -> LoggedDraw {
    guard isReducingHere else { return live() }
    let isServing = isServing.load(ordering: .relaxed)
    isQuiet.store(false, ordering: .relaxed)
    let served: LoggedDraw? = core.withLock { core in
      guard isServing else { return nil }
      let logged = core.serving ?? []
      let index = core.drawn.count
      let value: LoggedDraw
      if core.mismatch != nil {
        value = .placeholder(kind)
      } else if index >= logged.count {
        core.mismatch = .exhausted(index: index, asked: kind)
        value = .placeholder(kind)
      } else if logged[index].kind != kind {
        core.mismatch = .kind(index: index, asked: kind, logged: logged[index])
        value = .placeholder(kind)
      } else {
        value = logged[index]
      }
      core.drawn.append(value)
      return value
    }
    if let served { return served }
    let value = live()
    core.withLock { $0.drawn.append(value) }
    return value
  }

  // Call this only in functions that are never inlined. The compiler assumes that a function stays
  // on its thread, and would keep the result across an `await`.
  private static var currentThread: UInt { DetachedThread.currentID }
}
