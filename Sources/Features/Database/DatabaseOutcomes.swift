import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

extension MissingCollection {
  /// A sentence with the nearest of the existing collections, or with all of them.
  var note: String {
    let missing = "there is no collection '\(name)'"
    if let nearest = Suggestion.nearest(to: name, among: others) {
      return "\(missing): did you mean '\(nearest)'?"
    }
    guard !others.isEmpty else { return "\(missing), and no other" }
    return "\(missing); there are \(others.joined(separator: ", "))"
      + (more == 0 ? "" : " and \(more) more")
  }
}

enum DatabaseOutcomes {
  static func outcome(of action: DatabaseAction) -> Outcome? {
    switch action {
    case .listed(let job, let documents, let masked, _?, let count?) where count > 0:
      outcome(of: .documents(documents: documents), job).masked(masked)
    case .run, .bootstrap, .contents, .listed, .checked, .imported, .missing: nil
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .succeeded(let job, let result, let masked):
      outcome(of: result, job).masked(masked)
    }
  }

  private static func outcome(of result: DatabaseResult, _ job: Int) -> Outcome {
    switch result {
    case .put(let collection, let id, _): return saved(collection, id, job)
    case .preferenceSaved(let name): return saved("preference", name, job)
    case .document(let document): return shown(parsed(document.body), job)
    case .documents(let documents, let missing): return list(documents, missing, job)
    case .listed(let count): return Outcome(job: job, value: ["count": JSON(count)])
    case .collections(let collections): return list(collections, job)
    case .indexed(let index, let isNew): return indexed(index, isNew, job)
    case .indexes(let indexes): return list(indexes, job)
    case .removed(let what, _):
      return Outcome(
        job: job, value: ["removed": .string(what)], notes: ["removed \(what)"]
      )
    case .preference(let preference): return shown(parsed(preference.json), job)
    case .preferences(let preferences):
      return Outcome(
        job: job,
        value: .object(preferences.map { .init($0.name, parsed($0.json)) }),
        presentation: .table(
          columns: [Column("name", isIdentifier: true), Column("value")],
          rows: preferences.map { [$0.name, line(of: $0.json)] }))
    case .statistics(let statistics): return show(statistics, job)
    case .healthy(_, let path?):
      return Outcome(
        job: job, value: .bool(false),
        notes: [.warning("there is no database yet (\(path)); the first change creates it")])
    case .healthy(let triggers, nil):
      return Outcome(
        job: job, value: .bool(true),
        notes: ["the database is whole"] + (triggers ?? []).map(warning(ofTrigger:)))
    case .backedUp(let path):
      return Outcome(
        job: job, value: ["backup": .string(path)],
        notes: ["copied to \(path)"])
    case .recovered(let path, let recovery, let failsIncomplete):
      return recovered(path, recovery, failsIncomplete == true, job)
    case .exported(let path, let count):
      return Outcome(
        job: job, value: ["file": .string(path), "count": JSON(count)],
        notes: [
          "exported \(Counted.text(count, "entry", plural: "entries")) to \(path)"
        ])
    case .imported(let path, let counts): return imported(path, counts, job)
    case .paths(let paths):
      return Outcome(
        job: job, value: .array(paths.map(JSON.string)),
        presentation: .text(paths.map { $0 + "\n" }.joined()))
    }
  }

  private static func shown(_ json: JSON, _ job: Int) -> Outcome {
    Outcome(job: job, value: json, presentation: .json(json))
  }

  private static func list(
    _ documents: [Document], _ missing: MissingCollection?, _ job: Int
  ) -> Outcome {
    Outcome(
      job: job, value: .array(documents.map(value)),
      presentation: .table(columns: columns, rows: documents.map(row)),
      notes: missing.map { [Outcome.Note($0.note)] } ?? [])
  }

  private static func list(_ collections: [DatabaseContents.Collection], _ job: Int) -> Outcome {
    Outcome(
      job: job,
      value: .array(
        collections.map {
          ["collection": .string($0.name), "documents": $0.count.map { JSON($0) } ?? .null]
        }),
      presentation: .table(
        columns: [Column("collection", isIdentifier: true), Column("documents")],
        rows: collections.map { [$0.name, $0.count.map(String.init) ?? ""] }))
  }

  private static func indexed(_ index: DocumentIndex, _ isNew: Bool, _ job: Int) -> Outcome {
    Outcome(
      job: job, value: value(index),
      notes: [
        isNew
          ? "made an index of \(index.path) in \(index.collection)"
          : "there is an index of \(index.path) in \(index.collection) already"
      ])
  }

  private static func list(_ indexes: [DocumentIndex], _ job: Int) -> Outcome {
    Outcome(
      job: job, value: .array(indexes.map(value)),
      presentation: .table(
        columns: [Column("collection", isIdentifier: true), Column("path", isIdentifier: true)],
        rows: indexes.map { [$0.collection, $0.path] }))
  }

  private static func show(_ statistics: PersistenceStatistics, _ job: Int) -> Outcome {
    let rows = statistics.tables.map { ($0.name, String($0.rows)) }
    let (bytes, schema) = (String(statistics.bytes), String(statistics.schemaVersion))
    return Outcome(
      job: job,
      value: .object(
        ([("bytes", bytes), ("schemaVersion", schema)] + rows).map { .init($0, .number($1)) }),
      presentation: .fields([("bytes", bytes), ("schema", schema)] + rows))
  }

  private static func imported(_ path: String, _ counts: DatabaseImport, _ job: Int) -> Outcome {
    Outcome(
      job: job,
      value: .object(
        [
          .init("file", .string(path)), .init("added", JSON(counts.added)),
          .init("replaced", JSON(counts.replaced)), .init("kept", JSON(counts.kept)),
        ]
          + (counts.hasConsent == true
            ? [.init("leftOut", .array([.string(Preference.analyticsConsent)]))] : [])),
      notes: [
        """
        imported \(path): \(counts.added) added, \(counts.replaced) replaced, \
        \(counts.kept) kept
        """
      ]
        + (counts.hasConsent == true
          ? ["the consent to analytics was left out: 'analytics on' gives it on this machine"] : [])
    )
  }

  private static func recovered(
    _ path: String, _ recovery: DatabaseRecovery, _ failsIncomplete: Bool, _ job: Int
  ) -> Outcome {
    let names = ["document", "preference", "service"]
    let counts = zip(recovery.tables, names).map { Counted.text($0.rows, $1) }
    let note = Outcome.Note("recovered \(counts.joined(separator: ", ")) to \(path)")
    var losses: [String] = []
    if !recovery.incomplete.isEmpty {
      let tables = recovery.incomplete.joined(separator: ", ")
      losses.append("a part of these tables could not be copied: \(tables)")
    }
    if !recovery.findings.isEmpty {
      let findings = recovery.findings.joined(separator: "; ")
      losses.append("the new database has damaged entries: \(findings)")
    }
    let value: JSON = [
      "file": .string(path),
      "tables": .object(recovery.tables.map { .init($0.name, JSON($0.rows)) }),
      "incomplete": .array(recovery.incomplete.map(JSON.string)),
      "findings": .array(recovery.findings.map(JSON.string)),
    ]
    guard failsIncomplete, !losses.isEmpty else {
      return Outcome(
        job: job, value: value, notes: [note] + losses.map { Outcome.Note.warning($0) })
    }
    let failure = Failure(
      code: ExitCode.data, error: "corrupted",
      message: "\(path) was written, but \(losses.joined(separator: "; "))",
      help: "put what is missing or damaged again, or restore a backup")
    return Outcome(job: job, failure: failure, value: value, notes: [note])
  }

  private static func warning(ofTrigger name: String) -> Outcome.Note {
    let quoted = name.replacing("\"", with: "\"\"")
    return .warning(
      "the database has the trigger '\(name)' of another program, which does not run here; "
        + "sqlite3 removes it from the file of 'db path': DROP TRIGGER \"\(quoted)\"")
  }

  private static func saved(_ collection: String, _ id: String, _ job: Int) -> Outcome {
    Outcome(
      job: job,
      value: ["collection": .string(collection), "id": .string(id)],
      notes: ["saved \(collection)/\(id)"])
  }

  private static let columns = [
    Column("id", isIdentifier: true), Column("updated", priority: 2), Column("body", priority: 1),
  ]

  /// Rows of a list of several parts.
  static func partialOutcome(of action: DatabaseAction) -> PartialOutcome? {
    guard case .listed(let job, let documents, let masked, let rest, let count) = action,
      !documents.isEmpty, rest == nil || count == nil
    else { return nil }
    return PartialOutcome(
      job: job, columns: columns, rows: documents.map(row), values: documents.map(value),
      masked: masked)
  }

  private static func value(_ document: Document) -> JSON {
    [
      "id": .string(document.id), "updated": .string(Timestamp.format(document.updated)),
      "body": parsed(document.body),
    ]
  }

  private static func row(_ document: Document) -> [String] {
    [
      document.id, Timestamp.format(document.updated),
      line(of: document.body),
    ]
  }

  private static func value(_ index: DocumentIndex) -> JSON {
    ["collection": .string(index.collection), "path": .string(index.path)]
  }

  /// A stored text without white space between its values.
  private static func line(of text: String) -> String {
    JSON.compactText(of: text) ?? JSON.string(text).text
  }

  /// A stored body as a value; what is somehow no JSON is shown as the text it is.
  private static func parsed(_ text: String) -> JSON {
    (try? JSON(parsing: text)) ?? .string(text)
  }
}
