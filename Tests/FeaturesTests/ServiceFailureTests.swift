import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import Testing

/// What the services' errors say of the board's commands, variables and options.
struct ServiceFailureTests {
  @Test(
    "a keychain's error ends with what to do, by the board's commands and variables",
    arguments: [
      (.create, "Create one first (keychain init)."),
      (
        .provideSecret,
        "Make it at a terminal, which asks for a passphrase, or name one in "
          + "SWIFTBOARD_PASSPHRASE_FILE, SWIFTBOARD_PASSPHRASE_FD or SWIFTBOARD_KEY_FILE."
      ),
      (
        .unlock,
        "Unlock it (keychain unlock), or set one of SWIFTBOARD_PASSPHRASE_FD, "
          + "SWIFTBOARD_PASSPHRASE_FILE and SWIFTBOARD_KEY_FILE."
      ),
      (
        .acceptOlder,
        "Restore the newest file, or run 'keychain accept' if you restored a backup on purpose."
      ),
      (
        .acceptOther,
        "Restore the right file, or run 'keychain accept' if you put this one here on purpose."
      ),
    ] as [(KeychainError.Remedy, String)])
  func remedies(remedy: KeychainError.Remedy, words: String) {
    let error = KeychainError(.io, message: "it happened.", remedy: remedy)
    #expect(Failure(error).message == "it happened. \(words)")
  }

  @Test("a keychain's error without a remedy is shown as it is")
  func noRemedy() {
    #expect(Failure(KeychainError(.locked, message: "it is locked.")).message == "it is locked.")
  }

  @Test("offline, the option is named")
  func offline() async {
    let client = Dependencies.live(
      LiveConfiguration(home: "/nowhere", environment: [:], isOffline: true)
    ).apiClient
    let error = await #expect(throws: APIError.self) {
      try await client.send(APIRequest(url: "http://h/"))
    }
    guard let error else { return }
    #expect(
      Failure(error)
        == Failure(
          code: 69, error: "unreachable",
          message: "offline: no request leaves this machine (--offline)", help: "check the network")
    )
  }
}
