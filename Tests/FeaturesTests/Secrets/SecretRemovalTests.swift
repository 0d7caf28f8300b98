import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

/// Text in a state that becomes the value of a known secret.
struct SecretRemovalTests {
  private static let marker = "m4rker-text"

  private static let redactor: Redactor = {
    let redactor = Redactor()
    redactor.registerSecret(Array(marker.utf8), name: "k")
    return redactor
  }()

  /// All values that differ from `json` in one text or in one key, which is the marker, by path.
  private static func variants(_ json: JSON, _ path: String) -> [(path: String, json: JSON)] {
    switch json {
    case .string: return [(path, .string(marker))]
    case .array(let elements):
      return elements.indices.flatMap { index in
        variants(elements[index], "\(path)[\(index)]").map { found -> (path: String, json: JSON) in
          var elements = elements
          elements[index] = found.json
          return (found.path, .array(elements))
        }
      }
    case .object(let members):
      return members.indices.flatMap { index in
        let member = members[index]
        let inside = variants(member.value, "\(path).\(member.key)")
        let values = inside.map { (path: $0.path, member: JSON.Member(member.key, $0.json)) }
        let renamed = (path: "\(path).{\(member.key)}", member: JSON.Member(marker, member.value))
        return (values + [renamed]).map { found -> (path: String, json: JSON) in
          var members = members
          members[index] = found.member
          return (found.path, .object(members))
        }
      }
    case .null, .bool, .number: return []
    }
  }

  /// The state of a value; `nil` if the text that differs is none that a state can hold.
  private static func state(_ json: JSON) -> BoardState? {
    let bytes = Array(json.canonical.utf8)
    let state = try? CanonicalDecoder.decode(
      BoardState.self, from: bytes, userInfo: BoardFeatures.all.userInfo)
    return state.flatMap { holdsMarker($0) ? $0 : nil }
  }

  private static func holdsMarker(_ state: BoardState) -> Bool {
    guard let bytes = try? CanonicalEncoder.encode(state) else { return true }
    return String(decoding: bytes, as: UTF8.self).contains(marker)
  }

  private static func removing(from state: BoardState) -> BoardState? {
    guard let removal = SecretRemoval(from: state, BoardFeatures.all, redactor) else { return nil }
    #expect(removal.remaining(in: state, BoardFeatures.all, redactor) == [])
    let store = Store(
      initialState: state, reducer: BoardReducer(BoardFeatures.all), dependencies: .mock)
    store.send(.shell(.masked(removal: removal)))
    return store.state
  }

  @Test("no text of a state keeps what has become a secret, wherever it is")
  func everyText() throws {
    var full = BoardStateEncodingTests.full
    full.api.pending[id: 7]?.stage = .asking
    let json = try JSON(parsing: CanonicalEncoder.encode(full))
    var places: Set<String> = []
    for (path, json) in Self.variants(json, "") {
      guard let state = Self.state(json) else { continue }
      places.insert(path)
      let removed = try #require(Self.removing(from: state), "\(path) is not found")
      #expect(!Self.holdsMarker(removed), "\(path)")
    }
    #expect(places.count > 150, "\(places.count)")
    for place in [
      ".api.pending[0].target", ".media.lookup.term", ".media.additions[0].order.term",
      ".shell.running[0].text", ".shell.aliases.{ll}", ".shell.variables.{a}", ".log.levels.{a}",
      ".characters.pending[0].command.show.options.service", ".session.recording",
      ".downloads.pending[0].command.service",
    ] where !places.contains(place) {
      Issue.record("\(place)")
    }
  }

  @Test("all texts at once") func allTexts() throws {
    let json = try JSON(parsing: CanonicalEncoder.encode(BoardStateEncodingTests.full))
    let places = Set(Self.variants(json, "").filter { Self.state($0.json) != nil }.map(\.path))
    func marked(_ json: JSON, _ path: String) -> JSON {
      switch json {
      case .string: places.contains(path) ? .string(Self.marker) : json
      case .array(let elements):
        .array(elements.indices.map { marked(elements[$0], "\(path)[\($0)]") })
      case .object(let members):
        .object(members.map { .init($0.key, marked($0.value, "\(path).\($0.key)")) })
      case .null, .bool, .number: json
      }
    }
    let state = try #require(Self.state(marked(json, "")))
    let removed = try #require(Self.removing(from: state))
    #expect(!Self.holdsMarker(removed))
  }

  @Test("a long text, which is not in the JSON of the state, is masked as a short one is")
  func longTexts() throws {
    let long = String(repeating: "x", count: StateText.longest) + Self.marker
    var state = BoardState()
    state.shell.set("v", to: long, job: 1)
    state.shell.last = StateText(JSON.string(long).text, job: 2)
    #expect(!Self.holdsMarker(state))
    let removal = try #require(SecretRemoval(from: state, BoardFeatures.all, Self.redactor))
    _ = state.apply(removal, BoardFeatures.all)
    for text in [state.shell.variables["v"], state.shell.last] {
      #expect(text?.text?.contains(Self.marker) == false)
      #expect(text?.text?.contains("«secret:") == true && text?.reference != nil)
    }
    #expect(SecretRemoval(from: state, BoardFeatures.all, Self.redactor) == nil)
  }

  @Test("a name that has become a secret is not in the action that removes it")
  func names() throws {
    var state = BoardState()
    state.shell.set(Self.marker, to: "1", job: 1)
    state.shell.set("v", to: "2", job: 1)
    state.shell.aliases = [Self.marker: "echo", "a": "echo \(Self.marker)", "b": "echo"]
    let removal = try #require(SecretRemoval(from: state, BoardFeatures.all, Self.redactor))
    let action = String(decoding: try CanonicalEncoder.encode(removal), as: UTF8.self)
    #expect(!action.contains(Self.marker))
    let note = try #require(removal.note(of: state, Self.redactor, remaining: []))
    #expect(!note.contains(Self.marker))
    #expect(note.contains("the variable '«secret:k»', the aliases 'a', '«secret:k»'"), "\(note)")
    // Earlier recordings have the names.
    var named = removal
    (named.unsets, named.aliases) = ([Self.marker], [Self.marker, "a"])
    for removal in [removal, named] {
      var after = state
      _ = after.apply(removal, BoardFeatures.all)
      #expect(after.shell.variables.keys.sorted() == ["v"] && after.shell.aliases == ["b": "echo"])
    }
  }

  @Test("a step between finding and removing is kept: a variable that is gone, rows of a list")
  func stepBetween() throws {
    var found = BoardStateEncodingTests.full
    found.shell.variables["x"] = StateText(Self.marker, job: 1)
    found.shell.running[0].text = Self.marker
    found.shell.running[0].parts = 1
    let removal = try #require(SecretRemoval(from: found, BoardFeatures.all, Self.redactor))
    var state = found
    state.shell.variables["x"] = nil
    state.shell.running[0].parts = 2
    _ = state.apply(removal, BoardFeatures.all)
    #expect(state.shell.variables["x"] == nil)
    #expect(state.shell.running[0].parts == 2)
    #expect(!Self.holdsMarker(state))
  }

  // MARK: Running commands

  /// A board whose keychain gets the marker as a value.
  private func board() async throws -> Lines {
    let lines = Lines()
    try await lines.world.files.write(Data(Self.marker.utf8), to: "value", mode: .create)
    return lines
  }

  private func expectNothing(after count: Int, in lines: Lines) throws {
    let later = String(lines.allSteps.dropFirst(count))
    #expect(!later.contains(Self.marker), "\(later)")
    #expect(!Self.holdsMarker(lines.board.store.state))
  }

  @Test("a request that has been sent continues, and neither steps nor the state hold the text")
  func sentRequest() async throws {
    let lines = try await board()
    lines.world.api.answer { _ in .hang }
    #expect(await lines.run("api get http://h/ q==\(Self.marker) &") == 0)
    await lines.world.api.waitForHanging(1)
    #expect(await lines.run("keychain set k --from-file value") == 0)
    #expect(!Self.holdsMarker(lines.board.store.state))
    let count = lines.allSteps.count
    lines.world.api.release(with: .json("{}"))
    #expect(await lines.run("wait") == 0, "\(lines.allPrinted)")
    #expect(await lines.run("jobs; state api") == 0)
    #expect(lines.board.store.state.api.answers.count == 1)
    try expectNothing(after: count, in: lines)
    await lines.board.close()
  }

  @Test("a request that would be sent again ends with an error that names the secret")
  func pausedRequest() async throws {
    let lines = try await board()
    lines.world.api.answer { _ in .status(503) }
    #expect(await lines.run("api get http://h/ q==\(Self.marker) --retry 3 &") == 0)
    try await lines.board.store.wait { $0.api.pending.first?.stage == .waiting }
    #expect(await lines.run("keychain set k --from-file value") == 0)
    #expect(await lines.run("wait") == 64, "\(lines.allPrinted)")
    #expect(
      lines.allPrinted.contains("the line contains the value of the secret 'k'"),
      "\(lines.allPrinted)")
    #expect(lines.world.api.requests.count == 1)
    try expectNothing(after: lines.allSteps.count, in: lines)
    await lines.board.close()
  }

  @Test("a refused value names a secret that is there, and a name advice that works")
  func refusedValue() async throws {
    let world = World()
    try await world.files.write(Data(Self.marker.utf8), to: "value", mode: .create)
    let lines = Lines(world)
    for name in ["k", "other"] {
      #expect(await lines.run("keychain set \(name) --from-file value") == 0)
    }
    #expect(await lines.run("keychain remove \(Self.marker)") == 64)
    #expect(lines.allPrinted.contains("run 'swiftboard keychain ...' by itself"))
    #expect(await lines.run("keychain remove k") == 0)
    #expect(await lines.run("echo \(Self.marker)") == 64)
    #expect(lines.allPrinted.contains("the secret 'other': write {{secret:other}}"))
    #expect(await lines.run("keychain remove other") == 0)
    #expect(await lines.run("echo \(Self.marker)") == 64)
    #expect(lines.allPrinted.contains("the secret 'other', which was removed"))
    await lines.board.close()
  }

  @Test("a watch ends before its next round") func watch() async throws {
    let world = World()
    try await world.files.write(Data(Self.marker.utf8), to: "value", mode: .create)
    // A pause ends when the test says so.
    let (pauses, ends) = AsyncStream.makeStream(of: Void.self)
    var dependencies = world.dependencies
    dependencies.clock = BoardClock(
      now: { 0 },
      sleep: { _ in
        var iterator = pauses.makeAsyncIterator()
        _ = await iterator.next()
      })
    let lines = Lines(world, dependencies: dependencies)
    #expect(await lines.run("watch 1h echo \(Self.marker) &") == 0)
    try await lines.board.store.wait { $0.shell.watches?.first?.isDue == false }
    #expect(await lines.run("keychain set k --from-file value") == 0)
    let count = lines.allSteps.count
    ends.yield()
    #expect(await lines.run("wait 1") == 64, "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("this is the value of the secret 'k'"))
    try expectNothing(after: count, in: lines)
    await lines.board.close()
  }

  @Test("the user is told which variables have a mark and which aliases are removed")
  func told() async throws {
    let lines = try await board()
    for line in [
      "set a \(Self.marker)", "set b 'x \(Self.marker)'", "set c other",
      "alias ll log note \(Self.marker)", "alias mm log note other",
    ] { #expect(await lines.run(line) == 0, "\(lines.allPrinted)") }
    let before = lines.allPrinted
    #expect(await lines.run("keychain set k --from-file value") == 0)
    let note =
      "warning: a value has become a secret; a mark stands for it in the variables 'a', 'b'; "
      + "removed with it: the alias 'll'\n"
    #expect(lines.allPrinted.dropFirst(before.count).hasSuffix(note), "\(lines.allPrinted)")
    #expect(await lines.run("echo $c; mm") == 0)
    #expect(lines.allPrinted.ranges(of: "has become a secret").count == 1)
    await lines.board.close()
  }

  @Test("nothing is told where only the last value has become a secret")
  func untold() async throws {
    let lines = try await board()
    #expect(await lines.run("echo \(Self.marker)") == 0)
    #expect(await lines.run("keychain set k --from-file value") == 0)
    #expect(!lines.allPrinted.contains("has become a secret"), "\(lines.allPrinted)")
    await lines.board.close()
  }

  /// A feature that keeps what it was given.
  private enum Keeping {
    struct State: Codable, Sendable, Equatable {
      var text: String?
    }

    enum Action: FeatureAction {
      case run(context: CommandContext, text: String)

      var started: CommandContext? {
        if case .run(let context, _) = self { context } else { nil }
      }
    }

    struct Reducing: Reducer {
      func reduce(
        _ state: inout State, _ action: Action, _ dependencies: Dependencies
      ) -> [Effect<Action>] {
        if case .run(_, let text) = action { state.text = text }
        return []
      }
    }

    static func feature(
      forget: @escaping @Sendable (inout State) -> Void = { _ in }
    ) -> Feature<State, Action> {
      Feature(
        name: "keeping", summary: "keep a text", state: State(), reducer: Reducing(),
        commands: CommandTable([
          CommandSpec(
            ["keeping"], "keep a text", arguments: [ArgumentSpec("text", "any")]
          ) { invocation throws(UsageError) in
            let text = invocation.argument("text")?.text ?? ""
            return FeatureCommand { .run(context: $0, text: text) }
          }
        ]),
        outcome: { action, _, _ in action.started.map { Outcome(job: $0.job, value: .null) } },
        forget: forget)
    }
  }

  @Test("the user is told of a feature that does not forget a value, and of no other")
  func notForgotten() async throws {
    for forgets in [false, true] {
      let feature =
        forgets ? Keeping.feature(forget: { $0.text = nil }) : Keeping.feature()
      let lines = Lines(features: FeatureList(feature, BoardFeatures.keychain))
      try await lines.world.files.write(Data(Self.marker.utf8), to: "value", mode: .create)
      #expect(await lines.run("keeping 'a \(Self.marker)'") == 0, "\(lines.allPrinted)")
      let before = lines.allPrinted
      #expect(await lines.run("keychain set k --from-file value") == 0)
      let told = lines.allPrinted.dropFirst(before.count).contains(
        "warning: a value has become a secret; it stays in the state of the feature 'keeping': "
          + "start the program again before 'state' or 'session record', which show it\n")
      #expect(told != forgets, "\(lines.allPrinted)")
      #expect(Self.holdsMarker(lines.board.store.state) != forgets)
      await lines.board.close()
    }
  }

  @Test("later commands of a line do not have what an earlier one made a secret")
  func laterCommands() async throws {
    let lines = try await board()
    let line = "keychain set k --from-file value; echo x; log note '\(Self.marker)'"
    #expect(await lines.run(line) == 64)
    // What the line said before the secret was known is in its first steps.
    let later = try #require(lines.allSteps.firstRange(of: #""words":["x"]"#))
    try expectNothing(
      after: lines.allSteps.distance(from: lines.allSteps.startIndex, to: later.lowerBound),
      in: lines)
    #expect(lines.allPrinted.contains("x\n"))
    await lines.board.close()
  }

  @Test("an effect that began before does not repeat the text in its action") func lateAction() {
    let action = BoardAction.db(
      .listed(
        job: 1, documents: [], rest: DocumentQuery(collection: Self.marker, conditions: [])))
    #expect(
      BoardFeatures.all.masked(action, by: Self.redactor)
        == .db(
          .listed(
            job: 1, documents: [], rest: DocumentQuery(collection: "«secret:k»", conditions: []))))
    let named = BoardAction.keychain(
      .opened(request: KeychainRequest(job: 1, command: .remove(name: Self.marker))))
    #expect(BoardFeatures.all.masked(named, by: Self.redactor) == named)
  }

  @Test("the rest of a list is not read with a mark in place of a value") func restOfAList() throws
  {
    let world = World()
    let store = world.looseStore()
    store.send(
      .db(.listed(job: 1, documents: [], rest: DocumentQuery(collection: "«secret:k»"))))
    let failed = try #require(store.received.first?.db)
    guard case .failed(job: 1, let failure) = failed else {
      Issue.record("\(failed)")
      return
    }
    #expect(failure.code == 65)
    store.skipReceivedActions()
    store.finish()
  }
}
