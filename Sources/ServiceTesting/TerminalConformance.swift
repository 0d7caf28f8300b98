import SwiftBoardDependencies

/// The rules of `TerminalService`, as checks of an implementation.
///
/// A check specifies the user's input and standard input. The closure creates a terminal with both.
///
/// ```swift
/// let checks = TerminalConformance(hasUser: false) { _ in
///   TerminalConformance.Subject(SilentTerminal())
/// }.checks
/// ```
public struct TerminalConformance: Sendable {
  /// The inputs of a terminal for one check.
  public struct Scene: Sendable {
    /// The lines that the user types, without newlines: one for each prompt, after it is shown.
    /// Every prompt ends with a colon and a space.
    public var answers: [String]
    /// The content of standard input.
    public var input: Data
  }

  /// A terminal, and its output.
  public struct Subject: Sendable {
    /// The terminal.
    public var service: any TerminalService
    /// Returns the revealed secrets so far.
    public var revealed: @Sendable () async throws -> Data
    let kept: (any Sendable)?

    /// Creates a subject for one check.
    ///
    /// - Parameters:
    ///   - keeping: A value to keep as long as the terminal is used, for example a temporary
    ///     folder.
    ///   - revealed: Returns the standard output. Not called for a terminal without a user.
    public init(
      _ service: any TerminalService, keeping kept: (any Sendable)? = nil,
      revealed: @escaping @Sendable () async throws -> Data = { Data() }
    ) {
      self.service = service
      self.kept = kept
      self.revealed = revealed
    }
  }

  private let hasUser: Bool
  private let make: @Sendable (_ scene: Scene) async throws -> Subject

  /// Creates a suite. `make` returns a new terminal for each call.
  ///
  /// - Parameter hasUser: Whether prompts are answered and standard input exists, as a scene
  ///   specifies. If `false`, the checks are those of a terminal without either.
  public init(
    hasUser: Bool = true, _ make: @escaping @Sendable (_ scene: Scene) async throws -> Subject
  ) {
    self.hasUser = hasUser
    self.make = make
  }

  /// The checks of all rules. With a user: prompts, new passphrases, hidden input, standard input
  /// and revealed secrets. Without one: nothing is asked or read.
  public var checks: [ConformanceCheck] { hasUser ? promptChecks + inputChecks : silentChecks }

  private var promptChecks: [ConformanceCheck] {
    [
      check("what is typed at a prompt is the answer", typed: ["a pässword, with spaces "]) {
        try await equal(
          answer($0.service, isNew: false), Data("a pässword, with spaces ".utf8))
      },
      check("a new passphrase is typed twice", typed: ["new", "new"]) {
        try await equal(answer($0.service, isNew: true), Data("new".utf8))
      },
      check("a new passphrase that is typed differently is a mismatch", typed: ["one", "two"]) {
        let terminal = $0.service
        try await equal(
          failure(TerminalError.self) {
            try await terminal.askPassphrase(prompt: prompt, isNew: true)
          }?.kind, .mismatch)
      },
      check("a number that is typed chooses, and anything else is asked again", typed: ["x", "2"]) {
        try await equal($0.service.choose("which?", among: ["one", "two"]), 1)
      },
      check("prompts are answered while input is hidden and afterwards", typed: ["a", "b", "c"]) {
        let terminal = $0.service
        terminal.hideInput()
        terminal.hideInput()
        try await equal(answer(terminal, isNew: false), Data("a".utf8))
        terminal.showInput()
        try await equal(answer(terminal, isNew: false), Data("b".utf8))
        terminal.showInput()
        try await equal(answer(terminal, isNew: false), Data("c".utf8))
      },
    ]
  }

  private var inputChecks: [ConformanceCheck] {
    let bytes = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0) })
    let limit = bytes.count
    return [
      check("standard input is read to its end, byte for byte, once", input: bytes) {
        let terminal = $0.service
        try await equal(terminal.readInput(limit: limit), bytes)
        try await equal(
          failure(TerminalError.self) { try await terminal.readInput(limit: limit) }?.kind,
          .unavailable)
      },
      check("a secret is read as other input is", input: bytes) {
        try await equal(
          $0.service.readSecret(limit: limit).withBytes { Data($0) }, bytes)
      },
      check("more bytes than the limit are refused", input: bytes) {
        let terminal = $0.service
        try await equal(
          failure(TerminalError.self) {
            try await terminal.readInput(limit: limit - 1)
          }?.kind, .tooLong)
      },
      check("empty input is unavailable, also as a secret") {
        let terminal = $0.service
        try await equal(
          failure(TerminalError.self) { try await terminal.readSecret(limit: limit) }?.kind,
          .unavailable)
      },
      check("a secret is revealed byte for byte, and progress is not written with it") {
        $0.service.show(TransferProgress(name: "a", done: 1, total: nil))
        await $0.service.reveal(bytes)
        $0.service.show(TransferProgress(name: "a", done: 2, total: 2))
        $0.service.show(nil)
        try await equal($0.revealed(), bytes)
      },
    ]
  }

  private var silentChecks: [ConformanceCheck] {
    [
      check("nothing is chosen without a user") {
        try await equal($0.service.choose("which?", among: ["one", "two"]), nil)
      },
      check("without a user nothing is asked") {
        try await equal(answer($0.service, isNew: false), nil)
        $0.service.hideInput()
        try await equal(answer($0.service, isNew: true), nil)
        $0.service.showInput()
        try await equal(answer($0.service, isNew: false), nil)
      },
      check("without standard input there is none to read") {
        let terminal = $0.service
        try await equal(
          failure(TerminalError.self) { try await terminal.readInput(limit: 10) }?.kind,
          .unavailable)
        try await equal(
          failure(TerminalError.self) { try await terminal.readSecret(limit: 10) }?.kind,
          .unavailable)
      },
    ]
  }

  private func check(
    _ rule: String, typed answers: [String] = [], input: Data = Data(),
    _ body: @escaping @Sendable (_ subject: Subject) async throws -> Void
  ) -> ConformanceCheck {
    ConformanceCheck("TerminalService", rule) {
      let subject = try await make(Scene(answers: answers, input: input))
      try await body(subject)
      withExtendedLifetime(subject) {}
    }
  }
}

private let prompt = "Passphrase: "

/// Returns the bytes of an answer.
private func answer(_ terminal: any TerminalService, isNew: Bool) async throws -> Data? {
  try await terminal.askPassphrase(prompt: prompt, isNew: isNew)?.withBytes { Data($0) }
}
