import SwiftBoardRecording
import SwiftBoardStore
import Synchronization
import Testing

/// A value's encoding is code of others: what it does with the recorder meanwhile must neither hang
/// nor mix the lines.
struct NestedEncodingTests {
  /// Calls something while it is encoded, once.
  private final class Inside: Codable, Sendable {
    private let body = Mutex<(@Sendable () -> Void)?>(nil)

    init() {}
    init(from decoder: any Decoder) throws {}

    func whileEncoding(_ body: @escaping @Sendable () -> Void) {
      self.body.withLock { $0 = body }
    }

    func encode(to encoder: any Encoder) throws {
      let body = body.withLock { $0.take() }
      body?()
      var container = encoder.singleValueContainer()
      try container.encode("inside")
    }
  }

  private struct Action: Codable, Sendable {
    var before = String(repeating: "b", count: 40)
    var inside: Inside
    var name: String
  }

  private struct Adding: Reducer {
    func reduce(_ state: inout Int, _ action: Action, _: Void) -> [Effect<Action>] {
      state += 1
      return []
    }
  }

  /// - Parameter isSecond: Whether the step that is encoded is the second one.
  private func recorded(
    isSecond: Bool = false, _ body: @escaping @Sendable (Recorder<Int, Action>, Inside) -> Void
  ) throws -> (text: String, error: LogReadError?) {
    let sink = MemorySink()
    let recorder = try Recorder<Int, Action>(
      sink: sink, info: Session.info, state: 0, options: RecordingOptions(digestEvery: .max),
      journal: nil, clock: { 0 })
    let store = Store(
      initialState: 0, reducer: Adding(), dependencies: (), hooks: recorder.hooks,
      lastStep: isSecond ? 1 : 0)
    let inside = Inside()
    inside.whileEncoding { body(recorder, inside) }
    store.send(Action(inside: inside, name: "outer"))
    recorder.flush()
    return (sink.text, read(sink.bytes).error)
  }

  private static func whole(_ name: String) -> String {
    #"{"before":"\#(String(repeating: "b", count: 40))","inside":"inside","name":"\#(name)"}"#
  }

  @Test("a mark falls before the step") func aMarkFallsBeforeTheStep() throws {
    let (text, error) = try recorded { recorder, _ in
      recorder.mark("meanwhile")
      recorder.flush()
    }
    #expect(error == nil)
    let mark = try #require(text.firstRange(of: "meanwhile"))
    let step = try #require(text.firstRange(of: NestedEncodingTests.whole("outer")))
    #expect(mark.lowerBound < step.lowerBound)
  }

  @Test("a step has memory of its own") func aStepHasMemoryOfItsOwn() throws {
    let (text, _) = try recorded(isSecond: true) { recorder, inside in
      recorder.hooks.didReduce?(
        Step(
          number: 1, origin: .program(""), action: Action(inside: inside, name: "inner"),
          effects: []), 1)
    }
    #expect(text.contains(NestedEncodingTests.whole("inner")))
    #expect(text.contains(NestedEncodingTests.whole("outer")))
  }
}
