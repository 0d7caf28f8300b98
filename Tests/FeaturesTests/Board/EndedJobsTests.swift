import SwiftBoardTesting
import Testing

@testable import SwiftBoardBoard

struct EndedJobsTests {
  @Test("commands that succeed take no memory, whatever their number")
  func flat() {
    var ended = EndedJobs()
    for job in 1...100_000 { ended[job] = 0 }
    #expect(ended.ranges == [1...100_000] && ended.codes.isEmpty)
    #expect(ended[1] == 0 && ended[100_000] == 0 && ended[0] == nil && ended[100_001] == nil)
  }

  @Test("in any order of ends, each job has the code that it ended with")
  func model() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<50 {
      var (ended, model) = (EndedJobs(), [Int: Int32]())
      for job in (1...60).shuffled(using: &random).prefix(40) {
        let code: Int32 = random.next() % 4 == 0 ? 69 : 0
        ended[job] = code
        model[job] = code
        for job in 0...61 { #expect(ended[job] == model[job]) }
      }
    }
  }

  @Test("a later code takes the place of the first")
  func again() {
    var ended = EndedJobs()
    ended[3] = 130
    ended[3] = 0
    #expect(ended[3] == 0 && ended.ranges == [3...3] && ended.codes.isEmpty)
  }
}
