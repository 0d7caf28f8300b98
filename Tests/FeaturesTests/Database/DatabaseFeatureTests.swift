import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTestSupport
import SwiftBoardTesting
import Synchronization
import Testing

@testable import SwiftBoardFeatures

@Suite("db")
struct DatabaseFeatureTests {
  let world = World()

  @Test("documents: put, get, list, remove; what is not there is missing")
  func documents() throws {
    let printed = try run(
      [
        #"db put people 1 {"name": "Rick", "age": 70}"#,
        #"db put people 2 {"name": "Morty", "age": 14}"#, "db get people 1",
        "db list people --where name=Morty", "db list people --sort -age --limit 1",
        "db remove people 1", "db get people 1", "db remove people 1",
      ], in: world, settings: .output(.plain))
    #expect(printed.map(\.status) == [0, 0, 0, 0, 0, 0, 66, 66])
    #expect(printed[0].errors == "saved people/1\n")
    #expect(printed[2].output == "{\"name\":\"Rick\",\"age\":70}\n")
    #expect(
      printed[3].output == "2\t2026-01-01T00:00:00.000000Z\t{\"name\":\"Morty\",\"age\":14}\n")
    #expect(printed[4].output.hasPrefix("1\t"))
    #expect(
      printed[6].errors == """
        test.sb:7:1: error: there is no document people/1
          db get people 1
          ^~~~~~~~~~~~~~~
        help: 'db list people' shows what there is

        """)
  }

  @Test("an incomplete recovery fails with its file, but not one of an earlier recording")
  func recovery() {
    func status(_ recovery: DatabaseRecovery, fails: Bool?) -> (Int32?, String?) {
      let result = DatabaseResult.recovered(
        path: "new", recovery: recovery, failsIncomplete: fails)
      let outcome = DatabaseOutcomes.outcome(of: .succeeded(job: 1, result: result))
      return (outcome?.status, outcome?.failure?.message)
    }
    let whole = DatabaseRecovery(tables: [.init(name: "documents", rows: 1)])
    let part = DatabaseRecovery(tables: whole.tables, incomplete: ["documents"])
    let damaged = DatabaseRecovery(tables: whole.tables, findings: ["document c/1"])
    #expect(status(whole, fails: true) == (0, nil))
    #expect(
      status(part, fails: true)
        == (65, "new was written, but a part of these tables could not be copied: documents"))
    #expect(
      status(damaged, fails: true)
        == (65, "new was written, but the new database has damaged entries: document c/1"))
    #expect(status(part, fails: nil) == (0, nil))
  }

  @Test("a check of a whole database warns of triggers of another program")
  func triggers() {
    let result = DatabaseResult.healthy(triggers: ["a\"b"])
    let outcome = DatabaseOutcomes.outcome(of: .succeeded(job: 1, result: result))
    #expect(outcome?.status == 0)
    #expect(outcome?.notes.first == "the database is whole")
    #expect(outcome?.notes.last?.kind == .warning)
    #expect(outcome?.notes.last?.text.text.hasSuffix(#"DROP TRIGGER "a""b""#) == true)
  }

  @Test("a body of several rows that is not JSON names the row")
  func place() {
    for (body, place) in [
      ("{\"a\":\n oops}", "(row 2, character 2)"), ("{\"a\":}", "(character 6)"),
    ] {
      let error = #expect(throws: UsageError.self) { try action("db put c 1 '\(body)'") }
      #expect(error?.message.hasSuffix(place) == true, "\(String(describing: error))")
      let item = #expect(throws: UsageError.self) {
        try action("api post http://h.test/ 'a:=\(body)'")
      }
      #expect(item?.message.hasSuffix(place) == true, "\(String(describing: item))")
    }
  }

  @Test("a document from a file, and a file that is not JSON")
  func files() async throws {
    try await world.files.write(Data("[1,\n2,]".utf8), to: "bad.json", mode: .create)
    try await world.files.write(Data("[1, 2]".utf8), to: "good.json", mode: .create)
    let printed = try run(
      ["db put a 1 @good.json", "db get a 1", "db put a 2 @bad.json", "db put a 3 @none"],
      in: world, settings: .output(.plain))
    #expect(printed.map(\.status) == [0, 0, 65, 66])
    #expect(printed[1].output == "[1,2]\n")
    #expect(printed[2].errors.contains("error: bad.json:2:3: "))
  }

  @Test(
    "null that a command shows is the last value, but not in earlier recordings",
    arguments: [true, nil])
  func nullAsLast(remembersNull: Bool?) async {
    var settings = BoardSettings()
    settings.remembersNull = remembersNull
    let lines = Lines(world, settings: settings)
    for line in ["db put c n null", "db put c m 1", "db get c m"] {
      #expect(await lines.run(line) == 0)
    }
    // A command without a value.
    #expect(await lines.run("wait") == 0)
    #expect(lines.board.store.state.shell.last?.text == "1")
    #expect(await lines.run("db get c n") == 0)
    #expect(lines.board.store.state.shell.last?.text == (remembersNull == true ? "null" : "1"))
  }

  @Test("preferences: JSON or text, listed by name")
  func preferences() throws {
    let printed = try run(
      [
        "db preference set theme dark", "db preference set size 20", "db preference get size",
        "db preference list", "db preference unset size", "db preference get size",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 0, 0, 0, 66])
    #expect(printed[2].output == "20\n")
    #expect(printed[3].output == "name   value\n-----  ------\nsize   20\ntheme  \"dark\"\n")
  }

  @Test("a preference keeps its text as it is typed, and is listed in one line")
  func preferenceText() async throws {
    let text = #"{ "b" : 1.0,  "a":"\u0061\/" }"#
    let printed = try run(
      ["db preference set p '\(text)'", "db preference get p", "db preference list"], in: world,
      settings: .output(.plain))
    #expect(printed.map(\.status) == [0, 0, 0], "\(printed.map(\.errors))")
    #expect(try await world.persistence.preference("p") == text)
    #expect(printed[2].output == "p\t{\"b\":1.0,\"a\":\"a/\"}\n", "\(printed[2].output)")
  }

  @Test("a preference with a repeated key is refused, as a document is")
  func repeatedKeyTyped() async throws {
    for value in [#"{"a":1,"b":0,"a":2}"#, #"'[{"a":1,"\u0061":2}]'"#] {
      let error = #expect(throws: UsageError.self) { try action("db preference set p \(value)") }
      #expect(
        error?.message.hasPrefix(#"the value cannot be stored: found the key "a" again"#) == true)
      #expect(error?.kind == .malformedData)
    }
    // What is not JSON is text.
    _ = try run([#"db preference set p '{"a":1,'"#], in: world)
    #expect(try await world.persistence.preference("p") == #""{\"a\":1,""#)
  }

  @Test(
    "a comparison of another language is refused, and a quoted one is taken",
    arguments: [
      ("a=~x", "--where compares with one '='", "write a=x, or for that text 'a=\"~x\"'"),
      ("=~x", "--where compares with one '='", "for that text '=\"~x\"'"),
      ("a==1", "--where compares with one '='", "write a=1, or for that text 'a=\"=1\"'"),
      ("a!=1", "--where takes PATH=VALUE, with no other", "a=1; a key with such a"),
      ("a>=2", "--where takes PATH=VALUE, with no other", #"quoted: '["a>"]=1'"#),
      ("a<=2", "--where takes PATH=VALUE, with no other", #"quoted: '["a<"]=1'"#),
      ("a.b!=1", "--where takes PATH=VALUE, with no other", #"quoted: 'a["b!"]=1'"#),
      ("a = 1", "--where takes PATH=VALUE, with no other", #"quoted: '["a "]=1'"#),
      (" a=1", "--where takes PATH=VALUE, with no other", "for example a=1"),
      ("$.a=1", "a path begins at the value itself", "write a; the key '$' is quoted"),
      ("$[0]=1", "a path begins at the value itself", "write [0];"),
      ("$=1", "a path begins at the value itself", "the empty path"),
    ])
  func otherComparisons(condition: String, message: String, help: String) throws {
    let error = #expect(throws: UsageError.self) { try action("db list c --where '\(condition)'") }
    #expect(error?.message.hasPrefix(message) == true, "\(error as Any)")
    #expect(error?.help?.contains(help) == true, "\(error as Any)")
    #expect(error?.kind == .usage)
  }

  @Test("conditions with odd keys and texts find what they name")
  func oddConditions() throws {
    let body =
      #"{"a>":1,"a ":2,"$":3,"$ref":4,"a b":5,"e":"=1","u":"x==y","c=\"d":6,"m":"\u0301="}"#
    let conditions = [
      #"["a>"]=1"#, #"["c=\"d"]=6"#, #"["a "]=2"#, #"["$"]=3"#, "$ref=4", "a b=5", #"e="=1""#,
      "u=x==y", "m=\u{301}=",
    ]
    let printed = try run(
      ["db put c 1 '\(body)'"] + conditions.map { "db list c --where '\($0)'" }, in: world,
      settings: .output(.plain))
    for (condition, printed) in zip(conditions, printed.dropFirst()) {
      #expect(printed.output.hasPrefix("1\t"), "\(condition): \(printed)")
    }
    #expect(throws: UsageError.self) { try action("db list c --sort '$.a'") }
    #expect(throws: UsageError.self) { try action("db index c '$.a'") }
  }

  @Test("db list without a collection lists the collections")
  func collections() throws {
    let printed = try run(
      ["db list", "db put people 1 1", "db put people 2 1", "db put notes 1 1", "db list"],
      in: world)
    #expect(printed.map(\.status) == [0, 0, 0, 0, 0], "\(printed.map(\.errors))")
    #expect(
      printed[4].output == """
        collection  documents
        ----------  ---------
        notes       1
        people      2

        """, "\(printed[4].output)")
    let error = #expect(throws: UsageError.self) { try action("db list --where a=1") }
    #expect(error?.message == "--where needs a collection")
  }

  @Test("the consent to analytics is neither exported nor imported")
  func consent() async throws {
    try await world.persistence.setPreference("analytics.consent", to: "true")
    try await world.persistence.setPreference("theme", to: "1")
    let file = """
      {"swiftboard":"db export","version":3}
      {"preference":{"name":"analytics.consent","value":true}}
      {"preference":{"name":"size","value":2}}
      {"end":{"entries":2}}

      """
    try await world.files.write(Data(file.utf8), to: "f", mode: .create)
    let printed = try run(
      [
        "db export e", "db preference set analytics.consent false",
        "db import f --existing replace", "db import e --existing keep",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 0, 0], "\(printed.map(\.errors))")
    #expect(printed[0].errors == "exported 1 entry to e\n")
    #expect(
      printed[2].errors == """
        imported f: 1 added, 0 replaced, 0 kept
        the consent to analytics was left out: 'analytics on' gives it on this machine

        """)
    #expect(printed[3].errors == "imported e: 0 added, 0 replaced, 1 kept\n")
    #expect(try await world.persistence.preference("analytics.consent") == "false")
    // It does not refuse the whole file either.
    try await world.files.write(
      Data(file.replacing("size", with: "other").utf8), to: "g", mode: .create)
    #expect(try run("db import g", in: world).status == 0)
    #expect(try await world.persistence.preference("other") == "2")
  }

  @Test("services of an earlier version are exported and imported, also with a fragment or a key")
  func addressesOfEarlierVersions() async throws {
    let services = ["http://h/#x", "http://h/?api_key=abc", "http://h/?appid=1"].enumerated().map {
      APIService(
        name: "s\($0)", baseURL: $1, authentication: .query(name: "appid", secret: "k"))
    }
    for service in services {
      try await world.persistence.saveService(service, replacing: false)
    }
    #expect(try run("db export e", in: world).status == 0)
    for service in services { _ = try await world.persistence.removeService(service.name) }
    let printed = try run("db import e", in: world)
    #expect(printed.errors == "imported e: 3 added, 0 replaced, 0 kept\n")
    #expect(try await world.persistence.services() == services)
  }

  @Test("a list of several pages shows a document once whose id holds a secret")
  func maskedIDs() async throws {
    let folder = try TemporaryFolder()
    let persistence = LivePersistenceService(
      mainPath: folder.path("main.sqlite"), cachePath: folder.path("cache.sqlite"))
    let ids = ["000\(World.secret)"] + (100..<500).map(String.init)
    let documents = ids.map { Document(collection: "c", id: $0, body: "1", updated: 1) }
    _ = try await persistence.putEntries(StoredEntries(documents: documents), onExisting: .refuse)
    var dependencies = world.dependencies
    dependencies.persistence = persistence
    world.logger.redactor.registerSecret(Array(World.secret.utf8), name: "k")
    let lines = Lines(world, settings: .output(.plain), dependencies: dependencies)
    #expect(await lines.run("db list c") == 0)
    let rows = lines.allPrinted.split(separator: "\n").filter { $0.hasSuffix("\t1") }
    #expect(rows.count == 401)
    #expect(rows.filter { $0.hasPrefix("000") }.count == 1)
    #expect(lines.board.store.state.db.query?.found == 401)
    #expect(await lines.run("db list c --limit 300") == 0)
    #expect(lines.board.store.state.db.query?.found == 300)
    await lines.board.close()
  }

  /// Lines with a database at this path.
  private func lines(withDatabaseAt path: String, in folder: TemporaryFolder) -> Lines {
    var dependencies = world.dependencies
    dependencies.persistence = LivePersistenceService(
      mainPath: path, cachePath: folder.path("cache.sqlite"))
    return Lines(world, dependencies: dependencies)
  }

  @Test("a database that does not exist is neither exported nor copied, and no file is touched")
  func missingDatabase() async throws {
    let folder = try TemporaryFolder()
    let main = folder.path("home/main.sqlite")
    let lines = lines(withDatabaseAt: main, in: folder)
    try await world.files.write(Data("precious".utf8), to: "e", mode: .create)
    let copy = folder.path("b")
    for line in ["db export e", "db export e films", "db backup \(copy)", "db recover \(copy)"] {
      #expect(await lines.run(line) == 66, "\(line)")
    }
    #expect(lines.allPrinted.ranges(of: "there is no database yet (\(main))").count == 4)
    #expect(try await world.files.read("e", limit: 100) == Data("precious".utf8))
    #expect(FileInfo(folder.path("home")) == nil && FileInfo(folder.path("b")) == nil)
    // Without documents, it exists.
    #expect(await lines.run("db put c 1 1") == 0)
    #expect(await lines.run("db remove c 1") == 0)
    #expect(await lines.run("db export e") == 0)
    #expect(lines.allPrinted.contains("exported 0 entries to e\n"), "\(lines.allPrinted)")
    #expect(await lines.run("db backup \(folder.path("b"))") == 0)
    await lines.board.close()
  }

  @Test("a check of a database that does not exist yet does not call it whole")
  func checkOfMissingDatabase() async throws {
    let folder = try TemporaryFolder()
    let main = folder.path("main.sqlite")
    let lines = lines(withDatabaseAt: main, in: folder)
    #expect(await lines.run("db check") == 0)
    #expect(
      lines.allPrinted
        == "warning: there is no database yet (\(main)); the first change creates it\n")
    let result = DatabaseResult.healthy(triggers: [], missing: main)
    let outcome = DatabaseOutcomes.outcome(of: .succeeded(job: 1, result: result, masked: nil))
    #expect(outcome?.value == .bool(false))
    #expect(await lines.run("db put c 1 1") == 0)
    #expect(await lines.run("db check") == 0)
    #expect(lines.allPrinted.hasSuffix("the database is whole\n"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  @Test("a database that cannot be reached fails every command, and no file is touched")
  func unreachableDatabase() async throws {
    let folder = try TemporaryFolder()
    try #require(symlink("nowhere/main.sqlite", folder.path("main.sqlite")) == 0)
    let lines = lines(withDatabaseAt: folder.path("main.sqlite"), in: folder)
    try await world.files.write(Data("precious".utf8), to: "e", mode: .create)
    let commands = [
      "db export e", "db export e films", "db backup \(folder.path("b"))",
      "db recover \(folder.path("b"))", "db check", "db list",
      "db list c", "db get c 1", "db put c 1 1", "db remove c 1", "db stats", "db preference list",
      "db index", "api service list",
    ]
    for line in commands { #expect(await lines.run(line) == 74, "\(line)") }
    #expect(
      lines.allPrinted.ranges(of: "the database cannot be reached: ").count == commands.count,
      "\(lines.allPrinted)")
    #expect(try await world.files.read("e", limit: 100) == Data("precious".utf8))
    #expect(FileInfo(folder.path("b")) == nil)
    await lines.board.close()
  }

  @Test("breaks in the names of notes are escaped")
  func breaksInNotes() throws {
    let printed = try run(
      [
        "db put 'x\nerror: fake' '1\n2' 1", "db put a 'x\rerror: fake' 1",
        "db remove a 'x\rerror: fake'", "db list 'y\nerror: fake'",
        "db export 'z\nerror: fake'", "db import 'z\nerror: fake' --existing keep",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 0, 0, 0, 0], "\(printed.map(\.errors))")
    for printed in printed {
      #expect(printed.errors.split(whereSeparator: \.isNewline).count == 1, "\(printed.errors)")
    }
    #expect(printed[1].errors == "saved a/x\\rerror: fake\n", "\(printed[1].errors)")
  }

  @Test("a backup needs the name of a file")
  func backupWithoutName() {
    let error = #expect(throws: UsageError.self) { try action("db backup ''") }
    #expect(error?.message == "file is empty")
    #expect(error?.kind == .usage)
  }

  @Test(
    "'-' is not a file: elsewhere it is standard input or output",
    arguments: [
      ("export", "./-' is a file of that name; standard output is /dev/stdout"),
      ("import", "./-' is a file of that name; an import reads its file twice"),
      ("backup", "./-' is a file of that name"),
    ])
  func dash(command: String, help: String) throws {
    let error = #expect(throws: UsageError.self) { try action("db \(command) -") }
    #expect(error?.message == "'db \(command)' takes the name of a file, not '-'")
    #expect(error?.help == "'\(help)")
    _ = try action("db \(command) ./-")
  }

  @Test("stats, check, path")
  func rest() throws {
    let printed = try run(["db stats", "db check", "db path"], in: world)
    #expect(printed.map(\.status) == [0, 0, 0])
    #expect(printed[1].errors == "the database is whole\n")
  }

  @Test("stats waits for the records of the log that are still to be written")
  func statsOfWrittenRecords() async throws {
    let persistence = world.persistence
    let callsBefore = Mutex<[MockCall]?>(nil)
    var dependencies = world.dependencies
    dependencies.logger = LiveLogger(sinks: [
      FlushedSink { callsBefore.withLock { $0 = persistence.calls } }
    ])
    _ = try await DatabaseCommand.stats.call(dependencies)
    #expect(callsBefore.withLock { $0 } == [])
    #expect(persistence.calls.map(\.name) == ["statistics"])
  }

  @Test("the list of a collection that does not exist names the nearest one, or all of them")
  func missingCollection() throws {
    let printed = try run(
      [
        "db list people", "db put people 1 {}", "db put notes 1 {}", "db list poeple",
        "db list things", "db list people --where a=1", "db list people --limit 0",
      ], in: world, settings: .output(.plain))
    #expect(printed.map(\.status) == [0, 0, 0, 0, 0, 0, 0])
    #expect(printed[0].errors == "there is no collection 'people', and no other\n")
    #expect(
      printed[3].errors == "there is no collection 'poeple': did you mean 'people'?\n")
    #expect(printed[4].errors == "there is no collection 'things'; there are notes, people\n")
    #expect(printed[5].errors == "" && printed[6].errors == "")
  }

  @Test("a collection is missing whose name has only other bytes than that of one")
  func missingCollectionInBytes() throws {
    let printed = try run(["db put \u{E9} 1 {}", "db list e\u{301}"], in: world)
    #expect(printed.map(\.status) == [0, 0])
    let note = printed[1].errors
    #expect(note.utf8.starts(with: "there is no collection 'e\u{301}'".utf8), "\(note)")
  }

  @Test("an empty list succeeds, whether or not the collections can be read")
  func unknownCollections() throws {
    world.persistence.failNext("collections", with: .busy)
    let printed = try run(["db list people"], in: world)
    #expect(printed.map(\.status) == [0], "\(printed.map(\.errors))")
    #expect(world.persistence.issues.isEmpty)
  }

  @Test("of many collections, the first twenty are named")
  func manyCollections() {
    let names = (10..<40).map { "c\($0)" }
    let missing = MissingCollection("x", among: names)
    #expect(missing.others.count == 20 && missing.more == 10)
    #expect(missing.note.hasSuffix(", c29 and 10 more"))
  }

  @Test("a preference with a repeated key is exported and imported byte for byte")
  func repeatedKey() async throws {
    let json = #"{"a":1,"a":2}"#
    try await world.persistence.setPreference("p", to: json)
    let printed = try run(
      ["db export x.jsonl", "db preference unset p", "db import x.jsonl"], in: world)
    #expect(printed.map(\.status) == [0, 0, 0], "\(printed.map(\.errors))")
    #expect(try await world.persistence.preference("p") == json)
  }
}
