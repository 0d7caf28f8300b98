import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies

/// The commands for slots and for other keychain files.
extension KeychainCommands {
  static let slotSpecs: [CommandSpec<FeatureCommand<KeychainAction>>] = [
    CommandSpec(
      ["keychain", "slot", "list"], "list what opens it", examples: ["keychain slot list"]
    ) { _ in .keychain(.slots) },
    CommandSpec(
      ["keychain", "slot", "add"], "let another passphrase or a key file open it",
      options: newSecret + [newKeyFile],
      examples: ["keychain slot add", "keychain slot add --key-file usb/board.key"]
    ) { invocation throws(UsageError) in
      .keychain(.addSlot(secret: try newSecret(invocation, orKeyFile: true)))
    },
    CommandSpec(
      ["keychain", "slot", "remove"],
      "remove a slot, so that its secret no longer opens the keychain; asks for the other passphrases",
      arguments: [ArgumentSpec("number", "the slot's number in the list", kind: .int)],
      options: staying, examples: ["keychain slot remove 2"]
    ) { invocation throws(UsageError) in
      .keychain(
        .removeSlot(
          number: try invocation.requiredInt("number", in: 1...8),
          secrets: try staying(invocation)))
    },
    CommandSpec(
      ["keychain", "rekey"],
      "draw a new data key, so that an old copy of the file and its key open no later one",
      options: staying, examples: ["keychain rekey"]
    ) { invocation throws(UsageError) in
      .keychain(.rekey(secrets: try staying(invocation)))
    },
    CommandSpec(
      ["keychain", "passphrase"],
      "change the passphrase; asks for the old one, and twice for the new one",
      details: """
        The old passphrase is asked for, or is that of the unlock source, such as SWIFTBOARD_PASSPHRASE_FILE. \
        --passphrase-file and --key-file are for the other slots, which stay.
        """,
      options: newSecret + staying,
      examples: ["keychain passphrase", "keychain passphrase --new-from-file new"]
    ) { invocation throws(UsageError) in
      .keychain(
        .changePassphrase(
          secret: try newSecret(invocation, orKeyFile: false), secrets: try staying(invocation)))
    },
    CommandSpec(
      ["keychain", "export"], "write all secrets into a new keychain file with its own passphrase",
      arguments: [ArgumentSpec("file", "a new file", kind: .file)],
      options: newSecret, examples: ["keychain export backup.sbkc"]
    ) { invocation throws(UsageError) in
      .keychain(
        .export(
          path: try invocation.requiredFile("file"),
          secret: try newSecret(invocation, orKeyFile: false)))
    },
    CommandSpec(
      ["keychain", "import"], "take over the secrets of another keychain file",
      arguments: [ArgumentSpec("file", "the other keychain", kind: .file)],
      options: [
        OptionSpec(
          "existing", value: "WHAT", "what happens to names that are taken; refuse imports nothing",
          kind: .choice(["refuse", "keep", "replace"])),
        OptionSpec(
          "passphrase-file", value: "FILE", "a file with the other keychain's passphrase",
          kind: .file),
        OptionSpec("key-file", value: "FILE", "the other keychain's key file", kind: .file),
      ], examples: ["keychain import backup.sbkc --existing keep"]
    ) { invocation throws(UsageError) in
      try invocation.exclusive("passphrase-file", "key-file")
      var secret: KeychainOtherSecret?
      if let path = try invocation.text("passphrase-file") { secret = .passphraseFile(path: path) }
      if let path = try invocation.text("key-file") { secret = .keyFile(path: path) }
      return .keychain(
        .importEntries(
          path: try invocation.requiredText("file"), secret: secret ?? .prompt,
          existing: try invocation.text("existing")))
    },
    CommandSpec(
      ["keychain", "autolock"], "lock it after a time without use, or say after which",
      details: "The time holds while the program runs: behind a single command it ends at once.",
      arguments: [
        ArgumentSpec("time", "for example 5m, or off", optional: true)
      ], examples: ["keychain autolock", "keychain autolock 15m", "keychain autolock off"]
    ) { invocation throws(UsageError) in
      guard let text = try invocation.text("time") else { return .keychain(.autoLock()) }
      if text == "off" { return .keychain(.autoLock(milliseconds: 0)) }
      guard let duration = try invocation.duration("time"), duration >= .milliseconds(1) else {
        throw UsageError(
          "the time is a millisecond at least", help: "'keychain autolock off' ends it",
          at: invocation.argument("time"))
      }
      return .keychain(.autoLock(milliseconds: duration.microseconds / 1000))
    },
  ]

  private static let staying = [
    OptionSpec(
      "key-file", value: "FILE", "the key file of a slot that stays; may be given more than once",
      kind: .file, repeatable: true),
    OptionSpec(
      "passphrase-file", value: "FILE",
      "a file with the passphrase of a slot that stays; may be given more than once",
      kind: .file, repeatable: true),
  ]

  static let newKeyFile = OptionSpec(
    "key-file", value: "FILE", "this key file opens it; made where it is not there", kind: .file)

  static let newSecret = [
    OptionSpec(
      "new-from-file", value: "FILE", "read the new passphrase from a file", kind: .file),
    OptionSpec(flag: "new-from-stdin", "read the new passphrase from standard input"),
  ]

  private static func staying(
    _ invocation: Invocation
  ) throws(UsageError) -> [KeychainOtherSecret] {
    var secrets: [KeychainOtherSecret] = []
    for name in ["key-file", "passphrase-file"] {
      for option in invocation.options(name) {
        guard let path = option.text else {
          throw UsageError("--\(name) names a file; no secret belongs there", at: option)
        }
        secrets.append(name == "key-file" ? .keyFile(path: path) : .passphraseFile(path: path))
      }
    }
    return secrets
  }

  static func newSecret(
    _ invocation: Invocation, orKeyFile: Bool
  ) throws(UsageError) -> KeychainNewSecret {
    if orKeyFile {
      try invocation.exclusive("new-from-file", "new-from-stdin", "key-file")
    } else {
      try invocation.exclusive("new-from-file", "new-from-stdin")
    }
    if invocation.flag("new-from-stdin") { return .standardInput }
    if let path = try invocation.text("new-from-file") { return .file(path: path) }
    if orKeyFile, let path = try invocation.text("key-file") { return .keyFile(path: path) }
    return .prompt
  }
}
