import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies

enum KeychainCommands {
  /// Advice on how to pass a value without typing it into the line.
  static let advice = "let it be asked for, or use --from-file FILE, --from-stdin or --generate N"

  static let table = CommandTable<FeatureCommand<KeychainAction>>(specs + slotSpecs)

  private static let specs: [CommandSpec<FeatureCommand<KeychainAction>>] = [
    CommandSpec(
      ["keychain", "init"], "make a new, empty keychain", options: newSecret + [newKeyFile],
      examples: ["keychain init", "keychain init --key-file usb/board.key"]
    ) { invocation throws(UsageError) in
      let secret = try newSecret(invocation, orKeyFile: true)
      return .keychain(.create(secret: secret == .prompt ? nil : secret))
    },
    CommandSpec(
      ["keychain", "unlock"], "unlock it",
      details: "It stays unlocked while the program runs: a single command locks it at its end.",
      examples: ["keychain unlock"]
    ) { _ in .keychain(.unlock) },
    CommandSpec(
      ["keychain", "lock"], "forget the keys at once", examples: ["keychain lock"]
    ) { _ in .keychain(.lock) },
    CommandSpec(
      ["keychain", "status"], "say what it is and whether it is unlocked",
      examples: ["keychain status"]
    ) { _ in .keychain(.status) },
    CommandSpec(
      ["keychain", "check"], "read the file and say whether it is whole and unchanged",
      arguments: [
        ArgumentSpec(
          "file", "another keychain file, checked without its secret", kind: .file, optional: true)
      ], examples: ["keychain check", "keychain check backup.sbkc"]
    ) { invocation throws(UsageError) in
      .keychain(.check(path: try invocation.text("file")))
    },
    CommandSpec(
      ["keychain", "accept"],
      "trust a keychain file that was restored or replaced, and show how it differs",
      examples: ["keychain accept"]
    ) { _ in .keychain(.accept) },
    CommandSpec(
      ["keychain", "list"], "list the names", examples: ["keychain list"]
    ) { _ in .keychain(.list) },
    CommandSpec(
      ["keychain", "set"], "store a secret, or replace it; asks for it unless told where it is",
      arguments: [
        ArgumentSpec("name", "its name", kind: .secret),
        ArgumentSpec("value", "refused: see the options", optional: true, repeating: true),
      ],
      options: [
        OptionSpec(flag: "from-stdin", "read what is left of standard input, exact bytes"),
        OptionSpec("from-file", value: "FILE", "read a file, exact bytes", kind: .file),
        OptionSpec("generate", value: "N", "N random bytes, at most 4096, written in base64"),
      ],
      examples: ["keychain set radarr", "keychain set radarr --from-file key"]
    ) { invocation throws(UsageError) in
      if let value = invocation.arguments("value").first {
        throw UsageError(
          "a secret on the command line would stay in histories and process lists",
          help: advice, at: value)
      }
      let name = try invocation.requiredText("name")
      var inputs: [KeychainInput] = []
      if invocation.flag("from-stdin") { inputs.append(.standardInput) }
      if let file = try invocation.text("from-file") { inputs.append(.file(path: file)) }
      if let count = try invocation.int("generate") {
        guard (1...4096).contains(count) else {
          throw UsageError(
            "--generate takes 1 to 4096 bytes, not \(count)", at: invocation.option("generate"))
        }
        inputs.append(.generate(bytes: count))
      }
      guard inputs.count <= 1 else {
        throw UsageError(
          "a secret comes from one place",
          help: "give one of --from-stdin, --from-file, --generate"
        )
      }
      return .keychain(.set(name: name, input: inputs.first ?? .prompt))
    },
    CommandSpec(
      ["keychain", "get"], "show a secret",
      details: """
        --reveal writes it to standard output as it is, and takes no --json, no > FILE and no &. It is in no recording.
        """,
      arguments: [ArgumentSpec("name", "its name", kind: .keychainEntry)],
      options: [OptionSpec(flag: "reveal", "really show it; not with --json, > FILE or &")],
      examples: ["keychain get radarr --reveal"]
    ) { invocation throws(UsageError) in
      guard invocation.flag("reveal") else {
        throw UsageError(
          "a secret is only shown with --reveal",
          help: "in a request, write {{secret:NAME}} instead", at: invocation.argument("name"))
      }
      return .keychain(.reveal(name: try invocation.requiredText("name")))
    },
    CommandSpec(
      ["keychain", "remove"], "delete a secret",
      arguments: [ArgumentSpec("name", "its name", kind: .keychainEntry)],
      examples: ["keychain remove radarr"]
    ) { invocation throws(UsageError) in
      .keychain(.remove(name: try invocation.requiredText("name")))
    },
    CommandSpec(
      ["keychain", "rename"], "give a secret another name",
      arguments: [
        ArgumentSpec("name", "its name", kind: .keychainEntry),
        ArgumentSpec("new", "the new name"),
      ], examples: ["keychain rename radarr films"]
    ) { invocation throws(UsageError) in
      .keychain(
        .rename(from: try invocation.requiredText("name"), to: try invocation.requiredText("new"))
      )
    },
  ]
}

extension FeatureCommand<KeychainAction> {
  static func keychain(_ command: KeychainCommand) -> Self {
    Self(readsInput: command.readsInput, writesSecret: command.writesSecret) {
      .run(context: $0, command: command)
    }
  }
}

extension KeychainCommand {
  /// The option of a command that reads standard input.
  var readsInput: String? {
    switch self {
    case .set(_, .standardInput): "--from-stdin"
    case .create(.standardInput), .addSlot(.standardInput), .changePassphrase(.standardInput, _),
      .export(_, .standardInput):
      "--new-from-stdin"
    default: nil
    }
  }

  fileprivate var writesSecret: String? {
    if case .reveal = self { "--reveal" } else { nil }
  }
}
