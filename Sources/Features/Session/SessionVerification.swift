import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore
import Synchronization

/// Checks many recordings, one a processor at a time, and says now and then how far it is.
enum SessionVerification {
  /// Microseconds between two reports.
  private static let interval: Int64 = 1_000_000

  private struct Work {
    var done = 0
    var failed = 0
    var steps = 0
    var due: Int64
  }

  static func verify(
    _ paths: [String], format: SessionReportFormat?, acceptsRisk: Bool, job: Int,
    _ dependencies: Dependencies, _ send: Send<SessionAction>
  ) async throws -> SessionResult {
    let flag = Flag()
    let clock = dependencies.clock
    let work = SharedWork(Work(due: clock.now + interval), total: paths.count)
    return try await withTaskCancellationHandler {
      try await SessionReplay.offPool {
        let verification = LogVerification { path throws(ReplayError) in
          try SessionReplay.summary(
            path, acceptsRisk: acceptsRisk, isCancelled: { flag.isSet }
          ) { step, _, _ in
            guard step.number.isMultiple(of: 1000) else { return }
            work.note(steps: 1000, clock) { send(.progress(job: job, $0)) }
          }
        }
        let report = verification.run(paths) { progress in
          work.note(progress, clock) { send(.progress(job: job, $0)) }
        }
        let checks = report.results.map { result in
          switch result.outcome {
          case .success(let summary): SessionCheck(result.path, summary)
          case .failure(let error): SessionCheck(result.path, error)
          }
        }
        let text: String? =
          switch format {
          case nil: nil
          case .tap: report.tap
          case .junit: report.junit
          }
        return .verified(checks, report: text)
      }
    } onCancel: {
      flag.set()
    }
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }

  private final class SharedWork: Sendable {
    private let work: Mutex<Work>
    private let total: Int

    init(_ work: sending Work, total: Int) {
      self.work = Mutex(work)
      self.total = total
    }

    func note(steps: Int, _ clock: BoardClock, _ tell: (String) -> Void) {
      note(clock, tell) { $0.steps += steps }
    }

    func note(
      _ progress: LogVerification.Progress, _ clock: BoardClock, _ tell: (String) -> Void
    ) {
      note(clock, tell) {
        $0.done = progress.done
        $0.failed = progress.failed
      }
    }

    private func note(
      _ clock: BoardClock, _ tell: (String) -> Void, _ change: (inout Work) -> Void
    ) {
      let now = clock.now
      let text = work.withLock { work -> String? in
        change(&work)
        guard now >= work.due else { return nil }
        work.due = now + interval
        let failed = work.failed > 0 ? ", \(work.failed) failed" : ""
        return "\(work.done) of \(total) files\(failed), \(work.steps) steps"
      }
      if let text { tell(text) }
    }
  }
}
