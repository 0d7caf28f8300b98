import SwiftBoardJSON

/// The lessons of `tutorial`. Each one names a line to type, and is done when a command of that
/// kind succeeds, with what the lesson is about. A service has to answer without an error status.
enum Tutorial {
  struct Lesson: Sendable {
    /// What the line does.
    let text: String
    /// The line to type.
    let line: String
    /// The names of the commands that end the lesson.
    let commands: [String]
    /// What the line has besides the command.
    var parts: [String] = []
    /// What to do where the line fails.
    var advice: String?
  }

  static let lessons = [
    Lesson(
      text: "A line asks a service. 'sample' is one of the services that this board knows.",
      line: "api get sample/character/1", commands: ["api.get", "api"]),
    Lesson(
      text: "NAME==VALUE is a part of the query, and --select shows a part of the answer.",
      line: "api get sample/character page==1 --select results[0].name",
      commands: ["api.get", "api"], parts: ["==", "--select"]),
    Lesson(
      text: "{{last}} is the last answer as a whole: status, headers and body. Here it becomes a "
        + "document of a database.",
      line: "db put people first {{last}}", commands: ["db.put"],
      advice: "ask a service first: api get sample/character/1"),
    Lesson(
      text: "Documents are listed. --where shows those with a value, and --sort orders them.",
      line: "db list people --where status=200 --sort verdict", commands: ["db.list"]),
    Lesson(
      text:
        "Keys live in an encrypted keychain. Lines name them, as {{secret:radarr}}; no line, log "
        + "or recording has their value.", line: "keychain list", commands: ["keychain.list"]),
    Lesson(
      text: "The board can check itself. In a script, a failed assertion ends it.",
      line: "assert 'api.requests >= 2'", commands: ["assert"],
      advice: "it is true after two requests: api get sample/character/1"),
    Lesson(
      text:
        "From here on, every step goes into a file. It is the only thing that the tutorial keeps.",
      line: "session record tutorial.actions.jsonl", commands: ["session.record"],
      advice: "any file that is not there yet will do: session record again.actions.jsonl"),
    Lesson(text: "Change something.", line: "set colour green", commands: ["set"]),
    Lesson(
      text: "What happened? The steps of the recording so far:", line: "session timeline",
      commands: ["session.timeline"],
      advice: "'session record again.actions.jsonl' comes first, or 'tutorial next'"),
    Lesson(
      text: "Go back to the step before the change. 'session live' comes back.",
      line: "session undo", commands: ["session.undo", "session.goto"],
      advice: "'session record again.actions.jsonl' and 'set colour green' come first, or "
        + "'tutorial next'"),
    Lesson(text: "And back to now.", line: "session live", commands: ["session.live"]),
    Lesson(
      text:
        "End the recording. 'session replay' and the name of its file print the same again, on any "
        + "machine, without the services.", line: "session stop", commands: ["session.stop"],
      advice: "'session record again.actions.jsonl' comes first, or 'tutorial next'"),
  ]

  static let start =
    "Five minutes, a line at a time. Any other line works too; 'tutorial next' skips a lesson, "
    + "'tutorial stop' ends the tutorial.\n"
  static let end =
    "That was the tutorial. 'help' lists the commands, 'help COMMAND' explains one with examples. "
    + "What you have recorded stays in its file; everything else goes when you leave."
  static let over = "the tutorial is not running; 'tutorial restart' starts it again"

  /// Returns the text of a lesson, or that of the end after the last one.
  static func text(of lesson: Int) -> String {
    guard lessons.indices.contains(lesson) else { return end }
    let lesson = (number: lesson + 1, content: lessons[lesson])
    return "(\(lesson.number) of \(lessons.count)) \(lesson.content.text)\n  \(lesson.content.line)"
  }

  /// Advances the tutorial at the end of a command.
  ///
  /// - Parameter checksLines: Whether to check what the line asked for and what it answered.
  ///   Otherwise only the command and its status count, as in earlier recordings.
  /// - Returns: What to tell the reader, or `nil` if the tutorial is not running.
  static func advance(
    _ lesson: inout Int?, by context: CommandContext, with outcome: Outcome, checksLines: Bool
  ) -> String? {
    guard let present = lesson, lessons.indices.contains(present), context.name != "tutorial",
      context.name != "help", context.name != "exit"
    else { return nil }
    let isAwaited = lessons[present].commands.contains(context.name)
    let isMeant =
      isAwaited
      || lessons[present].commands.contains {
        context.text.hasPrefix($0.split(separator: ".").joined(separator: " "))
      }
    let isRight =
      checksLines
      ? lessons[present].parts.allSatisfy { context.text.contains($0) }
        && succeeded(outcome, context) : outcome.status == 0
    guard isAwaited, isRight else {
      if isMeant, let advice = lessons[present].advice { return advice }
      return "the tutorial waits for: \(lessons[present].line)"
    }
    lesson = present + 1 < lessons.count ? present + 1 : nil
    return "\n" + text(of: present + 1)
  }

  /// Returns whether a command succeeded. At a terminal, it does with an error status as well.
  private static func succeeded(_ outcome: Outcome, _ context: CommandContext) -> Bool {
    guard outcome.status == 0, context.name.hasPrefix("api"),
      case .number(let status) = outcome.value["status"]
    else { return outcome.status == 0 }
    return status.hasPrefix("2")
  }
}
