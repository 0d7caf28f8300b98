import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardRecording

/// The changes that remove secrets from a board's state once they have become known.
public struct SecretRemoval: Codable, Sendable, Equatable {
  /// A running command whose state contains a secret.
  public struct Command: Codable, Sendable, Equatable {
    /// The name of its feature.
    public var feature: String
    /// Its job.
    public var job: Int
    /// The name of the secret.
    public var secret: String
  }

  /// The new values of variables, with marks in place of secrets.
  public var variables: [String: String] = [:]
  /// The variables to remove, because a secret is in their names: the digests of these. In earlier
  /// recordings, the names.
  public var unsets: [String]?
  /// The new last value, as JSON text.
  public var last: String?
  /// The length in bytes of the last value that was searched. A command that ends in the meantime
  /// replaces that value.
  public var lastLength: Int?
  /// The digests of the names of the aliases to remove. In earlier recordings, the names.
  public var aliases: [String]?
  /// The new contexts of running commands.
  public var running: [CommandContext]?
  /// The new name of the recording.
  public var recording: String?
  /// The features that forget what services answered and what was typed.
  public var forgets: [String]?
  /// The running commands whose text leaves the states of their features.
  public var hides: [Command]?

  /// Creates a removal without changes.
  init() {}
}

extension ShellState {
  /// The texts that are not in the JSON of the state.
  fileprivate var longTexts: [String] {
    (variables.values + [last].compactMap(\.self)).filter { $0.reference != nil }
      .compactMap(\.text)
  }
}

// MARK: Searching

extension SecretRemoval {
  /// Searches a state for known secrets. O(size of the state). A removal without changes is one of
  /// text in the last end of a command, which leaves the state with the next step.
  ///
  /// - Returns: `nil` if there are none.
  init?(from state: BoardState, _ features: FeatureList, _ redactor: Redactor) {
    let isFound = { (text: String) in !redactor.mask(text).names.isEmpty }
    guard redactor.hasSecrets, let bytes = try? CanonicalEncoder.encode(state),
      !redactor.mask(bytes).names.isEmpty || state.shell.longTexts.contains(where: isFound)
    else { return nil }
    unsets = Self.digests(of: state.shell.variables.keys.filter(isFound))
    for (name, value) in state.shell.variables where !isFound(name) {
      guard let text = value.text, isFound(text) else { continue }
      variables[name] = redactor.mask(text).value
    }
    if let last = state.shell.last?.text {
      let masked = redactor.mask(last, isJSON: true)
      if !masked.names.isEmpty { (self.last, lastLength) = (masked.value, last.utf8.count) }
    }
    aliases = Self.digests(
      of: (state.shell.aliases ?? [:]).filter { isFound($0.key) || isFound($0.value) }.map(\.key))
    running =
      state.shell.running.compactMap { context in
        (try? redactor.masking(context)).flatMap { $0.masked == nil ? nil : $0.value }
      }.nilIfEmpty
    recording = state.session.recording.flatMap { isFound($0) ? redactor.mask($0).value : nil }
    findInFeatures(of: state, features, redactor)
  }

  private static func digest(of name: String) -> String { Digest(of: name.utf8).description }

  private static func digests(of names: [String]) -> [String]? {
    names.map(digest).sorted().nilIfEmpty
  }

  /// Returns the names among these that a removal lists.
  fileprivate static func names(
    _ removed: [String]?, among names: some Sequence<String>
  ) -> [String] {
    guard let removed else { return [] }
    return names.filter { removed.contains(digest(of: $0)) || removed.contains($0) }.sorted()
  }

  private mutating func findInFeatures(
    of state: BoardState, _ features: FeatureList, _ redactor: Redactor
  ) {
    var state = state
    guard let whole = JSON(encoding: state) else { return }
    let found = features.features.filter { redactor.secret(in: whole[$0.name]) != nil }
    forgets = found.map(\.name).nilIfEmpty
    for feature in found { feature.changes.forget(&state) }
    guard let rest = JSON(encoding: state) else { return }
    hides =
      found.flatMap { feature in
        rest[feature.name].map { Self.commands(in: $0, of: feature.name, redactor) } ?? []
      }.nilIfEmpty
  }

  /// Returns the features whose states still contain a known secret after the removal, because
  /// their `forget`, `hide` or `cancelled` leaves it there. O(size of the state).
  func remaining(
    in state: BoardState, _ features: FeatureList, _ redactor: Redactor
  ) -> [String] {
    guard let forgets else { return [] }
    var state = state
    for command in state.apply(self, features) {
      features[command.feature]?.changes.cancelled(&state, command.job)
    }
    guard let rest = JSON(encoding: state) else { return [] }
    return forgets.filter { redactor.secret(in: rest[$0]) != nil }
  }

  /// Returns the commands in a part of a feature's state: objects that have a job.
  private static func commands(
    in json: JSON, of feature: String, _ redactor: Redactor
  ) -> [Command] {
    guard let secret = redactor.secret(in: json) else { return [] }
    switch json {
    case .array(let elements): return elements.flatMap { commands(in: $0, of: feature, redactor) }
    case .object(let members):
      if let job = json["job"]?.intValue {
        return [Command(feature: feature, job: job, secret: secret)]
      }
      return members.flatMap { commands(in: $0.value, of: feature, redactor) }
    case .null, .bool, .number, .string: return []
    }
  }
}

// MARK: Telling

extension SecretRemoval {
  /// Returns what the user has to know, in one line, or `nil` if neither a variable nor an alias
  /// changes, and no feature keeps the value.
  ///
  /// - Parameters:
  ///   - state: The state that was searched.
  ///   - remaining: The features that keep it.
  func note(of state: BoardState, _ redactor: Redactor, remaining: [String]) -> String? {
    func listed(_ kind: String, _ plural: String, _ names: [String]) -> String? {
      guard !names.isEmpty else { return nil }
      let shown = names.map { "'\(redactor.mask($0).value)'" }.joined(separator: ", ")
      return "the \(names.count == 1 ? kind : plural) \(shown)"
    }
    let marked = listed("variable", "variables", variables.keys.sorted())
    let removed = [
      listed("variable", "variables", Self.names(unsets, among: state.shell.variables.keys)),
      listed("alias", "aliases", Self.names(aliases, among: (state.shell.aliases ?? [:]).keys)),
    ].compactMap(\.self)
    let changes = [
      marked.map { "a mark stands for it in \($0)" },
      removed.isEmpty ? nil : "removed with it: \(removed.joined(separator: ", "))",
      listed("feature", "features", remaining).map {
        "it stays in the state of \($0): start the program again before 'state' or "
          + "'session record', which show it"
      },
    ].compactMap(\.self)
    return changes.isEmpty
      ? nil : "a value has become a secret; \(changes.joined(separator: "; "))"
  }
}

extension Redactor {
  /// Returns the name of a secret in a value, also in its numbers and keys.
  fileprivate func secret(in json: JSON?) -> String? {
    json.flatMap { mask($0.text, isJSON: true).names.first }
  }
}

extension JSON {
  fileprivate init?(encoding state: BoardState) {
    guard let json = try? JSON(parsing: CanonicalEncoder.encode(state)) else { return nil }
    self = json
  }
}

extension Array {
  fileprivate var nilIfEmpty: Self? { isEmpty ? nil : self }
}

// MARK: Removing

extension BoardState {
  /// Removes secrets.
  ///
  /// - Returns: The commands that cannot continue without the removed text.
  mutating func apply(
    _ removal: SecretRemoval, _ features: FeatureList
  ) -> [SecretRemoval.Command] {
    for name in SecretRemoval.names(removal.aliases, among: (shell.aliases ?? [:]).keys) {
      shell.removeAlias(name)
    }
    for name in SecretRemoval.names(removal.unsets, among: shell.variables.keys) {
      shell.variables[name] = nil
    }
    // A step in between may have removed a variable, or counted the rows of a command.
    for (name, value) in removal.variables {
      shell.variables[name] = shell.variables[name].map { StateText(value, inPlaceOf: $0) }
    }
    if let text = removal.last, let last = shell.last, last.count == removal.lastLength {
      shell.last = StateText(text, inPlaceOf: last)
    }
    for context in removal.running ?? [] {
      for index in shell.running.indices where shell.running[index].job == context.job {
        let parts = shell.running[index].parts
        shell.running[index] = context
        shell.running[index].parts = parts
      }
    }
    if let recording = removal.recording, session.recording != nil { session.recording = recording }
    // The next line that shows the state tries again.
    shell.unloaded = nil
    for feature in features.features where removal.forgets?.contains(feature.name) == true {
      feature.changes.forget(&self)
    }
    return (removal.hides ?? []).filter {
      features[$0.feature]?.changes.hide(&self, $0.job) != true
    }
  }
}

extension Failure {
  /// The failure of a command that ends because its text contains a secret that has become known.
  init(hiding command: SecretRemoval.Command) {
    self.init(
      code: ExitCode.usage, error: "usage",
      message: "ended: the line contains the value of the secret '\(command.secret)', "
        + "which became known while it ran",
      help: SecretReference.text(for: command.secret).map { "write \($0)" })
  }
}
