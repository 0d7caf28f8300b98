import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

enum DatabaseCommands {
  private static let collection = ArgumentSpec("collection", "its name", kind: .collection)
  private static let id = ArgumentSpec("id", "the document's id")
  private static let name = ArgumentSpec("name", "the preference's name", kind: .preference)

  static let table = CommandTable<FeatureCommand<DatabaseAction>>([
    CommandSpec(
      ["db", "put"], "store a document",
      arguments: [
        collection, id,
        ArgumentSpec("body", "JSON, @FILE, or @- (standard input)", kind: .json, repeating: true),
      ],
      examples: ["db put characters 1 {\"name\": \"Rick\"}", "db put characters 1 {{last.body}}"]
    ) { invocation throws(UsageError) in
      .db(
        .put(
          collection: try newCollection(invocation),
          id: try invocation.requiredName("id"),
          body: try body(invocation)))
    },
    CommandSpec(
      ["db", "get"], "show a document", arguments: [collection, id],
      examples: ["db get characters 1"]
    ) { invocation throws(UsageError) in
      .db(
        .get(
          collection: try invocation.requiredText("collection"),
          id: try invocation.requiredText("id")))
    },
    CommandSpec(
      ["db", "list"], "list the documents of a collection; alone, list the collections",
      arguments: [
        ArgumentSpec("collection", "its name", kind: .collection, optional: true)
      ],
      options: [
        OptionSpec(
          "where", value: "PATH=V",
          "only where the value at PATH (as a.b[0], or [\"key\"]) is V: JSON, else text; "
            + "may be given more than once",
          repeatable: true),
        OptionSpec("sort", value: "PATH", "by the value at PATH; -PATH downwards"),
        OptionSpec("limit", value: "N", "at most N"),
      ],
      examples: [
        "db list characters --where name=\"Rick Sanchez\" --sort id --limit 5", "db list",
      ]
    ) { invocation throws(UsageError) in
      guard try invocation.text("collection") != nil else {
        for name in ["where", "sort", "limit"] where invocation.option(name) != nil {
          throw UsageError(
            "--\(name) needs a collection", help: "'db list' alone lists the collections",
            at: invocation.option(name))
        }
        return .db(.collections)
      }
      var query = DocumentQuery(collection: try collection(invocation))
      for option in invocation.options("where") {
        query.conditions.append(try condition(option))
      }
      let conditions = invocation.options("where").compactMap(\.text).joined()
      try checkLength(conditions, invocation.option("where"))
      if let sort = try invocation.text("sort") {
        _ = try path(
          sort.hasPrefix("-") ? String(sort.dropFirst()) : sort, invocation.option("sort"))
        try checkLength(sort, invocation.option("sort"))
        query.sort = sort
      }
      if let limit = try invocation.int("limit") {
        guard limit >= 0 else {
          throw UsageError("--limit takes a whole number from 0", at: invocation.option("limit"))
        }
        query.limit = limit
      }
      return .db(.list(query: query))
    },
    CommandSpec(
      ["db", "remove"], "delete a document", arguments: [collection, id],
      examples: ["db remove characters 1"]
    ) { invocation throws(UsageError) in
      .db(
        .remove(
          collection: try invocation.requiredText("collection"),
          id: try invocation.requiredText("id")))
    },
    CommandSpec(
      ["db", "index"],
      "make queries for a value at a path of a collection quick; alone, list the indexes",
      arguments: [
        ArgumentSpec("collection", "its name", kind: .collection, optional: true),
        ArgumentSpec("path", "such as name or origin.name", optional: true),
      ],
      options: [OptionSpec(flag: "remove", "remove the index; the documents stay")],
      examples: ["db index characters origin.name", "db index"]
    ) { invocation throws(UsageError) in
      guard let collection = try invocation.text("collection") else {
        guard !invocation.flag("remove") else {
          throw UsageError("--remove needs a collection and a path")
        }
        return .db(.indexList)
      }
      guard let path = try invocation.text("path") else {
        throw UsageError(
          "an index needs the path of the values", help: "for example db index characters name",
          at: invocation.argument("collection"))
      }
      _ = try Self.path(path, invocation.argument("path"))
      if !invocation.flag("remove") {
        for name in ["collection", "path"] { _ = try invocation.requiredName(name) }
      }
      let index = DocumentIndex(collection: collection, path: path)
      return .db(invocation.flag("remove") ? .indexRemove(index: index) : .index(index: index))
    },
    CommandSpec(
      ["db", "preference", "get"], "show a preference", arguments: [name],
      examples: ["db preference get greeting"]
    ) { invocation throws(UsageError) in
      .db(.preferenceGet(name: try invocation.requiredText("name")))
    },
    CommandSpec(
      ["db", "preference", "set"], "set a preference",
      arguments: [
        name, ArgumentSpec("value", "JSON, else text", kind: .json, repeating: true),
      ],
      examples: ["db preference set theme \"dark\"", "db preference set pageSize 20"]
    ) { invocation throws(UsageError) in
      let name = try invocation.requiredName("name")
      return .db(.preferenceSet(name: name, json: try preference(invocation)))
    },
    CommandSpec(
      ["db", "preference", "unset"], "forget a preference", arguments: [name],
      examples: ["db preference unset greeting"]
    ) { invocation throws(UsageError) in
      .db(.preferenceUnset(name: try invocation.requiredText("name")))
    },
    CommandSpec(
      ["db", "preference", "list"], "list the preferences",
      examples: ["db preference list"]
    ) { _ in .db(.preferenceList) },
    CommandSpec(["db", "stats"], "count rows and bytes", examples: ["db stats"]) {
      _ in .db(.stats)
    },
    CommandSpec(
      ["db", "check"],
      "check that the database is whole, every document and index; a list verifies what it shows",
      details: "With --json, true says that it is, and false that there is no database yet.",
      examples: ["db check"]
    ) { _ in .db(.check) },
    CommandSpec(
      ["db", "backup"], "copy the database, while it may be in use",
      details: """
        To restore the copy, end all boards, move the file that 'db path' says away together with the -wal and -shm beside it, \
        and put the copy in its place. The -wal has changes of the replaced file, and must not stay: it would be applied to the \
        copy.
        """,
      arguments: [ArgumentSpec("file", "a new file", kind: .file)],
      examples: ["db backup monday.sqlite"]
    ) { invocation throws(UsageError) in
      .db(.backup(path: try newFile(invocation, "the copy", "db backup monday.sqlite")))
    },
    CommandSpec(
      ["db", "recover"], "write what can be read of a damaged database to a new one",
      details: """
        'db check' says whether the database is damaged. To use the new one, end all boards, move the damaged file, its -wal and \
        its -shm away, and move the new one to the path that 'db path' says. If a part could not be copied, or the new one has damaged \
        entries, the new one is written all the same, and the command ends with 65; with --json, what the new one has is then \
        in the failure on standard error.
        """,
      arguments: [ArgumentSpec("file", "a new file", kind: .file)],
      examples: ["db recover rescued.sqlite"]
    ) { invocation throws(UsageError) in
      .db(
        .recover(path: try newFile(invocation, "the new database", "db recover rescued.sqlite")))
    },
    CommandSpec(
      ["db", "export"], "write documents, preferences and services to a file, as JSON Lines",
      arguments: [
        ArgumentSpec("file", "replaced if it is there", kind: .file),
        ArgumentSpec("collection", "its documents alone", kind: .collection, optional: true),
      ],
      examples: ["db export all.jsonl", "db export characters.jsonl characters"]
    ) { invocation throws(UsageError) in
      .db(
        .export(
          path: try invocation.requiredFile("file", "; standard output is /dev/stdout"),
          collection: try invocation.text("collection")))
    },
    CommandSpec(
      ["db", "import"], "take what an export has",
      details: """
        A 'text' is stored byte for byte. A 'body' or 'value' is stored in one usual form: without spaces, and with characters in \
        the place of escapes.
        """,
      arguments: [ArgumentSpec("file", "as 'db export' writes it", kind: .file)],
      options: [
        OptionSpec(
          "existing", value: "WHAT", "what happens to names that are taken; refuse imports nothing",
          kind: .choice(ImportDuplicates.allCases.map(\.rawValue)))
      ],
      examples: ["db import all.jsonl", "db import all.jsonl --existing replace"]
    ) { invocation throws(UsageError) in
      .db(
        .import(
          path: try invocation.requiredFile("file", "; an import reads its file twice"),
          existing: try invocation.text("existing").flatMap(ImportDuplicates.init) ?? .refuse))
    },
    CommandSpec(["db", "path"], "say where the files are", examples: ["db path"]) {
      _ in .db(.path)
    },
  ])

  private static func body(_ invocation: Invocation) throws(UsageError) -> DatabaseBody {
    let words = try plain(invocation.arguments("body"), "db put")
    let text = words.joined(separator: " ")
    if let first = invocation.argument("body"), first.typedText.hasPrefix("@"), text.count > 1 {
      return .file(path: first.expandingHome(in: String(text.dropFirst())))
    }
    try check(
      text, "the body is not JSON", help: "quote it, or take it from a file with @FILE",
      at: invocation.argument("body"))
    return .json(text: text)
  }

  /// Returns the value of a preference as JSON text: as it was typed, or the JSON string of a text
  /// that is not JSON.
  private static func preference(_ invocation: Invocation) throws(UsageError) -> String {
    let text = try plain(invocation.arguments("value"), "db").joined(separator: " ")
    guard (try? JSON.validate(text)) != nil else { return JSON.string(text).text }
    try check(
      text, "the value cannot be stored", help: "a quoted value within quotes is text: '\"...\"'",
      at: invocation.argument("value"))
    return text
  }

  /// Refuses a text that is not JSON.
  private static func check(
    _ text: String, _ problem: String, help: String, at argument: Argument?
  ) throws(UsageError) {
    do throws(JSONError) {
      try JSON.validate(text, limits: .strict)
    } catch {
      throw UsageError(
        "\(problem): \(error.message) (\(error.place))", help: help, at: argument,
        kind: .malformedData)
    }
  }

  /// Returns the name of a file that is created.
  private static func newFile(
    _ invocation: Invocation, _ what: String, _ example: String
  ) throws(UsageError) -> String {
    let path = try invocation.requiredFile("file")
    guard !path.isEmpty else {
      throw UsageError(
        "the name of \(what) is missing", help: "for example \(example)",
        at: invocation.argument("file"))
    }
    return path
  }

  /// Returns the name for a command of which the state keeps it. Others take any name, so that
  /// what an import has brought can be shown and removed.
  private static func collection(_ invocation: Invocation) throws(UsageError) -> String {
    let name = try invocation.requiredText("collection")
    try checkLength(name, invocation.argument("collection"))
    return name
  }

  /// Returns the name for a command that may make the collection.
  private static func newCollection(_ invocation: Invocation) throws(UsageError) -> String {
    _ = try invocation.requiredName("collection")
    return try collection(invocation)
  }

  private static func condition(_ option: Argument) throws(UsageError) -> DocumentQuery.Condition {
    let text = try kept(option, "--where")
    guard let equals = firstEquals(in: text) else {
      throw UsageError(
        "--where takes PATH=VALUE, not '\(text)'", help: "for example --where status=Alive",
        at: option)
    }
    let value = String(text[text.unicodeScalars.index(after: equals)...])
    let condition = String(text[..<equals])
    try refuseOtherOperators(condition, value, option)
    _ = try path(condition, option)
    let json = (try? JSON(parsing: value)) ?? .string(value)
    // The value becomes part of an action, of which the recording has a line.
    guard (try? JSON(parsing: json.text, limits: JSONLimits(depth: 400))) != nil else {
      throw UsageError(
        "the value for \(condition) is nested too deeply", help: "400 levels are the most",
        at: option)
    }
    return DocumentQuery.Condition(path: condition, equals: json)
  }

  /// Returns the index of the first `=` that is in no quoted key of the path. Compares scalars: a
  /// value may begin with a combining mark, which is one character with the `=`.
  private static func firstEquals(in text: String) -> String.Index? {
    var (isQuoted, isEscaped, before) = (false, false, Unicode.Scalar(" "))
    for index in text.unicodeScalars.indices {
      let scalar = text.unicodeScalars[index]
      if isQuoted {
        if scalar == "\"" && !isEscaped { isQuoted = false }
        isEscaped = scalar == "\\" && !isEscaped
      } else if scalar == "\"", before == "[" {
        isQuoted = true
      } else if scalar == "=" {
        return index
      }
      before = scalar
    }
    return nil
  }

  /// Refuses what other languages mean by another comparison. It would be a path or a text that
  /// matches nothing.
  private static func refuseOtherOperators(
    _ path: String, _ value: String, _ option: Argument
  ) throws(UsageError) {
    if value.hasPrefix("=") || value.hasPrefix("~") {
      throw UsageError(
        "--where compares with one '='",
        help: (path.isEmpty ? "" : "write \(path)=\(value.dropFirst()), or ")
          + "for that text '\(path)=\(JSON.string(value))'", at: option)
    }
    guard let last = path.last, "!<> \t".contains(last) || path.hasPrefix(" ") else { return }
    let isNested = path.contains { ".[".contains($0) }
    let quoted = isNested ? #"a["b!"]"# : "[\(JSON.string(path))]"
    throw UsageError(
      "--where takes PATH=VALUE, with no other operator than '=' and no blank before it",
      help: "for example a=1; a key with such a character is quoted: '\(quoted)=1'", at: option)
  }

  private static func path(_ text: String, _ argument: Argument?) throws(UsageError) -> JSONPath {
    if text == "$" || text.hasPrefix("$.") || text.hasPrefix("$[") {
      let rest = text.dropFirst(text.hasPrefix("$.") ? 2 : 1)
      throw UsageError(
        "a path begins at the value itself, without '$'",
        help: (rest.isEmpty ? "the value itself is the empty path" : "write \(rest)")
          + "; the key '$' is quoted: '[\"$\"]'", at: argument)
    }
    do {
      return try JSONPath(parsing: text)
    } catch {
      throw UsageError(
        "'\(text)' is not a path: \(error)", help: "a path is like a.b[0].c", at: argument)
    }
  }
}

extension FeatureCommand<DatabaseAction> {
  static func db(_ command: DatabaseCommand) -> Self {
    Self(readsInput: command.readsInput) { .run(context: $0, command: command) }
  }
}

extension DatabaseCommand {
  /// The word with which the command reads standard input to its end.
  fileprivate var readsInput: String? {
    if case .put(_, _, .file("-")) = self { "@-" } else { nil }
  }
}
