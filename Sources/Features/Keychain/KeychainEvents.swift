import SwiftBoardBoard
import SwiftBoardDependencies

/// What `keychain` counts: its commands, kinds of failures, and locks by themselves. Names of
/// secrets are typed, and so in no event.
enum KeychainEvents {
  static func events(of action: KeychainAction, _ state: KeychainState) -> [AnalyticsEvent] {
    switch action {
    case .run(let context, _): [AnalyticsEvent(context.name)]
    case .failed(_, let failure): [AnalyticsEvent("keychain.failed", of: failure)]
    case .autoLocked: [AnalyticsEvent("keychain.autoLocked")]
    default: []
    }
  }
}
