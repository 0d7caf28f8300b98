import SwiftBoardBoard

extension BoardFeatures {
  /// The feature `keychain`: named secrets in an encrypted file.
  public static let keychain = Feature(
    name: "keychain", summary: "secrets in an encrypted file", state: KeychainState(),
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
    events: KeychainEvents.events,
    volatile: ["created", "status", "checked", "checkedFile"].map {
      "succeeded.result.\($0).*.path"
    },
    passesWordsOn: true, secretWords: SecretWords(storing: "set", advice: KeychainCommands.advice),
    atTerminal: { $0.autoLock = KeychainState.usualAutoLock }, version: nil,
    migrations: KeychainMigrations.all)
}
