import SwiftBoardDependencies

extension Failure {
  /// The exit code of a transfer between the database and a file: 64, 65, 66 or 73.
  package init(_ error: DatabaseTransferError) {
    switch error {
    case .malformedDocument(let path, let line, let column, let reason):
      self.init(
        code: ExitCode.data, error: "malformedData",
        message: "\(path):\(line):\(column): \(reason)",
        help: "a document is one JSON value in UTF-8")
    case .malformedLine(let path, let line, let reason):
      self.init(
        code: ExitCode.data, error: "malformedData", message: "\(path):\(line): \(reason)",
        help: "nothing was imported; a line of an export may be edited or left out")
    case .holdsSecret(let place, let name):
      self.init(
        code: ExitCode.data, error: "holdsSecret",
        message: "\(place) holds the value of the secret '\(name)', which a document may not",
        help: "take the value out"
          + (SecretReference.text(for: name).map { "; a request takes \($0)" } ?? ""))
    case .notRepeatable(let path):
      self.init(
        code: ExitCode.usage, error: "notAFile",
        message: "\(path) is read twice, and what is in it comes only once",
        help: "write it to a file first")
    case .taken(let path, let reason):
      self.init(
        code: ExitCode.cannotCreate, error: "exists",
        message: "\(path): \(reason); it was stored after the file was checked",
        help: "--existing keep leaves what is here, and --existing replace replaces it")
    case .noDatabase(let path):
      self.init(
        code: ExitCode.missing, error: "missing", message: "there is no database yet (\(path))",
        help: "check the folder, such as that of --home; nothing was written")
    case .noCollection(let name):
      self.init(
        code: ExitCode.missing, error: "missing", message: "there is no collection '\(name)'",
        help: "'db list' shows which there are")
    }
  }

  /// The failure of an import that had written a part: that of its cause, with what was written.
  init(_ error: IncompleteImport) {
    self.init(any: error.cause)
    let (added, replaced) = (error.counts.added, error.counts.replaced)
    message +=
      "; \(Counted.text(added, "entry was", plural: "entries were")) added and \(replaced) replaced "
      + "before"
    help =
      "import the file again with --existing \(error.existing == .replace ? "replace" : "keep")"
  }

  /// The exit code of a secret that there is no terminal to ask for: 64.
  init(_ error: SecretInputError) {
    let (what, help): (String, String) =
      switch error {
      case .value: ("the value", "use --from-file FILE, --from-stdin or --generate N")
      case .passphrase(let keychain):
        ("the passphrase of \(keychain)", "use --passphrase-file FILE or --key-file FILE")
      case .newPassphrase:
        ("the new passphrase", "use --new-from-file FILE or --new-from-stdin")
      }
    self.init(
      code: ExitCode.usage, error: "noInput",
      message: "there is no terminal to ask for \(what)", help: help)
  }
}
