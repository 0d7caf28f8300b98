import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardRecording

extension Failure {
  /// The exit code of an HTTP error: 64 for the address, 78 for that of a proxy, 3, 4 or 5 for a
  /// status, and 65, 69, 74, 75, 76, 77 or 130 by its kind.
  public init(_ error: APIError) {
    if let problem = error.problem {
      self.init(problem)
      return
    }
    if let status = error.status {
      self.init(status: status, message: error.message)
      // The error of a proxy that requires a login says what to do.
      if status == 407, error.proxy != nil {
        help = nil
      } else {
        self = advisingOnProxy(error.proxy)
      }
      return
    }
    if error.tlsProblem == .encryptedKey {
      self.init(code: ExitCode.denied, error: "encryptedKey", message: error.message)
      return
    }
    let (code, name, help): (Int32, String, String?) =
      switch error.kind {
      case .invalidURL:
        (
          ExitCode.usage, error.kind.rawValue,
          "an address is like http://nas:7878/api; what a service asks for goes with --auth"
        )
      case .unsupportedScheme: (ExitCode.usage, error.kind.rawValue, nil)
      case .invalidProxy:
        (
          ExitCode.configuration, error.kind.rawValue,
          "write it as http://HOST:PORT, or with a login as USER:PASSWORD@HOST:PORT"
        )
      case .dns:
        (ExitCode.unavailable, "hostNotFound", "check its spelling and the network")
      // The message says what to do about a proxy.
      case .refused:
        (
          ExitCode.unavailable, "connectionRefused",
          error.proxy == nil ? "check that the service runs and listens there" : nil
        )
      case .unreachable:
        (ExitCode.unavailable, "unreachable", error.proxy == nil ? "check the network" : nil)
      case .offline:
        (
          ExitCode.unavailable, "unreachable",
          "without --offline, SWIFTBOARD_OFFLINE and 'offline' in config.json, it is sent"
        )
      case .libraryMissing: (ExitCode.unavailable, "libraryMissing", nil)
      case .unanswered: (ExitCode.unavailable, "unanswered", nil)
      case .unprepared: (ExitCode.data, "unprepared", nil)
      case .timeout:
        (ExitCode.temporary, "timeout", "give it longer with --timeout, for example --timeout 60s")
      case .cancelled: (ExitCode.interrupted, "cancelled", nil)
      case .tls: (ExitCode.networkProtocol, "tls", nil)
      case .truncated:
        (ExitCode.networkProtocol, "truncated", error.wasSent == true ? nil : "try again")
      case .malformed: (ExitCode.networkProtocol, "malformed", nil)
      case .redirectRefused: (ExitCode.networkProtocol, "redirectRefused", nil)
      case .tooManyRedirects:
        (ExitCode.networkProtocol, "tooManyRedirects", "follow more of them with --follow N")
      case .tooLarge, .tooLargeDecoded: (ExitCode.data, "tooLarge", nil)
      case .file: (ExitCode.io, "io", nil)
      case .undecodable: (ExitCode.data, "undecodable", nil)
      case .io: (ExitCode.io, "io", nil)
      }
    let continued = error.part.map {
      "\($0.bytes) bytes are in \($0.file).part; the same line goes on from there"
    }
    self.init(code: code, error: name, message: error.message, help: continued ?? help)
  }

  /// An answer whose status says that it has no value.
  private init(status: Int, message: String) {
    let help =
      switch status {
      case 401, 403:
        "check the key: 'api service show NAME' says which secret is sent, if any"
      case 429: "the service takes no more for now; --retry 3 tries again"
      case ..<500: "'api service list' shows where services are"
      case 502, 503, 504: "--retry 3 tries again"
      default: "the service failed; try later"
      }
    self.init(
      code: status < 400 ? 3 : status < 500 ? 4 : 5, error: "httpStatus", message: message,
      help: help)
  }

  /// Returns the failure with advice on the proxy that may have answered in place of the service,
  /// if there is one. Advice about the service stays, since it may have answered as well. Advice to
  /// follow a redirect or to try again is right about a proxy, too.
  package func advisingOnProxy(_ proxy: String?) -> Failure {
    guard proxy != nil, code == 4 else { return self }
    var failure = self
    let advice =
      "if the proxy answered itself, check what it lets through, or name the host in no_proxy"
    failure.help = help.map { "\($0); \(advice)" } ?? advice
    return failure
  }

  /// The exit code of a request that could not be put together: that of the service that failed, or
  /// 65.
  public init(_ problem: APIRequestProblem) {
    switch problem {
    case .keychain(let error): self.init(error)
    case .terminal(let error): self.init(error)
    case .file(let error): self.init(error)
    case .mark(let secret?, _):
      self.init(
        code: ExitCode.data, error: "maskedSecret", message: problem.message,
        help: (SecretReference.text(for: secret).map { "select another part, write \($0)," }
          ?? "select another part,") + " or use --out or --capture")
    case .mark(nil, _):
      self.init(
        code: ExitCode.data, error: "maskedSecret", message: problem.message,
        help: "select another part, or use --out or --capture")
    case .secretNotText:
      self.init(code: ExitCode.data, error: "notText", message: problem.message)
    case .secretWithControls(let name):
      self.init(
        code: ExitCode.data, error: "notText", message: problem.message,
        help: "members of a body take it; if it has one line only, store it again without its "
          + "line breaks with 'keychain set \(name)'")
    case .secretNeedsEscape(let name):
      self.init(
        code: ExitCode.data, error: "notJSON", message: problem.message,
        help: "give it as a member, which is escaped: NAME={{secret:\(name)}}")
    case .fileNotText(_, let member):
      self.init(
        code: ExitCode.data, error: "notText", message: problem.message,
        help: "send it as a file with \(member)@FILE, or as the whole body with @FILE")
    case .notJSON(let member, _, let file):
      self.init(
        code: ExitCode.data, error: "malformedData", message: problem.message,
        help: "text goes with \(member)=" + (file.map { "@\($0)" } ?? "text"))
    }
  }

  /// The exit code of a keychain error: 64, 65, 66, 73, 74, 75, 77 or 78 by its kind; its name is
  /// the error's category.
  public init(_ error: KeychainError) {
    let code: Int32 =
      switch error.kind {
      case .missing, .missingKey, .missingUnlockSource: ExitCode.missing
      case .exists, .cannotCreate, .duplicateKey: ExitCode.cannotCreate
      case .tooLarge, .notAKeychain, .damaged, .unsupportedVersion, .malformedHeader,
        .malformedSlot, .malformedPayload, .unsupportedFlags, .kdfParametersRefused,
        .tamperedSlot, .tamperedHeader, .tamperedPayload, .differentKeychain, .rolledBack:
        ExitCode.data
      case .io, .kdfFailed, .changedUnderneath, .durabilityUnknown: ExitCode.io
      case .lockTimeout: ExitCode.temporary
      case .cancelled: ExitCode.interrupted
      case .locked, .wrongSecret, .noMatchingSlot, .insecurePath, .insecurePermissions, .notOwner,
        .slotSecretNeeded:
        ExitCode.denied
      case .invalidKey, .limitExceeded: ExitCode.usage
      case .invalidPassphrase, .invalidKeyFile, .unlockSourceAmbiguous: ExitCode.configuration
      }
    let help: String? =
      switch error.kind {
      case .missingKey: "'keychain list' shows the names there are"
      case .slotSecretNeeded where error.slot?.kind == "keyFile":
        "name its key file with --key-file FILE"
      case .slotSecretNeeded where error.slot?.kind == "passphrase":
        "name a file with it by --passphrase-file FILE, or run it at a terminal"
      case .locked: (error.remedy ?? .unlock).words
      default: error.remedy?.words
      }
    self.init(code: code, error: error.category, message: error.message, help: help)
  }

  /// The exit code of a database error: 65, 70, 73, 74 or 130 by its kind.
  public init(_ error: PersistenceError) {
    let code: Int32 =
      switch error.kind {
      case .invalid, .corrupted, .notADatabase, .foreignDatabase, .newerSchema, .foreignLog:
        ExitCode.data
      case .exists, .cannotCreate: ExitCode.cannotCreate
      case .busy, .full, .io, .readOnly, .cannotOpen, .moved: ExitCode.io
      case .cancelled: ExitCode.interrupted
      case .misuse: ExitCode.software
      }
    let isNewerCache =
      error.kind == .newerSchema && error.path.hasSuffix("/cache.sqlite")
    // What is kept in memory.
    let hasNoFile = error.kind == .cannotCreate && error.path.isEmpty
    self.init(
      code: code, error: error.kind.rawValue, message: error.message,
      help: error.damaged?.advice
        ?? (hasNoFile ? "'db export FILE' writes what is there" : error.kind.advice))
    if isNewerCache { help? += " Or move the cache away: nothing in it is unique." }
  }

  /// The exit code of a file error: 64, 65, 66, 73 or 74 by its kind.
  public init(_ error: FileError) {
    let code: Int32 =
      switch error.kind {
      case .missing: ExitCode.missing
      case .exists, .cannotCreate, .ownFile: ExitCode.cannotCreate
      case .tooLarge: ExitCode.data
      case .denied, .full, .io: ExitCode.io
      case .unavailable: ExitCode.usage
      }
    let help =
      error.kind == .unavailable
      ? "name a file, or give the lines with -f FILE or -c LINE" : nil
    self.init(code: code, error: error.kind.rawValue, message: error.message, help: help)
  }

  /// The exit code of a terminal error: 64, 65, 74, 77 or 130 by its kind.
  public init(_ error: TerminalError) {
    let code: Int32 =
      switch error.kind {
      case .interrupted: ExitCode.interrupted
      case .unanswered: ExitCode.denied
      case .mismatch, .empty, .unavailable: ExitCode.usage
      case .tooLong: ExitCode.data
      case .io: ExitCode.io
      }
    self.init(code: code, error: error.kind.rawValue, message: error.message)
  }

  /// The exit code of a note that was not written: 64 or 74.
  public init(_ error: LogNoteError) {
    switch error {
    case .disabled:
      self.init(
        code: ExitCode.usage, error: "disabled", message: "the level of the log leaves notes out",
        help: "'log level note notice' lets them in")
    case .dropped(let reason):
      self.init(
        code: ExitCode.io, error: "io",
        message: "the log lost a record in the meantime, which may be the note"
          + (reason.map { ": \($0)" } ?? ""),
        help: "'doctor' says where the log is, and whether its disk is full")
    case .late:
      self.init(
        code: ExitCode.io, error: "io",
        message: "the note is not in the log after 30 s, and may still get there",
        help: "'doctor' says where the log is; another process may hold its lock")
    }
  }

  /// Creates a failure from any error of a service.
  public init(any error: any Error) {
    switch error {
    case let error as Failure: self = error
    case let error as APIError: self.init(error)
    case let error as APIRequestProblem: self.init(error)
    case let error as KeychainError: self.init(error)
    case let error as PersistenceError: self.init(error)
    case let error as DatabaseTransferError: self.init(error)
    case let error as IncompleteImport: self.init(error)
    case let error as MarkedTextError: self = MarkedText.failure(error.mark, in: error.place)
    case let error as SecretInputError: self.init(error)
    case let error as FileError: self.init(error)
    case let error as TerminalError: self.init(error)
    case let error as ProgramError: self.init(error)
    case let error as LogNoteError: self.init(error)
    case let error as GraphError: self.init(error)
    case let error as UsageError: self.init(error)
    case let error as RecordingError: self.init(error)
    case let error as JSONConditionError: self.init(UsageError(error))
    case is CancellationError: self = .cancelled
    default:
      self.init(
        code: ExitCode.software, error: "internal", message: "unexpected: \(error)",
        help: "this is a fault of the program; please report it with the line that caused it")
    }
  }
}

extension PersistenceError.Kind {
  /// What to do, or `nil` if the message says it.
  fileprivate var advice: String? {
    switch self {
    case .busy: "Wait for the other process or end it, then try again."
    case .full: "Free some space and try again; nothing was changed."
    case .io: "A change that was under way is not confirmed. Check the disk, then try again."
    case .readOnly: "Change the permissions or the owner, or choose another folder with --home."
    case .cannotOpen, .cannotCreate:
      "Check that the folder exists and that you may read and write it."
    case .moved:
      "A change that was under way is not confirmed. The next command opens the file that is there "
        + "then."
    case .corrupted:
      "It was not changed. Save what can be read with 'db recover', then move it away (with the -wal "
        + "and -shm beside it), and put a backup or what was saved in its place."
    case .notADatabase:
      "Move the file away (with the -wal and -shm beside it); a backup can take its place."
    case .foreignLog:
      "Nothing was changed. If the file was restored, end all boards and move the -wal and -shm beside "
        + "it away. If it was not, they have the last changes: keep them; 'db recover' reads both."
    case .foreignDatabase: "Another program made it. Move it away or choose another folder."
    case .newerSchema: "A newer version made it. Install that version; nothing was changed."
    case .exists: "Choose another name, or remove what is there."
    case .misuse: "This is a bug; please report it."
    case .cancelled, .invalid: nil
    }
  }
}

extension PersistenceError.Entry {
  /// What to do about a damaged entry.
  fileprivate var advice: String {
    switch self {
    case .document: "Other documents can still be read; put this one again or restore a backup."
    case .preference: "Set it again, or unset it; the others can be read."
    case .service: "Remove it, and add it again."
    }
  }
}

extension KeychainError.Remedy {
  /// Advice in terms of the board's commands and variables.
  fileprivate var words: String {
    switch self {
    case .create: "make one with 'keychain init'"
    case .provideSecret:
      "make it at a terminal, which asks for a passphrase, or name one in "
        + "SWIFTBOARD_PASSPHRASE_FILE, SWIFTBOARD_PASSPHRASE_FD or SWIFTBOARD_KEY_FILE"
    case .unlock:
      "unlock it with 'keychain unlock' at the board's prompt, or name a secret in "
        + "SWIFTBOARD_PASSPHRASE_FILE, SWIFTBOARD_PASSPHRASE_FD or SWIFTBOARD_KEY_FILE"
    case .unlockWithPassphrase:
      "name the old passphrase's file in SWIFTBOARD_PASSPHRASE_FILE in place of "
        + "SWIFTBOARD_KEY_FILE, and the key file with --key-file FILE; 'keychain slot add' adds "
        + "a first passphrase"
    case .acceptOlder:
      "restore the newest file, or run 'keychain accept' if you restored a backup on purpose"
    case .acceptOther:
      "restore the right file, or run 'keychain accept' if you put this one here on purpose"
    case .chooseExisting:
      "--existing keep leaves what is here, --existing replace puts the imported in its place"
    }
  }
}
