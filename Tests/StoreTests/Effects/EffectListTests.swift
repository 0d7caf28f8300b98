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

  /// Names of the effects and operators in `Effect*.swift`. `Array.map` maps the list's effects.
  /// The names of effects and operators, each with the number of its forms. `Effect+Limits` is left
  /// out, because its forms for lists differ, and `map`, which changes the type of actions.
  private static func operatorNames() throws -> [String: Int] {
    let files = try SourceTree.swiftFiles(in: "Sources/Store/Effects").filter {
      let name = SourceTree.name(of: $0)
      return name == "Effect" || name.hasPrefix("Effect+")
    }
    var names = ["limited": 1]
    for file in files
    where !["Effect+Limits", "Effect+Descriptor"].contains(SourceTree.name(of: file)) {
      for match in try SourceTree.text(file).matches(
        of: /\n  public (?:(static) |consuming )?func `?(\w+)`?[<(]/)
      {
        // An effect that takes a list takes any number of arguments too, which a list need not.
        let isStatic = match.output.1 != nil
        names[String(match.output.2), default: isStatic ? 1 : 0] += isStatic ? 0 : 1
      }
    }
    names["map"] = nil
    return names
  }

  @Test("each effect and operator has a form for lists and a line in docs/coming-from-tca.md")
  func everyOne() throws {
    let names = try Self.operatorNames()
    #expect(Set(names.keys).isSuperset(of: ["task", "cancellable", "throttled", "timer"]))
    #expect(names["retry"] == 2)
    let list = try SourceTree.text("Sources/Store/Effects/EffectList.swift")
    let page = try SourceTree.text("docs/coming-from-tca.md")
    for (name, count) in names.sorted(by: { $0.key < $1.key }) {
      let forms = try list.matches(of: Regex(" func `?\(name)`?<"))
      #expect(forms.count >= count, "\(name)")
      #expect(page.contains(".\(name)"), "\(name)")
    }
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
