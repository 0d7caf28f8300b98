import SwiftBoardCommandLine

/// A command that `watch` repeats, as its line has it.
public struct WatchCommand: Codable, Sendable, Equatable {
  /// A word of the command.
  public struct Word: Codable, Sendable, Equatable {
    /// Its text, with names in place of secrets.
    public var text: SecretTemplate
    /// Whether it was quoted, and is no option.
    public var isQuoted: Bool
    /// Whether the quotes were double ones, in which `assert` takes the text for a string. `nil` if
    /// not, as in earlier recordings.
    public var isDoubleQuoted: Bool?
    /// See `Argument.typedCount`. `nil` if nothing was inserted, and in earlier recordings.
    public var typedCount: Int?
    /// Whether it is one inserted value, and is no option. `nil` if not, as in earlier recordings.
    public var isInserted: Bool?
    /// Whether `~/` at the start of a file's name is the user's home. `nil` if not, as in earlier
    /// recordings.
    public var mayNameHome: Bool?

    /// A word of a line.
    init(_ word: Argument) {
      text = word.template
      isQuoted = word.isQuoted
      isDoubleQuoted = word.quoting == .double ? true : nil
      typedCount = word.typedCount
      isInserted = word.isInserted ? true : nil
      mayNameHome = word.home == nil ? nil : true
    }
  }

  /// The options of `watch` itself.
  static let options = [OptionSpec("count", value: "N", "end after N rounds", kind: .int)]

  /// Milliseconds from the end of a round to the next one.
  public var interval: Int64
  /// The number of rounds; `nil`: until it is cancelled.
  public var count: Int?
  /// The command.
  public var words: [Word]

  /// Returns the words as a line has them. Whether one in quotes is meant as an option was checked
  /// with the line, where `--` may be in front of `watch`.
  func arguments(userHome: String?) -> [Argument] {
    words.map { word in
      var argument = Argument(
        parts: word.text.parts,
        quoting: word.isDoubleQuoted == true ? .double : word.isQuoted ? .data : .none,
        typedCount: word.typedCount, isInserted: word.isInserted == true)
      if word.mayNameHome == true { argument.home = userHome }
      return argument
    }
  }

  static func command(_ invocation: Invocation) throws(UsageError) -> BoardCommand {
    let interval = try invocation.requiredDuration("interval")
    guard interval >= .milliseconds(1) else {
      throw UsageError("the interval is at least 1ms", at: invocation.argument("interval"))
    }
    let count = try invocation.int("count", in: 1 ... .max)
    let words = invocation.arguments("command")
    if let first = words.first, let text = first.text,
      ["watch", "exit", "source", "wait"].contains(text)
    {
      throw UsageError("'\(text)' cannot be repeated", at: first)
    }
    if let first = words.first, !first.isQuoted, let text = first.text,
      text.hasPrefix("!") || ["-", "time"].contains(text)
    {
      let prefix = text.hasPrefix("!") ? "!" : text
      throw UsageError(
        "the prefix '\(prefix)' is of a whole line, and cannot be repeated",
        help: "write it before watch: '\(prefix) watch ...'", at: first)
    }
    let watch = WatchCommand(
      interval: interval.microseconds / 1000, count: count,
      words: words.map(Word.init))
    return BoardCommand(repeating: words, isEndless: count == nil) {
      .shell(.run(context: $0, command: .watch(watch: watch)))
    }
  }
}

/// A command that is being repeated.
public struct RepeatedCommand: Codable, Sendable, Equatable {
  /// The job of `watch`; the cancel ID of its pauses.
  public var job: Int
  /// Milliseconds from the end of a round to the next one.
  public var interval: Int64
  /// The number of rounds that are left, this one included; `nil`: until it is cancelled.
  public var left: Int?
  /// Whether a round is to begin, or runs; not during a pause.
  public var isDue: Bool
}

extension ShellState {
  /// Whether a round of a `watch` is to begin; `nil` once there is no such `watch`.
  func isDue(_ job: Int) -> Bool? { watches?.first { $0.job == job }?.isDue }

  mutating func beginWatch(_ job: Int, _ watch: WatchCommand) {
    watches =
      (watches ?? []) + [
        RepeatedCommand(job: job, interval: watch.interval, left: watch.count, isDue: true)
      ]
  }

  mutating func beginRound(of job: Int) {
    guard let index = watches?.firstIndex(where: { $0.job == job }) else { return }
    watches?[index].isDue = true
  }

  /// - Returns: The command before its next round; `nil` after the last one.
  mutating func endRound(of job: Int, status: Int32) -> RepeatedCommand? {
    guard let index = watches?.firstIndex(where: { $0.job == job }), var watch = watches?[index]
    else { return nil }
    watch.isDue = false
    watch.left = watch.left.map { $0 &- 1 }
    watches?[index] = watch
    guard watch.left == 0 else { return watch }
    endWatch(job)
    return nil
  }

  mutating func endWatch(_ job: Int) {
    watches?.removeAll { $0.job == job }
    if watches?.isEmpty == true { watches = nil }
  }
}

extension [Argument] {
  /// The command that a line with `watch` repeats, or the words as they are: what may stand in a
  /// line may stand behind `watch` as well, and no more.
  ///
  /// - Parameter firstWords: The first words of all commands.
  func withoutWatch(_ firstWords: Set<String>) -> [Argument] {
    guard first?.text == "watch", count > 2 else { return self }
    // Options with and without values may stand before the command: it begins with the first word
    // that is neither an option nor a value, and the words after a wrong guess are searched too.
    let start = self[1...].firstIndex { word in
      guard let text = word.text, !text.hasPrefix("-") else { return false }
      return firstWords.contains(text)
    }
    if let start { return Array(self[start...]).withoutCount.withoutWatch(firstWords) }
    // The first word behind options, their values and the interval.
    let unknown = self[1...].firstIndex { word in
      word.text?.first.map { $0 != "-" && !$0.isNumber } ?? true
    }
    return Array(self[(unknown ?? 2)...])
  }

  /// The words without `--count N`, which may stand behind the repeated command, before `--`. A
  /// longer number may be a secret.
  private var withoutCount: [Argument] {
    func isCount(_ text: some StringProtocol) -> Bool {
      (1...5).contains(text.utf8.count) && text.allSatisfy(\.isWholeNumber)
    }
    var words: [Argument] = []
    var rest = self[...]
    while let word = rest.popFirst() {
      let text = word.isQuoted ? nil : word.text
      if text == "--" { return words + [word] + rest }
      if text == "--count", let next = rest.first, !next.isQuoted, next.text.map(isCount) == true {
        rest.removeFirst()
      } else if text.map({ $0.hasPrefix("--count=") && isCount($0.dropFirst(8)) }) != true {
        words.append(word)
      }
    }
    return words
  }
}
