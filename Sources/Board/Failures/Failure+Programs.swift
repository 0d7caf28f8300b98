import SwiftBoardDependencies

extension Failure {
  /// The exit code of an error of a program: 3, 4, 5, 65, 66, 69, 73, 76 or 77 by its kind, and
  /// those of the client, the keychain and the terminal.
  public init(_ error: ProgramError) {
    self = Failure(ofProgram: error)
    if let proxy = error.proxy {
      message += ", through the proxy \(proxy)"
      // Nothing shows that the program has refused its key. Advice to follow a redirect or to try
      // again is right about a proxy, too.
      if code != 3, code != 5 {
        help =
          "the proxy may have answered itself: check what it lets through; no_proxy names hosts to "
          + "reach without it"
      }
    }
    if error.isUncertain {
      let advice = Self.uncertaintyAdvice(about: error.program)
      // Advice on how to get past the page stays right.
      if case .page = error.kind, let help {
        self.help = "\(advice); \(help)"
      } else {
        help = advice
      }
    }
  }

  private init(ofProgram error: ProgramError) {
    let (program, service) = (error.program, error.service)
    switch error.kind {
    case .api(let reason) where reason.kind == .cancelled && error.mayHaveChanged:
      self.init(
        code: ExitCode.interrupted, error: "cancelled",
        message: "cancelled; \(program) may have made the change",
        help: "look at it before the line is repeated")
    case .api(let reason) where reason.wasSent == true:
      let failure = Failure(reason)
      self.init(
        code: failure.code, error: failure.error, message: failure.message,
        help: Self.uncertaintyAdvice(about: program))
    case .api(let error): self.init(error)
    case .keychain(let error): self.init(error)
    case .terminal(let error): self.init(error)
    case .unusableKey(let secret):
      self.init(
        code: ExitCode.data, error: "notText",
        message: "the secret '\(secret)' is not a key that \(program) takes",
        help: "store it again with 'keychain set \(secret)'")
    case .wrongKey(let secret?):
      self.init(
        code: ExitCode.denied, error: "wrongKey",
        message: "\(program) refuses the key of the service '\(service)', the secret '\(secret)'",
        help: "'keychain set \(secret)' stores the right one; \(program) shows it in its settings")
    case .refusedKey(let secret):
      self.init(
        code: ExitCode.denied, error: "wrongKey",
        message: """
          what answers at \(error.address) refuses the key of the service '\(service)', the secret \
          '\(secret)'
          """,
        help: "check that it is \(program); 'keychain set \(secret)' stores the right key")
    case .denied(let reason):
      self.init(
        code: ExitCode.denied, error: "denied",
        message: "\(program) refuses access: \(reason ?? "it does not say why")",
        help: reason == nil
          ? "it may be the key, the name of the host or the network: see the settings of \(program)"
          : "the settings of \(program) say which hosts and networks it admits")
    case .wrongKey(nil):
      self.init(
        code: ExitCode.denied, error: "wrongKey",
        message: "\(program) wants a key, and the service '\(service)' has none",
        help: Self.keyAdvice(for: program, service))
    case .wrongProgram(let found):
      self.init(
        code: ExitCode.networkProtocol, error: "wrongProgram",
        message: "\(found ?? "something else") answers at \(error.address), not \(program)",
        help: found.flatMap { Self.advice(for: $0, service) }
          ?? "check the address: 'api service show \(service)'")
    case .wrongPath:
      self.init(
        code: ExitCode.missing, error: "wrongPath",
        message: "the server answers, but \(Self.api(of: program)) is not at \(error.address)",
        help: "'api service test \(service)' \(Self.testAdvice)to change the address, "
          + "'api service remove \(service)' and add it with one like "
          + Self.usualAddress(of: program))
    case .redirected(let location):
      self.init(
        code: ExitCode.missing, error: "wrongPath",
        message: "\(error.address) redirects to \(location)",
        help: "if \(program) is there, 'api service remove \(service)' and add it with that "
          + "address; a login has to let requests to \(Self.api(of: program)) pass")
    case .redirectedWithin(let origin):
      self.init(
        code: ExitCode.missing, error: "wrongPath",
        message: "\(error.address) redirects to another path at \(origin)",
        help: "a login has to let requests to \(Self.api(of: program)) pass; the address is "
          + "usually like " + Self.usualAddress(of: program))
    case .page(let title):
      self.init(
        code: ExitCode.missing, error: "wrongPath",
        message: "the page '\(title)' answers at \(error.address), not \(Self.api(of: program))",
        help: "a login has to let requests to \(Self.api(of: program)) pass; the address is "
          + "usually like " + Self.usualAddress(of: program))
    case .missing(let id):
      self.init(
        code: ExitCode.missing, error: "missing",
        message: "\(program) has no item with the ID \(id)")
    case .notQueued(let id):
      self.init(
        code: ExitCode.missing, error: "missing",
        message: "\(program) has no download with the ID \(id) in its queue",
        help: Self.queueAdvice(for: program, service))
    case .exists:
      self.init(
        code: ExitCode.cannotCreate, error: "exists", message: "\(program) has it already")
    case .refused(let reasons):
      let reason = reasons.isEmpty ? "it does not say why" : reasons.joined(separator: " ")
      self.init(
        code: ExitCode.data, error: "refused", message: "\(program) refuses this: \(reason)")
    case .status(let status, let reason):
      self.init(
        code: status < 400 ? 3 : status < 500 ? 4 : 5, error: "httpStatus",
        message: "\(program) answers with HTTP \(status)" + (reason.map { ": \($0)" } ?? ""),
        help: error.isTemporary ? Self.retryAdvice : nil)
    case .undecodable(let path):
      let place =
        switch path {
        case "": "it is not JSON"
        case "[]": "it is not an array"
        case "{}": "it is not an empty object"
        default: "'\(path)' is missing or of another kind"
        }
      self.init(
        code: ExitCode.data, error: "undecodable",
        message: "\(program)'s answer has another form than its API: \(place)",
        help: "'api service test \(service)' says which version it is")
    case .unanswered(let message):
      self.init(code: ExitCode.unavailable, error: "unanswered", message: message)
    }
  }

  /// Returns the failure with the advice that its command can follow.
  ///
  /// - Parameters:
  ///   - option: The option of the command that asks for less, or `nil` if it has none.
  ///   - hasRetry: Whether the command has `--retry`.
  package func withAdvice(narrowing option: String? = nil, hasRetry: Bool) -> Failure {
    var failure = self
    if error == "tooLarge", let option { failure.help = "ask for less with \(option)" }
    if !hasRetry, help == Self.retryAdvice { failure.help = nil }
    return failure
  }

  /// Returns the failure of `api service test`, without the advice to run it.
  package var forServiceTest: Failure {
    var failure = withAdvice(hasRetry: false)
    if let help, let advice = help.firstRange(of: Self.testAdvice) {
      failure.help = String(help[advice.upperBound...])
    }
    return failure
  }

  private static func uncertaintyAdvice(about program: String) -> String {
    "\(program) may have made the change; look at it before the line is repeated"
  }

  private static let retryAdvice = "--retry 3 tries again"
  private static let testAdvice = "says what is there; "

  private static func advice(for program: String, _ service: String) -> String? {
    ServicePreset(title: program).map {
      "'api service remove \(service)', and add it with --preset \($0.rawValue)"
    }
  }

  private static func keyAdvice(for program: String, _ service: String) -> String? {
    ServicePreset(title: program)?.authentication(secret: "", user: nil) == nil
      ? "'api service remove \(service)', and add it with --auth" : advice(for: program, service)
  }

  private static func queueAdvice(for program: String, _ service: String) -> String? {
    switch ServicePreset(title: program)?.program {
    case .media: "'media queue \(service)' shows what is in it"
    case .downloads: "'downloads list \(service)' shows what is in it"
    case .characters, nil: nil
    }
  }

  /// Returns what answers requests: a program's API, or what is one itself.
  private static func api(of program: String) -> String {
    program.hasSuffix("API") ? program : "\(program)'s API"
  }

  private static func usualAddress(of program: String) -> String {
    ServicePreset(title: program)?.usualAddress ?? "http://HOST/api"
  }
}

extension ProgramError {
  /// Whether the answer to a change does not tell if it was made. A status of 4xx refuses it.
  fileprivate var isUncertain: Bool {
    switch kind {
    case .status(let status, _): isOfChange && !(400..<500).contains(status)
    case .page, .undecodable: isOfChange
    default: false
    }
  }
}
