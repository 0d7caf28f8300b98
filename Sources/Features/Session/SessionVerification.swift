import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore
import Synchronization

/// Checks many recordings, one a processor at a time, and says now and then how far it is.
enum SessionVerification {
  private struct Work {
    var done = 0
    var failed = 0
    var steps = 0
  }

  static func verify(
    _ paths: [String], format: SessionReportFormat?, acceptsRisk: Bool, job: Int,
    _ dependencies: Dependencies, _ send: Send<SessionAction>
  ) async throws -> SessionResult {
    let flag = CancelFlag()
    let work = SharedWork(total: paths.count, ProgressPace(dependencies.clock))
    return try await withTaskCancellationHandler {
      try await SessionReplay.offPool {
        let verification = LogVerification { path throws(ReplayError) in
          var reached = 0
          return try SessionReplay.verified(
            path, acceptsRisk: acceptsRisk, isCancelled: { flag.isSet }
          ) { step in
            // A recording that does not agree is gone through again.
            guard step > reached else { return }
            work.note(steps: step - reached) { send(.progress(job: job, $0)) }
            reached = step
          }
        }
        let report = verification.run(paths) { progress in
          work.note(progress) { send(.progress(job: job, $0)) }
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

  private final class SharedWork: Sendable {
    private let work = Mutex(Work())
    private let total: Int
    private let pace: ProgressPace

    init(total: Int, _ pace: ProgressPace) {
      self.total = total
      self.pace = pace
    }

    func note(steps: Int, _ tell: (String) -> Void) {
      note(tell) { $0.steps += steps }
    }

    func note(_ progress: LogVerification.Progress, _ tell: (String) -> Void) {
      note(tell) {
        $0.done = progress.done
        $0.failed = progress.failed
      }
    }

    private func note(_ tell: (String) -> Void, _ change: (inout Work) -> Void) {
      let now = work.withLock { work in
        change(&work)
        return work
      }
      guard pace.isDue else { return }
      let failed = now.failed > 0 ? ", \(now.failed) failed" : ""
      tell("\(now.done) of \(total) files\(failed), \(now.steps) steps")
    }
  }
}
