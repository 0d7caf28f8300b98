import SwiftBoardJSON
import SwiftBoardRecording

/// The schema of a board's recordings: the encoding of the board's own actions and states, and of
/// features without their own version.
enum BoardMigrations {
  /// The current version.
  static let version = 9

  /// The migrations of the board's own actions. Each converts one version to the next.
  static let all = [
    bare, labels, recordingEffects, state, values, forgetting, longTexts, owners, places,
  ]

  /// In schema 2, the action of a feature was nested in an additional `_0`.
  private static let bare = LogMigration(
    from: 2,
    editAction: { action in
      guard case .object(let features) = action else { return }
      for feature in features {
        if let own = feature.value["_0"] { action[feature.key] = own }
      }
    })

  /// In schema 2, the payloads of actions were numbered.
  private static let labels = LogMigration(
    from: 2,
    labels: [
      ("shell.run", [(0, "context"), (1, "command")]),
      ("shell.reject", [(0, "context"), (1, "failure")]),
      ("shell.run.command.echo", [(0, "words")]),
      ("shell.run.command.assert", [(0, "condition")]),
      ("shell.run.command.help", [(0, "words")]),
      ("shell.run.command.effects", [(0, "effects")]),
      ("shell.run.command.open", [(0, "link")]),
      ("shell.run.command.source", [(0, "file")]),
      ("shell.run.command.exit", [(0, "code")]),
      ("session.run", [(0, "context"), (1, "command"), (2, "moment")]),
      ("session.printed", [(1, "text")]),
      ("session.printedBytes", [(1, "base64")]),
      ("session.progress", [(1, "text")]),
      ("session.succeeded", [(1, "result")]),
      ("session.failed", [(1, "failure")]),
      ("session.run.command.record", [(0, "path")]),
      ("session.run.command.mark", [(0, "name")]),
      ("session.run.command.goto", [(0, "target")]),
      ("session.run.command.assert", [(0, "condition")]),
      ("session.run.command.action", [(0, "target")]),
      ("session.run.command.diff", [(0, "from"), (1, "to")]),
      ("session.run.command.timeline", [(0, "query")]),
      ("session.run.command.fork", [(0, "target")]),
      ("session.run.command.bisect", [(0, "file")]),
      ("session.run.command.verify", [(0, "files")]),
      ("session.run.command.replay", [(0, "query")]),
      ("session.run.command.graph", [(0, "file")]),
      ("session.run.command.causes", [(0, "file")]),
      ("session.run.command.stats", [(0, "file")]),
      ("session.run.command.test", [(0, "file")]),
      ("session.succeeded.result.marked", [(0, "name")]),
      ("session.succeeded.result.travelled", [(0, "step")]),
      ("session.succeeded.result.state", [(0, "json")]),
      ("session.succeeded.result.asserted", [(0, "condition")]),
      ("session.succeeded.result.step", [(0, "step")]),
      ("session.succeeded.result.differences", [(0, "diff")]),
      ("session.succeeded.result.timeline", [(0, "timeline")]),
      ("session.succeeded.result.forked", [(0, "fork")]),
      ("session.succeeded.result.bisected", [(0, "bisection")]),
      ("session.succeeded.result.verified", [(0, "checks")]),
      ("session.succeeded.result.replayed", [(0, "check")]),
      ("session.succeeded.result.graph", [(0, "text")]),
      ("session.succeeded.result.test", [(0, "source")]),
      ("session.succeeded.result.stats", [(0, "figures")]),
      ("session.succeeded.result.travelled.step.origin.link", [(0, "link")]),
      ("session.succeeded.result.travelled.step.origin.program", [(0, "name")]),
      ("session.succeeded.result.step.step.origin.link", [(0, "link")]),
      ("session.succeeded.result.step.step.origin.program", [(0, "name")]),
      ("session.succeeded.result.timeline.timeline.entries.*.origin.link", [(0, "link")]),
      ("session.succeeded.result.timeline.timeline.entries.*.origin.program", [(0, "name")]),
    ])

  /// Up to schema 3, recordings were started, marked, ended and forked outside the store and not by
  /// effects.
  private static let recordingEffects = LogMigration(
    from: 3,
    editEffects: { action, effects in
      let asked = action["session"]["run"]["command"]
      for command in ["record", "stop", "status", "mark"] where asked[command] != nil {
        effects.append(LogEffect(name: "session.\(command)", kind: "task"))
      }
      if action["session"]["succeeded"]["result"]["forked"]["fork"]["isContinued"] == true {
        effects.append(LogEffect(name: "session.resume", kind: "run"))
      }
    })

  /// Up to schema 4, a state was JSON text under another name.
  private static let state = LogMigration(
    from: 4,
    editAction: { action in
      action["session"]["succeeded"]["result"]["state"]?.rename("json", to: "value")
    })

  /// Up to schema 4, values in states and actions were JSON text.
  private static let values = LogMigration(
    from: 4,
    parsing: [
      "session.succeeded.result.state.value", "session.succeeded.result.step.step.action",
      "session.succeeded.result.differences.diff.changes.*.old",
      "session.succeeded.result.differences.diff.changes.*.new",
      "session.succeeded.result.bisected.bisection.diff.changes.*.old",
      "session.succeeded.result.bisected.bisection.diff.changes.*.new",
    ])

  /// Up to schema 5, less of a secret that became known left the states of features, and effects
  /// followed from what stayed. What left was no value of its own.
  private static let forgetting = LogMigration(
    from: 5,
    editAction: { action in
      guard var removal = action["shell"]["masked"] else { return }
      removal["forgets"] = nil
      action["shell"]["masked"] = .object([.init("removal", removal)])
    },
    changesState: { $0["shell"]["masked"]["forgets"] != nil })

  /// Up to schema 6, the state had variables and the last value whatever their length.
  private static let longTexts = LogMigration(
    from: 6,
    changesState: { action in
      let variable = action["shell"]["run"]["command"]["set"]["value"]?.stringValue ?? ""
      // Variables of any length have less room together.
      return variable.utf8.count > 4096 || action.text.utf8.count > StateText.longest
    })

  /// Up to schema 6, the states of programs did not say of which service an answer was.
  private static let owners = LogMigration(
    from: 6,
    editState: { state in
      for name in ["item", "queue"] { state["media"][name] = nil }
      for name in ["queue", "history", "added"] { state["downloads"][name] = nil }
    },
    changesState: { action in
      ["media", "downloads"].contains { action[$0] != nil }
    })

  /// Up to schema 7, `characters` stayed at its place when a secret in its state became known.
  private static let places = LogMigration(
    from: 7,
    changesState: { action in
      let forgets = action["shell"]["masked"]["removal"]["forgets"]?.elements ?? []
      return forgets.contains("characters")
    })
}

// MARK: Kinds of migrations

extension LogMigration {
  /// The labels that the actions of every feature received.
  package static var commandLabels: [(path: String, labels: [(number: Int, label: String)])] {
    [
      ("run", [(0, "context"), (1, "command")]), ("succeeded", [(1, "result")]),
      ("failed", [(1, "failure")]),
    ]
  }

  /// Creates a migration that replaces the numbers of payloads by labels.
  ///
  /// - Parameter labels: The labels, by path from the whole action, such as `run.command.*`, and by
  ///   the numbers that they replace.
  package init(from: Int, labels: [(path: String, labels: [(number: Int, label: String)])]) {
    let rows = labels.map { (path: Self.pattern($0.path), labels: $0.labels) }
    self.init(
      from: from,
      editAction: { action in
        for (path, labels) in rows {
          for (number, label) in labels { action.rename("_\(number)", to: label, at: path) }
        }
      })
  }

  /// Creates a migration that replaces JSON text by its value. Text that is not JSON stays text.
  ///
  /// - Parameter paths: The paths of the texts.
  package init(from: Int, parsing paths: [String]) {
    let paths = paths.map(Self.pattern)
    self.init(
      from: from,
      editAction: { action in
        for path in paths {
          action.update(at: path) { value in
            if case .string(let text) = value { value = (try? JSON(parsing: text)) ?? value }
          }
        }
      })
  }

  private static func pattern(_ path: String) -> JSONPathPattern {
    JSONPathPattern(path.split(separator: ".").map { $0 == "*" ? .any : .key(String($0)) })
  }

  /// Returns the migration of a feature as a migration of the board's actions and states.
  ///
  /// - Parameter part: The feature's name if it has its own version.
  func inside(_ feature: String, part: String?) -> LogMigration {
    func edit(
      _ change: @escaping @Sendable (JSON) throws -> JSON
    ) -> @Sendable (JSON) throws -> JSON {
      { whole in
        guard let own = whole[feature] else { return whole }
        var whole = whole
        whole[feature] = try change(own)
        return whole
      }
    }
    return LogMigration(
      from: from, part: part, action: edit(action), state: edit(state),
      effects: { [effects] action, found in
        action[feature].map { effects($0, found) } ?? found
      },
      changesState: { [changesState] action in action[feature].map(changesState) ?? false })
  }
}
