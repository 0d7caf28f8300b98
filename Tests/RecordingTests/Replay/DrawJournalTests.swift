import SwiftBoardRecording
import Synchronization
import Testing

struct DrawJournalTests {
  @Test("draws of the reducing thread are noted in order")
  func drawsOfTheReducingThreadAreNotedInOrder() {
    let journal = DrawJournal()
    journal.beginReduction()
    #expect(journal.draw(.random) { .random(7) } == .random(7))
    #expect(journal.draw(.clock) { .clock(microseconds: 12) }.value == "12")
    #expect(journal.endReduction() == [.random(7), .clock(microseconds: 12)])
  }

  @Test("draws outside a reduction are live and leave no trace")
  func drawsOutsideAReductionAreLiveAndLeaveNoTrace() {
    let journal = DrawJournal()
    #expect(journal.draw(.random) { .random(1) } == .random(1))
    journal.beginReduction()
    #expect(journal.endReduction() == [])
    #expect(journal.draw(.random) { .random(2) } == .random(2))
    #expect(!journal.isReducingHere)
  }

  @Test("other threads do not get in") func otherThreadsDoNotGetIn() {
    let journal = DrawJournal()
    journal.beginReduction()
    let others = Threads.run(4) { index in
      (0..<1000).map { number in
        journal.draw(.random) { .random(UInt64(index * 1000 + number)) }.value
      }
    }
    _ = journal.draw(.uuid) { .uuid("0f") }
    #expect(journal.endReduction() == [.uuid("0F")])
    for (index, values) in others.enumerated() {
      #expect(values == (0..<1000).map { String(index * 1000 + $0) })
    }
  }

  @Test("other threads draw live during a replay") func otherThreadsDrawLiveDuringAReplay() {
    let journal = DrawJournal()
    journal.beginReduction(serving: [.random(1), .random(2)])
    let others = Threads.run(3) { _ in journal.draw(.random) { .random(99) } }
    #expect(journal.draw(.random) { .random(50) } == .random(1))
    #expect(journal.draw(.random) { .random(50) } == .random(2))
    #expect(journal.endReplayedReduction() == nil)
    #expect(others == [.random(99), .random(99), .random(99)])
  }

  @Test("a different kind is not served and not drawn") func aDifferentKindIsNotServedAndNotDrawn()
  {
    let journal = DrawJournal()
    journal.beginReduction(serving: [.random(1), .random(2)])
    let value = journal.draw(.date) {
      Issue.record("a live value was drawn")
      return .random(0)
    }
    #expect(value == LoggedDraw(kind: .date, value: "1970-01-01T00:00:00.000000Z"))
    #expect(journal.endReplayedReduction() == .kind(index: 0, asked: .date, logged: .random(1)))
  }

  @Test("drawing too much or too little is told apart") func drawingTooMuchOrTooLittleIsToldApart()
  {
    let journal = DrawJournal()
    journal.beginReduction(serving: [])
    #expect(journal.draw(.clock) { .clock(microseconds: 5) }.value == "0")
    #expect(journal.endReplayedReduction() == .exhausted(index: 0, asked: .clock))
    journal.beginReduction(serving: [.random(1), .random(2)])
    _ = journal.draw(.random) { .random(9) }
    #expect(journal.endReplayedReduction() == .unused(drawn: 1, logged: 2))
  }

  @Test("reductions on changing threads keep their draws")
  func reductionsOnChangingThreadsKeepTheirDraws() {
    let journal = DrawJournal()
    for round in 0..<20 {
      let drawn = Threads.run(1) { _ in
        journal.beginReduction()
        _ = journal.draw(.random) { .random(UInt64(round)) }
        return journal.endReduction()
      }
      #expect(drawn == [[.random(UInt64(round))]])
    }
  }
}
