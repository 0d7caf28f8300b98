import SwiftBoardStore
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@Suite("A single effect where a list is returned")
struct EffectListTests {
  private struct Failure: Error {}

  @TaskLocal private static var word = "a"

  /// A list of effects from its context, as in a `return`.
  private func list(_ effects: [Effect<String>]) -> [EffectDescriptor] { effects.descriptors() }

  @Test("each is the list of the effect of that name, made at this line")
  func members() {
    let clock = TestClock()
    #expect(list(.none) == [])
    #expect(list(.send("a")) == [.send()])
    #expect(list(.cancel(id: "x")) == [.cancel(id: "x")])
    #expect(list(.task(name: "load") { "a" }) == [.task("load")])
    #expect(list(.run { $0("a") }) == [.run()])
    #expect(list(.fireAndForget {}) == [.run("fireAndForget")])
    #expect(list(.merge(.send("a"), .task { "b" })) == [.merge(.send(), .task())])
    #expect(list(.concatenate(.send("a"), .run { _ in })) == [.concatenate(.send(), .run())])
    #expect(list(.merge(.none, .send("a"))) == [.send()])
    #expect(list(.merge()) == [])

    #expect(list(.task { "a" }.cancellable(id: "x")) == [.task(id: "x")])
    #expect(list(.run { _ in }.catch { _ in "b" }.outlives()) == [.run()])
    #expect(
      list(.task { "a" }.debounced(id: "x", for: .seconds(1), clock: clock)) == [.task(id: "x")])
    #expect(list(.send("a").delay(for: .seconds(1), clock: clock)) == [.task()])
    #expect(
      list(.task(name: "t") { "a" }.timeout(after: .seconds(1), clock: clock)) == [.task("t")])
    #expect(
      list(.task(name: "t") { "a" }.retry(.constant(.seconds(1), attempts: 2), clock: clock))
        == [.task("t")])
    #expect(
      list(.task { "a" }.throttled(id: "x", for: .seconds(1), clock: clock))
        == [.merge(.run("throttle"), .task(), id: "x")])
    #expect(
      list(.task { "a" }.throttled(id: "x", by: 7, for: .seconds(1), clock: clock))
        == [.merge(.run("throttle"), .task(), id: "x")])

    #expect(list(.timer(every: .seconds(1), clock: clock) { "\($0)" }) == [.run("timer")])
    #expect(list(.poll(every: .seconds(1), clock: clock) { "a" }) == [.run("poll")])
    let numbers = AsyncStream<Int> { $0.finish() }
    #expect(list(.stream(numbers) { "\($0)" }) == [.run("stream")])
    #expect(list(.stream(from: { numbers }) { "\($0)" }) == [.run("stream")])
    #expect(list(.issue("m")) == [Effect<String>.issue("m").descriptor])
    #expect(list(.task { "a" }.binding(Self.$word, to: "b")) == [.task()])

    let line = #line + 1
    let effects: [Effect<String>] = .run { _ in }.cancellable(id: "x")
    #expect(effects.descriptors().map(\.location.line) == [UInt32(line)])
  }

  /// The public functions of effects, in the files of effects and operators, with the type that
  /// each extends.
  private static func declared() throws -> [(type: String, name: String)] {
    let files = try SourceTree.swiftFiles(in: "Sources/Store/Effects").filter {
      let name = SourceTree.name(of: $0)
      return name == "Effect" || name.hasPrefix("Effect+") && name != "Effect+Descriptor"
    }
    return try files.flatMap { file in
      // Each part begins with the extended type; the first has no extension.
      let parts = try "\n\(SourceTree.text(file))".split(
        separator: "\nextension ", omittingEmptySubsequences: false)
      return parts.dropFirst().flatMap { part in
        part.matches(of: /\n  public (?:static |consuming )?func `?(\w+)`?[<(]/).map {
          (String(part.prefix { $0 != " " }), String($0.output.1))
        }
      }
    }
  }

  @Test("each effect and operator is one for lists, too, and has a line in coming-from-tca.md")
  func everyOne() throws {
    let operators = try Self.declared()
    let names = Set(operators.map(\.name))
    #expect(names.isSuperset(of: ["task", "cancellable", "throttled", "timer", "limited"]))
    // `map` changes the type of actions. Two lists are joined and not made one effect.
    let ofOne = operators.filter { $0.type != "EffectProtocol" }.map(\.name)
    #expect(Set(ofOne) == ["map", "merge", "concatenate"])
    let page = try SourceTree.text("docs/coming-from-tca.md")
    for name in names.sorted() { #expect(page.contains(".\(name)"), "\(name)") }
  }

  @Test("an operator takes a list as one effect")
  func operators() {
    let several: [Effect<String>] = [.task { "a" }, .task { "b" }]
    #expect(
      several.cancellable(id: "x", cancelInFlight: true).descriptors()
        == [.merge(.task(), .task(), id: "x")])
    #expect([Effect<String>]().cancellable(id: "x").descriptors() == [])

    let stage = Stage { action in
      switch action {
      case "go": [.task { "a" }, .task { "b" }].cancellable(id: "x", cancelInFlight: true)
      case "stop": .cancel(id: "x")
      case "fail": [.task { throw Failure() }, .task { "c" }].catch { _ in "caught" }
      default: .none
      }
    }
    stage.store.send("go")
    stage.executor.run()
    stage.store.send("go")
    stage.store.send("go")
    stage.executor.run()
    stage.store.send("go")
    stage.store.send("stop")
    stage.executor.run()
    stage.store.send("fail")
    stage.executor.run()
    #expect(
      stage.seen == [
        "go", "a", "b", "go", "go", "a", "b", "go", "stop", "fail", "caught", "c",
      ])
    #expect(stage.issues.entries == [])
  }

  @Test("merge(with:) and concatenate(with:), of effects and of lists")
  func withOthers() {
    let first = Effect<String>.task(name: "1") { "1" }
    let second = Effect<String>.task(name: "2") { "2" }
    #expect(first.merge(with: second).descriptor == .merge(.task("1"), .task("2")))
    #expect(first.concatenate(with: second).descriptor == .concatenate(.task("1"), .task("2")))
    #expect(first.merge(with: .none).descriptor == .task("1"))
    #expect(Effect.none.concatenate(with: second).descriptor == .task("2"))

    #expect([first].merge(with: [second]).descriptors() == [.task("1"), .task("2")])
    #expect([first].merge(with: .none).descriptors() == [.task("1")])
    #expect(
      [first, second].concatenate(with: [second]).descriptors()
        == [.concatenate(.merge(.task("1"), .task("2")), .task("2"))])
    #expect([first].concatenate(with: .none).descriptors() == [.task("1")])
    #expect([Effect<String>]().concatenate(with: [first, second]).descriptors().count == 2)

    let stage = Stage { action in
      switch action {
      case "go":
        .task { "1" }.concatenate(with: .task { "2" }).merge(with: .send("0"))
          .cancellable(id: "x")
      default: .none
      }
    }
    stage.store.send("go")
    stage.executor.run()
    #expect(stage.seen == ["go", "0", "1", "2"])
    stage.store.send("go").cancel()
    stage.executor.run()
    #expect(stage.seen == ["go", "0", "1", "2", "go", "0"])
  }

  @Test("without effects nothing is allocated: `.none` is `[]`")
  func none() {
    let none: [Effect<String>] = .none
    let empty: [Effect<String>] = []
    none.withUnsafeBufferPointer { none in
      empty.withUnsafeBufferPointer { #expect(none.baseAddress == $0.baseAddress) }
    }
  }
}
