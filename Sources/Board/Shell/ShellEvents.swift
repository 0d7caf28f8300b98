import SwiftBoardDependencies

/// What the board's own commands count: that they were used, lines that were not understood, and
/// effects that failed, by their kinds.
enum ShellEvents {
  static func events(of action: ShellAction) -> [AnalyticsEvent] {
    switch action {
    case .run(let context, _): [AnalyticsEvent("shell.\(context.name)")]
    case .reject(_, let failure, _): [AnalyticsEvent("shell.rejected", of: failure)]
    case .failed(_, let failure): [AnalyticsEvent("shell.failed", of: failure)]
    case .diagnosed, .cancelled, .watched, .watchDue, .resized, .continued, .masked: []
    }
  }
}
