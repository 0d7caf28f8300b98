import SwiftBoardBoard
import SwiftBoardDependencies

extension BoardFeatures {
  /// The feature `keychain`: named secrets in an encrypted file.
  public static let keychain = Feature(
    name: "keychain", summary: "secrets in an encrypted file",
    details: """
      A passphrase or a key file opens it: what is typed at a terminal, SWIFTBOARD_PASSPHRASE_FILE, \
      SWIFTBOARD_PASSPHRASE_FD or SWIFTBOARD_KEY_FILE, or a credential of systemd.
      """, state: KeychainState(),
    reducer: KeychainReducer().subscribing(KeychainReducer.subscriptions),
    commands: KeychainCommands.table,
    outcome: { action, _, context in
      KeychainOutcomes.outcome(of: action, isTerminal: context.settings.isTerminal)
    },
    link: { link in
      switch link.path.first {
      case nil, "list": ["keychain", "list"]
      case "status": ["keychain", "status"]
      default: nil
      }
    },
    events: { action, _ in
      // Names of secrets are typed, and so in no event.
      switch action {
      case .run(let context, _): [AnalyticsEvent(context.name)]
      case .failed(_, let failure): [AnalyticsEvent("keychain.failed", of: failure)]
      case .autoLocked: [AnalyticsEvent("keychain.autoLocked")]
      default: []
      }
    },
    endsCancelled: { state, job in state.changes.contains(job) },
    forget: { $0.forget() },
    continued: { state, running in
      state.forgetStatus()
      state.changes?.keep(running)
    },
    volatile: ["created", "status", "checked", "checkedFile"].map {
      "succeeded.result.\($0).*.path"
    }
      + ["found", "remembered"].map { "succeeded.result.accepted.acceptance.\($0).written" }
      + ["bootstrapped.status", "bootstrapped.failure", "named.names"],
    passesWordsOn: true, secretWords: SecretWords(storing: "set", advice: KeychainCommands.advice),
    atTerminal: { $0.autoLock = KeychainState.usualAutoLock },
    // A request may have unlocked the keychain, so the names are tried again until they are there.
    bootstrap: { $0.isUnlocked == nil || $0.knowsNames == false ? .bootstrap : nil },
    candidates: { kind, state, dependencies in
      guard kind == .secret || kind == .keychainEntry else { return [] }
      if let names = state.names { return names }
      // A locked keychain is left alone: nothing is asked for while a line is typed. A request may
      // have opened it without the state knowing.
      let keychain = dependencies.keychainService
      guard (try? await keychain.status())?.unlocked == true else { return [] }
      return (try? await keychain.keys()) ?? []
    }, version: nil,
    migrations: KeychainMigrations.all)
}
