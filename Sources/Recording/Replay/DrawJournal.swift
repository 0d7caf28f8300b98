import SwiftBoardSystem
import Synchronization

/// What the reductions of one store draw from clock, date, uuid and random generators.
///
/// The composition root puts `draw` between the generators and the reducer; the recorder and the
/// replayer bracket each reduction. Only draws on the thread that reduces, while it reduces, are
/// noted or served: effects that read the same generators on other threads at the same moment get
/// live values and leave no trace.
///
/// One journal serves one store. A draw outside a reduction costs one atomic load.
public final class DrawJournal: Sendable {
  /// How a replayed reduction's draws differed from the logged ones: the first difference.
  public enum Mismatch: Sendable, Hashable, CustomStringConvertible {
    /// The draw at `index` asked for another kind than the log has there.
    case kind(index: Int, asked: LoggedDraw.Kind, logged: LoggedDraw)
    /// The reducer drew once more than the log has.
    case exhausted(index: Int, asked: LoggedDraw.Kind)
    /// The reducer drew less than the log has.
    case unused(drawn: Int, logged: Int)

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
    /// What is left out when there is nothing.
    var serving: [LoggedDraw]?
    var drawn: [LoggedDraw] = []
    var mismatch: Mismatch?
  }

  /// The thread that reduces, 0 when none does. Only that thread stores its own value here, so a
  /// thread that reads its own value is the one that stored it and no order with other threads
  /// matters.
  private let reducingThread = Atomic<UInt>(0)
  /// Whether the reduction serves; and whether `core` is as it was made, which spares most
  /// reductions two locks. Only the reducing thread uses them, and the store's lock orders the
  /// reducing threads.
  private let isServing = Atomic<Bool>(false)
  private let isQuiet = Atomic<Bool>(true)
  private let core = Mutex(Core())

  /// A journal outside of any reduction: draws are live and leave no trace.
  public init() {}

  /// Whether the caller runs inside a reduction, so that `draw` would note or serve. Lets an
  /// interceptor skip the text form of a value that will not be read.
  public var isReducingHere: Bool {
    @inline(never) get { reducingThread.load(ordering: .relaxed) == DrawJournal.currentThread }
  }

  /// Notes what this thread draws from now on. Called by the recorder before a reduction.
  public func beginReduction() {
    begin(serving: nil)
  }

  /// Serves `draws` to this thread from now on, in order. Called by the replayer before a
  /// reduction.
  public func beginReduction(serving draws: [LoggedDraw]) {
    begin(serving: draws)
  }

  @inline(never)
  private func begin(serving draws: [LoggedDraw]?) {
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

  /// Ends the reduction and returns what was drawn, in order.
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

  /// Ends the reduction if nothing was drawn; false, and it continues, where something was.
  func endedQuietly() -> Bool {
    guard isQuiet.load(ordering: .relaxed) else { return false }
    reducingThread.store(0, ordering: .relaxed)
    return true
  }

  /// Ends a reduction that was served from a log; nil when it drew exactly what the log has.
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

  /// One draw, called by the generators' interceptor.
  ///
  /// Inside a recorded reduction: the live value, noted. Inside a replayed one: the next logged
  /// value; where the log has another kind, or nothing, a fixed value of the kind asked for, and
  /// `endReplayedReduction` says so. Anywhere else: the live value.
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

  // Only asked for in functions that are never inlined: the compiler takes it that a function stays
  // on its thread, and would keep the answer over an `await`.
  private static var currentThread: UInt { DetachedThread.currentID }
}
