import SwiftBoardStore
import Testing

@Suite("Origins that a program passes on")
struct SentOriginTests {
  @Test("an effect of another store is the program of its name, in a free store and in a busy one")
  func otherStore() async {
    let source = countStore()
    let (mirror, origins) = (countStore(), Journal<StepOrigin>())
    mirror.setHooks { _, _ in StepHooks(didReduce: { step, _ in origins.note(step.origin) }) }
    source.observe { step, _ in mirror.send(-step.number, origin: step.origin) }
    // An action that an observer sends is queued.
    mirror.observe { step, _ in
      if step.action == -1 {
        mirror.send(-10, origin: .effect(name: "load", id: "a", step: 1))
      }
    }
    source.send(1, origin: .user(line: "go", at: "x.sb:1"))
    await source.send(100_000).finish()
    #expect(
      origins.entries == [
        .user(line: "go", at: "x.sb:1"), .program("load"), .program(""), .program("task"),
      ])
  }
}
