import SwiftBoardDependencies
import SwiftBoardSystem
import Synchronization
import Testing

/// Notes what is drawn.
final class DrawNotes: Sendable {
  let draws = Mutex<[Draw]>([])

  var interceptor: DrawInterceptor {
    { _, live in
      let draw = live()
      self.draws.withLock { $0.append(draw) }
      return draw
    }
  }

  var all: [Draw] { draws.withLock { $0 } }
}

struct GeneratorTests {
  @Test("fixed date stands still") func fixedDateStandsStill() {
    let date = DateGenerator.fixed()
    #expect(date.now == 1_767_225_600_000_000)
    #expect(date.now == date.now)
  }

  @Test("the live date is the system's") func liveDateIsTheSystems() {
    // Real time: the live date is the system's.
    let before = Int64(Date().timeIntervalSince1970 * 1_000_000)
    let now = DateGenerator.live.now
    #expect(abs(now - before) < 60_000_000)
  }

  @Test("incrementing identifiers") func incrementingIdentifiers() {
    let uuid = UUIDGenerator.incrementing
    #expect(uuid().uuidString == "00000000-0000-0000-0000-000000000001")
    let copy = uuid
    #expect(copy.next().uuidString == "00000000-0000-0000-0000-000000000002")
    for _ in 0..<13 { _ = uuid() }
    #expect(uuid().uuidString == "00000000-0000-0000-0000-000000000010")
  }

  @Test("identifiers are UUIDs of version 4", arguments: [UUIDGenerator.live, .seeded(7)])
  func identifiersAreVersion4(uuid: UUIDGenerator) {
    let ids = (0..<100).map { _ in uuid() }
    #expect(Set(ids).count == 100)
    for id in ids {
      let text = Array(id.uuidString)
      #expect(text[14] == "4")
      #expect("89AB".contains(text[19]))
    }
  }

  @Test("seeds decide everything") func seedsDecideEverything() {
    func draw(_ seed: UInt64) -> ([UInt64], [UUID]) {
      let random = RandomSource.seeded(seed)
      let uuid = UUIDGenerator.seeded(seed)
      return ((0..<5).map { _ in random.next() }, (0..<5).map { _ in uuid() })
    }
    #expect(draw(1) == draw(1))
    #expect(draw(1) != draw(2))
  }

  /// Computed from the authors' definition, with another program.
  @Test("seeded numbers are the algorithm's") func seededNumbersAreTheAlgorithms() {
    let random = RandomSource.seeded(0)
    #expect(
      (0..<5).map { _ in random.next() } == [
        0x99EC_5F36_CB75_F2B4, 0xBF6E_1F78_4956_452A, 0x1A5F_849D_4933_E6E0,
        0x6AA5_94F1_262D_2D2C, 0xBBA5_AD4A_1F84_2E59,
      ])
  }

  @Test("each next is one draw") func eachNextIsOneDraw() {
    let notes = DrawNotes()
    let random = RandomSource.seeded(3).intercepted(by: notes.interceptor)
    let dice = random.withGenerator { generator in
      (0..<4).map { _ in Int.random(in: 1...6, using: &generator) }
    }
    let again = RandomSource.seeded(3)
    #expect(
      dice
        == again.withGenerator { generator in
          (0..<4).map { _ in Int.random(in: 1...6, using: &generator) }
        })
    #expect(notes.all.count >= 4)
    let replayed = RandomSource.seeded(3)
    #expect(notes.all == notes.all.map { _ in .random(replayed.next()) })
  }

  @Test("interceptor gives another value") func interceptorGivesAnotherValue() {
    let replay: DrawInterceptor = { kind, _ in
      switch kind {
      case .date: .date(1)
      case .clock: .clock(2)
      case .random: .random(3)
      case .uuid: .uuid(UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
      }
    }
    #expect(DateGenerator.live.intercepted(by: replay).now == 1)
    #expect(BoardClock.live.intercepted(by: replay).now == 2)
    #expect(RandomSource.live.intercepted(by: replay).next() == 3)
    #expect(UUIDGenerator.live.intercepted(by: replay)().uuidString.hasPrefix("09000000-"))
  }

  @Test("value of another kind is ignored") func valueOfAnotherKindIsIgnored() {
    let wrong: DrawInterceptor = { _, _ in .clock(-1) }
    #expect(DateGenerator.fixed(5).intercepted(by: wrong).now == 5)
    #expect(
      UUIDGenerator.incrementing.intercepted(by: wrong)().uuidString.hasSuffix("000000000001"))
    #expect(RandomSource { 8 }.intercepted(by: wrong).next() == 8)
  }

  @Test("interceptors nest") func interceptorsNest() {
    let plusOne: DrawInterceptor = { _, live in
      guard case .date(let value) = live() else { return live() }
      return .date(value + 1)
    }
    let date = DateGenerator.fixed(0).intercepted(by: plusOne).intercepted(by: plusOne)
    #expect(date.now == 2)
  }

  @Test("microseconds round up") func microsecondsRoundUp() {
    #expect(Duration.nanoseconds(1).microseconds == 1)
    #expect(Duration.microseconds(1).microseconds == 1)
    #expect(Duration.zero.microseconds == 0)
    #expect(Duration.seconds(-1).microseconds == -1_000_000)
    #expect(Duration.seconds(Int64.max).microseconds == .max)
  }
}
