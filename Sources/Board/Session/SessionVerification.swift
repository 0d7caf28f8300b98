import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import SwiftBoardSystem
import Synchronization

/// The verification of many recordings, one per processor at a time, with progress reports.
enum SessionVerification {
  private struct Work {
    var done = 0
    var failed = 0
    var steps = 0
  }

  static func verify(
    _ recordings: [String], format: SessionReportFormat?, acceptsRisk: Bool, job: Int,
    _ features: FeatureList, running: String?, _ dependencies: Dependencies,
    _ secrets: RecordedSecrets, _ send: Send<SessionAction>
  ) async throws -> SessionResult {
    let flag = CancelFlag()
    let pace = ProgressPace(dependencies.clock)
    defer { dependencies.terminal.show(nil) }
    await dependencies.keychainService.refresh()
    // The report of TAP is ASCII.
    let masked = format == .tap ? secrets.maskedForASCII : secrets.masked
    return try await withTaskCancellationHandler {
      try await DetachedThread.run {
        var (found, report) = try pass(
          recordings, acceptsRisk, features, flag, pace, job, dependencies.terminal, masked, send)
        // Rotation may remove a file before it is checked. Then check the remaining files from the
        // beginning.
        for _ in 1..<SessionLogs.attempts where report.lacksFiles && found.isOutdated {
          (found, report) = try pass(
            recordings, acceptsRisk, features, flag, pace, job, dependencies.terminal, masked, send)
        }
        let checks = report.results.map { result in
          var check =
            switch result.outcome {
            case .success(let summary):
              SessionCheck(result.path, summary, running: running, secrets)
            case .failure(let error): SessionCheck(result.path, error, secrets)
            }
          check.warnings += found.warnings[ByteText(result.path)] ?? []
          return check
        }
        let text: String? =
          switch format {
          case nil: nil
          case .tap: report.tap(exitCode: ExitCode.of)
          case .junit: report.junit
          }
        return .verified(checks: checks, report: text)
      }
    } onCancel: {
      flag.set()
    }
  }

  private static func pass(
    _ recordings: [String], _ acceptsRisk: Bool, _ features: FeatureList, _ flag: CancelFlag,
    _ pace: ProgressPace, _ job: Int, _ terminal: any TerminalService,
    _ masked: @escaping @Sendable (JSON) -> JSON, _ send: Send<SessionAction>
  ) throws -> (found: SessionLogs.Found, report: LogVerification.Report) {
    let found = try SessionLogs.files(of: recordings, isCancelled: { flag.isSet })
    let work = SharedWork(total: found.paths.count, pace, terminal)
    let verification = LogVerification { path throws(ReplayError) in
      if let failure = found.failures[ByteText(path)] { throw failure }
      var reached = 0
      let file = found.files[ByteText(path)] ?? LogFile(path: path, isCancelled: { flag.isSet })
      do throws(ReplayError) {
        return try Replayer(features).verify(file, acceptRisk: acceptsRisk) { step in
          // A recording that does not agree is read again.
          guard step > reached else { return }
          work.note(steps: step - reached) { send(.progress(job: job, text: $0)) }
          reached = step
        }.mapValues(masked)
      } catch {
        throw error.mapValues(masked)
      }
    }
    let report = verification.run(found.paths) { progress in
      work.note(progress) { send(.progress(job: job, text: $0)) }
    }
    return (found, report)
  }

  private final class SharedWork: Sendable {
    private let work = Mutex(Work())
    private let total: Int
    private let pace: ProgressPace
    private let terminal: any TerminalService

    init(total: Int, _ pace: ProgressPace, _ terminal: any TerminalService) {
      self.total = total
      self.pace = pace
      self.terminal = terminal
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

    private func show(_ work: Work) {
      terminal.show(
        total == 1
          ? TransferProgress(name: "verify", done: Int64(work.steps), total: nil, unit: "steps")
          : TransferProgress(
            name: "verify", done: Int64(work.done), total: Int64(total), unit: "files"))
    }

    private func note(_ tell: (String) -> Void, _ change: (inout Work) -> Void) {
      let now = work.withLock { work in
        change(&work)
        return work
      }
      if now.steps % 256 == 0 { show(now) }
      guard pace.isDue else { return }
      let failed = now.failed > 0 ? ", \(now.failed) failed" : ""
      tell(
        "\(now.done) of \(Counted.text(total, "file"))\(failed), \(Counted.text(now.steps, "step"))"
      )
    }
  }
}

extension LogVerification.Report {
  /// Whether a file had disappeared before it was checked.
  fileprivate var lacksFiles: Bool {
    failures.contains { result in
      if case .failure(.unreadable(let error)) = result.outcome {
        error.isAboutNames
      } else {
        false
      }
    }
  }
}
