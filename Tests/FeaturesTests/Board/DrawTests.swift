import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardStore
import Testing

@testable import SwiftBoardBoard

@Suite("Draws of a reduction")
struct DrawTests {
  /// A reducer that reads all of the world.
  struct Drawing: Reducer {
    func reduce(_ state: inout [String], _ action: Int, _ dependencies: Dependencies)
      -> [Effect<Int>]
    {
      state.append(
        "\(dependencies.date.now) \(dependencies.clock.now) \(dependencies.uuid()) \(dependencies.random.next())"
      )
      return []
    }
  }

  @Test("what a reduction draws is noted, and given back to a replay of it")
  func roundTrip() {
    var live = Dependencies.mock
    live.date = .fixed(1_000_001)
    live.uuid = .live
    live.random = .live
    let journal = DrawJournal()
    let recorded = live.intercepted(by: journal.interceptor)
    var first: [String] = []
    journal.beginReduction()
    _ = Drawing().reduce(&first, 0, recorded)
    let draws = journal.endReduction()
    #expect(draws.map(\.kind) == [.date, .clock, .uuid, .random])

    let replay = DrawJournal()
    let replayed = Dependencies.mock.intercepted(by: replay.interceptor)
    var second: [String] = []
    replay.beginReduction(serving: draws)
    _ = Drawing().reduce(&second, 0, replayed)
    #expect(replay.endReplayedReduction() == nil)
    #expect(first == second)
  }

  @Test("every kind of draw survives its text form, at the ends of its range")
  func textForm() {
    let draws: [Draw] = [
      .date(0), .date(1_767_225_600_250_331), .date(-1), .clock(.max), .clock(.min),
      .uuid(UUIDGenerator.live.next()), .random(.max), .random(0),
    ]
    for draw in draws { #expect(Draw(LoggedDraw(draw)) == draw) }
    #expect(Draw(LoggedDraw(kind: .uuid, value: "x")) == nil)
    #expect(Draw(LoggedDraw(kind: .date, value: "yesterday")) == nil)
  }

  @Test("outside a reduction nothing is noted, and a replay that draws more says so")
  func mismatch() {
    let journal = DrawJournal()
    let dependencies = Dependencies.mock.intercepted(by: journal.interceptor)
    _ = dependencies.uuid()
    journal.beginReduction()
    #expect(journal.endReduction() == [])
    journal.beginReduction(serving: [.clock(microseconds: 5)])
    #expect(dependencies.clock.now == 5)
    _ = dependencies.random.next()
    #expect(journal.endReplayedReduction() == .exhausted(index: 1, asked: .random))
  }
}
